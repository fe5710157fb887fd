"""The items of `glad-entities`; the README has a table of their keys.

The partition of a user contains only what this user may write, so that a policy on leading keys
protects it. Endorsements, which others write, have partitions of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from singletable import (
    Attr,
    Collection,
    Entity,
    Index,
    Key,
    Number,
    Table,
    Unique,
    attr,
    casefold,
    created,
    expires,
    ordered,
    padded,
    pascal_case,
    updated,
    version,
)
from singletable_apps.shared.accounts import Registration

# An index can project 20 attributes: whole skills of people, and what lists show of people. Skills,
# jobs and teams are read from the table, except for their names. No index has password hashes.
_USER_SKILL = [
    *("EntityType", "Username", "SkillId", "Endorsements", "Notes", "Source", "RatedBy"),
    *("CreatedAt", "UpdatedAt", "Revision"),
]
_GSI2_KEY = ["SkillName", "ProficiencyLevel", "YearsOfExperience", "LastUsedDate"]
_PERSON = ["Name", "Title", "Department", "Location", "JobRole", "Role"]
gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection=[*_USER_SKILL, *_GSI2_KEY, *_PERSON])
gsi2 = Index(
    "GSI2",
    pk=("SkillName", "ProficiencyLevel"),
    sk=(Number("YearsOfExperience"), "LastUsedDate"),
    projection=_USER_SKILL,
)
entities = Table(
    "glad-entities", indexes=[gsi1, gsi2], ttl="ExpiresAt", attribute_names=pascal_case
)


class Level(StrEnum):
    """How well someone has mastered a skill, lowest first."""

    BEGINNER = "Beginner"
    INTERMEDIATE = "Intermediate"
    ADVANCED = "Advanced"
    EXPERT = "Expert"


class Role(StrEnum):
    """What an account may do, lowest first."""

    WAITING = "waiting"
    USER = "user"
    MANAGER = "manager"
    ADMIN = "admin"


class Source(StrEnum):
    """Where the level of a skill comes from."""

    SELF = "self"
    MANAGER = "manager"
    IMPORT = "import"


class ProjectStatus(StrEnum):
    """How far a project is."""

    PLANNED = "Planned"
    ACTIVE = "Active"
    DONE = "Done"


class Tracked(Entity):
    """When an item was created and changed, and its revision for optimistic locking."""

    created_at: Attr[datetime] = created()
    updated_at: Attr[datetime] = updated()
    revision: Attr[int] = version()


class User(Tracked, table=entities, type_tag=("EntityType", "User")):
    """A person with an account. `credentials` changes with the password and ends all sessions.

    Imported people have no password until they choose one. After a rename or a deletion, the item
    stays until the Cascade is finished, so that nobody gets the username before.
    """

    username: Attr[str] = attr()
    user_id: Attr[int] = attr()
    name: Attr[str] = attr()
    password_hash: Attr[str] = attr(default="", hidden=True)
    credentials: Attr[int] = attr(default=1)
    role: Attr[Role] = attr(default=Role.USER)
    email: Attr[str] = attr(default="")
    title: Attr[str] = attr(default="")
    department: Attr[str] = attr(default="")
    location: Attr[str] = attr(default="")
    about: Attr[str] = attr(default="")
    # The id of a JobRole.
    job_role: Attr[str] = attr(default="")
    # Since when the person is not here any more, but at another username or deleted.
    left_at: Attr[datetime | None] = attr(default=None)

    key = Key(pk=("USER", casefold(username)), sk="PROFILE")
    by_name = Key(pk="USERS", sk=("USER", casefold(name), casefold(username))).on(
        gsi1, when=~left_at.exists()
    )
    one_id = Unique(user_id, pk=("USERID", user_id), sk="PROFILE")


class UserSkill(Tracked, table=entities, type_tag=("EntityType", "UserSkill")):
    """A skill of a person. `SkillName` is a copy of the skill's name, the key of GSI2."""

    username: Attr[str] = attr()
    skill_id: Attr[str] = attr()
    skill_name: Attr[str] = attr()
    level: Attr[Level] = attr(name="ProficiencyLevel")
    years: Attr[int] = attr(name="YearsOfExperience", default=0)
    last_used: Attr[date] = attr(name="LastUsedDate")
    endorsements: Attr[int] = attr(default=0)
    notes: Attr[str] = attr(default="")
    source: Attr[Source] = attr(default=Source.SELF)
    # The username of the manager who rated the skill last.
    rated_by: Attr[str] = attr(default="")

    key = Key(pk=("USER", casefold(username)), sk=("SKILL", skill_id))
    by_skill = Key(
        pk=("SKILL", skill_id), sk=("LEVEL", ordered(level), "USER", casefold(username))
    ).on(gsi1)
    by_experience = Key(pk=(skill_name, level), sk=(years, last_used)).on(gsi2)


class Rating(Entity, table=entities, type_tag=("EntityType", "Rating")):
    """A level and years as someone has once rated a skill of a person; UserSkill has the latest.

    The key has the number of the person, which stays. `author` is a username, `evidence` a link.
    """

    user_id: Attr[int] = attr()
    skill_id: Attr[str] = attr()
    rated_at: Attr[datetime] = attr()
    level: Attr[Level] = attr()
    years: Attr[int] = attr()
    source: Attr[Source] = attr()
    author: Attr[str] = attr()
    evidence: Attr[str] = attr(default="")

    key = Key(pk=("RATINGS", user_id), sk=(skill_id, rated_at))


class FormerUsername(Entity, table=entities, type_tag=("EntityType", "FormerUsername")):
    """The number of the person with a former username, so that old links find them."""

    username: Attr[str] = attr()
    user_id: Attr[int] = attr()

    key = Key(pk=("FORMER", casefold(username)), sk="USER")


class Endorsement(Entity, table=entities, type_tag=("EntityType", "Endorsement")):
    """Someone confirms a skill of someone else, once."""

    username: Attr[str] = attr()
    skill_id: Attr[str] = attr()
    endorser: Attr[str] = attr()
    created_at: Attr[datetime] = created()

    key = Key(pk=("ENDORSEMENT", casefold(username), skill_id), sk=("BY", casefold(endorser)))
    by_endorser = Key(pk=("ENDORSER", casefold(endorser)), sk=(casefold(username), skill_id)).on(
        gsi1
    )


class Skill(Tracked, table=entities, type_tag=("EntityType", "Skill")):
    """A skill of the catalog. Its id never changes; every other spelling is an alias.

    While a new name is being copied to the skills of people, `previous_name` is the old one. While
    a skill is being merged into another, `merged_into` is the id of that skill, and `merging` of
    the other skill is the id of this one. Each skill takes part in one such change at a time.
    """

    skill_id: Attr[str] = attr()
    name: Attr[str] = attr(name="SkillName")
    category: Attr[str] = attr(default="Other")
    description: Attr[str] = attr(default="")
    tags: Attr[list[str]] = attr(factory=list)
    aliases: Attr[list[str]] = attr(factory=list)
    previous_name: Attr[str] = attr(default="")
    merged_into: Attr[str] = attr(default="")
    merging: Attr[str] = attr(default="")

    key = Key(pk=("SKILL", skill_id), sk="METADATA")
    listed = Key(pk="SKILLS", sk=(category, casefold(name), skill_id)).on(gsi1)


class SkillChange(Entity, table=entities, type_tag=("EntityType", "SkillChange")):
    """A rename or a merge of a skill that is not finished, so that it is found and resumed."""

    skill_id: Attr[str] = attr()
    created_at: Attr[datetime] = created()

    key = Key(pk=("SKILL", skill_id), sk="CHANGE")
    unfinished = Key(pk="CHANGES", sk=skill_id).on(gsi1)


class SkillAlias(Entity, table=entities, type_tag=("EntityType", "SkillAlias")):
    """The skill that a spelling means: its id, its name, or an alias, each normalized."""

    alias: Attr[str] = attr()
    skill_id: Attr[str] = attr()

    key = Key(pk=("ALIAS", alias), sk="SKILL")


class SkillCount(Entity, table=entities, type_tag=("EntityType", "SkillCount")):
    """How many people have a skill at each level. Searches start with the rarest skill."""

    skill_id: Attr[str] = attr()
    beginner: Attr[int] = attr(default=0)
    intermediate: Attr[int] = attr(default=0)
    advanced: Attr[int] = attr(default=0)
    expert: Attr[int] = attr(default=0)

    key = Key(pk=("SKILL", skill_id), sk="COUNT")


class JobRole(Tracked, table=entities, type_tag=("EntityType", "JobRole")):
    """A job, and the level of each skill it needs, by the id of the skill."""

    role_id: Attr[str] = attr()
    name: Attr[str] = attr()
    description: Attr[str] = attr(default="")
    targets: Attr[dict[str, Level]] = attr(factory=dict)

    key = Key(pk=("ROLE", role_id), sk="METADATA")
    listed = Key(pk="ROLES", sk=(casefold(name), role_id)).on(gsi1)


class Team(Tracked, table=entities, type_tag=("EntityType", "Team")):
    """People, often saved from a search. One with a `manager`, a username, is a reporting line."""

    team_id: Attr[str] = attr()
    name: Attr[str] = attr()
    members: Attr[list[str]] = attr(factory=list)
    created_by: Attr[str] = attr()
    manager: Attr[str] = attr(default="")

    key = Key(pk=("TEAM", team_id), sk="METADATA")
    listed = Key(pk="TEAMS", sk=(casefold(name), team_id)).on(gsi1)


class Cascade(Entity, table=entities, type_tag=("EntityType", "Cascade")):
    """What was under `username` is being moved to `new_username`, or deleted if that is empty."""

    username: Attr[str] = attr()
    new_username: Attr[str] = attr(default="")
    # The number of the person, and the number that the item at the old username has instead.
    user_id: Attr[int] = attr()
    placeholder_id: Attr[int] = attr()
    created_at: Attr[datetime] = created()

    key = Key(pk="CASCADES", sk=casefold(username))


class ImportStatus(StrEnum):
    """How far an import is."""

    PREVIEW = "preview"
    APPLYING = "applying"
    APPLIED = "applied"
    UNDOING = "undoing"
    UNDONE = "undone"


class Duplicates(StrEnum):
    """What an import does with skills that people have already."""

    SKIP = "skip"
    OVERWRITE = "overwrite"
    HIGHER = "higher"


class Import(Entity, table=entities, type_tag=("EntityType", "Import")):
    """An uploaded spreadsheet. It expires soon, or a year after it was applied.

    `columns` are the fields by heading, and `skills` says what to do with spellings that mean no
    skill: `create:` and a category, `use:` and the id of a skill, or `skip`. The empty spelling
    stands for all others.
    """

    import_id: Attr[str] = attr()
    file_name: Attr[str] = attr()
    created_by: Attr[str] = attr()
    status: Attr[ImportStatus] = attr(default=ImportStatus.PREVIEW)
    columns: Attr[dict[str, str]] = attr(factory=dict)
    skills: Attr[dict[str, str]] = attr(factory=dict)
    duplicates: Attr[Duplicates] = attr(default=Duplicates.SKIP)
    rows: Attr[int] = attr()
    # What was done, by name, such as the number of added skills.
    totals: Attr[dict[str, int]] = attr(factory=dict)
    created_skills: Attr[list[str]] = attr(factory=list)
    uploaded_at: Attr[datetime] = attr()
    applied_at: Attr[datetime | None] = attr(default=None)
    expires_at: Attr[datetime] = expires()
    revision: Attr[int] = version()

    key = Key(pk="IMPORTS", sk=import_id)


class ImportPart(Entity, table=entities, type_tag=("EntityType", "ImportPart")):
    """A part of the rows of an import, which together are compressed JSON."""

    import_id: Attr[str] = attr()
    number: Attr[int] = attr()
    data: Attr[bytes] = attr()
    expires_at: Attr[datetime] = expires()

    key = Key(pk=("IMPORT", import_id), sk=("PART", padded(number, 4)))


@dataclass(frozen=True)
class SkillValues:
    """The values of a skill of a person: what was entered, and its source."""

    level: Level
    years: int
    last_used: date
    notes: str
    source: Source
    rated_by: str


@dataclass(frozen=True)
class ImportedSkill:
    """A skill that an import has written. `before` is missing if the person did not have it."""

    skill_id: str
    name: str
    after: SkillValues
    before: SkillValues | None


class ImportedPerson(Entity, table=entities, type_tag=("EntityType", "ImportedPerson")):
    """What an import has changed, in one transaction with the changes, so that it can be undone.

    `user_id` is the number of the person if the import has created the account, or else 0. After
    the import was undone, `kept` says what was not, because someone had changed it.
    """

    import_id: Attr[str] = attr()
    username: Attr[str] = attr()
    number: Attr[int] = attr()
    user_id: Attr[int] = attr(default=0)
    skills: Attr[list[ImportedSkill]] = attr(factory=list)
    is_undone: Attr[bool] = attr(default=False)
    kept: Attr[list[str]] = attr(factory=list)
    expires_at: Attr[datetime] = expires()

    key = Key(pk=("IMPORT", import_id), sk=("PERSON", casefold(username), padded(number, 4)))


class Directory(Entity, table=entities, type_tag=("EntityType", "Directory")):
    """The settings. Created with the first account, which is the first administrator's."""

    name: Attr[str] = attr(default="Skills")
    registration: Attr[Registration] = attr(default=Registration.OPEN)
    # The words of the organization, if they are not ours: see `words_of`.
    levels: Attr[list[str]] = attr(factory=list)
    categories: Attr[list[str]] = attr(factory=list)
    revision: Attr[int] = version()

    key = Key(pk="DIRECTORY", sk="SETTINGS")


class Round(Entity, table=entities, type_tag=("EntityType", "Round")):
    """A rating round, in which people confirm or change levels up to and including a day.

    Without teams, it is for everyone.
    """

    round_id: Attr[str] = attr()
    name: Attr[str] = attr()
    team_ids: Attr[list[str]] = attr(factory=list)
    opened_at: Attr[datetime] = attr()
    closes_on: Attr[date] = attr()
    # When an administrator closed it before its last day was over.
    closed_at: Attr[datetime | None] = attr(default=None)

    key = Key(pk="ROUNDS", sk=round_id)


class RoundAnswer(Entity, table=entities, type_tag=("EntityType", "RoundAnswer")):
    """The ratings of a person are finished in a round: their own, or those of a manager."""

    round_id: Attr[str] = attr()
    user_id: Attr[int] = attr()
    source: Attr[Source] = attr()
    finished_at: Attr[datetime] = created()

    key = Key(pk=("ROUND", round_id), sk=(user_id, source))


class Request(Entity, table=entities, type_tag=("EntityType", "Request")):
    """Someone asks a person to endorse a skill, or suggests a skill to the administrators.

    `recipient` and `author` are numbers of people; 0 stands for the administrators.
    """

    recipient: Attr[int] = attr()
    author: Attr[int] = attr()
    skill_id: Attr[str] = attr()
    name: Attr[str] = attr()
    text: Attr[str] = attr(default="")
    created_at: Attr[datetime] = created()
    expires_at: Attr[datetime] = expires()

    key = Key(pk=("REQUESTS", recipient), sk=(author, skill_id))


class Certification(Tracked, table=entities, type_tag=("EntityType", "Certification")):
    """A certificate that a person has passed for. `link` proves it."""

    username: Attr[str] = attr()
    certification_id: Attr[str] = attr()
    name: Attr[str] = attr()
    issuer: Attr[str] = attr()
    issued: Attr[date] = attr()
    expires_on: Attr[date | None] = attr(default=None)
    link: Attr[str] = attr(default="")

    key = Key(pk=("USER", casefold(username)), sk=("CERTIFICATION", certification_id))


class Experience(Tracked, table=entities, type_tag=("EntityType", "Experience")):
    """A job that a person has or had; without `ended`, the present one."""

    username: Attr[str] = attr()
    experience_id: Attr[str] = attr()
    position: Attr[str] = attr()
    employer: Attr[str] = attr()
    started: Attr[date] = attr()
    ended: Attr[date | None] = attr(default=None)
    description: Attr[str] = attr(default="")

    key = Key(pk=("USER", casefold(username)), sk=("EXPERIENCE", experience_id))


class Education(Tracked, table=entities, type_tag=("EntityType", "Education")):
    """A school or a course, and the degree."""

    username: Attr[str] = attr()
    education_id: Attr[str] = attr()
    school: Attr[str] = attr()
    degree: Attr[str] = attr()
    started: Attr[date] = attr()
    ended: Attr[date | None] = attr(default=None)
    description: Attr[str] = attr(default="")

    key = Key(pk=("USER", casefold(username)), sk=("EDUCATION", education_id))


class Project(Tracked, table=entities, type_tag=("EntityType", "Project")):
    """A project, and the ids of the skills it needs.

    GSI1 has some of its attributes only, so that lists read projects from the table.
    """

    username: Attr[str] = attr()
    project_id: Attr[str] = attr()
    name: Attr[str] = attr()
    description: Attr[str] = attr(default="")
    status: Attr[ProjectStatus] = attr(default=ProjectStatus.ACTIVE)
    skill_ids: Attr[list[str]] = attr(factory=list)
    link: Attr[str] = attr(default="")
    created_at: Attr[datetime] = created()  # declared here too, for the key

    key = Key(pk=("USER", casefold(username)), sk=("PROJECT", project_id))
    listed = Key(pk="PROJECTS", sk=("STATUS", ordered(status), "DATE", created_at, project_id)).on(
        gsi1
    )


class Profile(Collection):
    """AP13: a person with all skills."""

    user: User
    skills: list[UserSkill]


class Entries(Collection):
    """What a person has entered besides skills."""

    certifications: list[Certification]
    experience: list[Experience]
    education: list[Education]
    projects: list[Project]
