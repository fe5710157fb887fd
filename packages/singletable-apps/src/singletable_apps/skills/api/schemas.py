"""What the API accepts and returns."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import ConfigDict, Field

from singletable_apps.shared.accounts import Registration
from singletable_apps.shared.web import Changes, Day, Document, Model, partial_model
from singletable_apps.skills import entities, rules
from singletable_apps.skills.entry_rules import MAX_DESCRIPTION, MAX_LINE, MAX_SKILLS
from singletable_apps.skills.import_rules import Outcome, RowResult
from singletable_apps.skills.service.catalog import MAX_ALIASES, MAX_TAGS
from singletable_apps.skills.service.catalog import MAX_DESCRIPTION as MAX_SKILL_DESCRIPTION
from singletable_apps.skills.service.roles import MAX_TARGETS

# The original's names of fields.
FIELD_NAMES = {
    "level": "proficiency_level",
    "years": "years_of_experience",
    "last_used": "last_used_date",
}


class Body(Document):
    """A response, made from an entity."""

    model_config = ConfigDict(from_attributes=True)


# ------------------------------------------------------------------------------ people


class PersonSummary(
    Body, of=entities.User, only="username name title department location job_role"
):
    """A person in search results."""


class PersonRow(PersonSummary, of=entities.User, only="role"):
    """A person in a list."""


class Person(PersonRow, of=entities.User, only="email about created_at updated_at"):
    """A person, without what is secret."""


class PersonFields(
    Document, of=entities.User, only="name title department location email about job_role"
):
    """The fields of a profile that can be changed. The service checks them."""


@partial_model()
class PersonChanges(PersonFields, Changes):
    """What to change in a profile; the rest stays as it is."""


class NewPerson(Model):
    """Someone to invite."""

    username: str
    name: str
    email: str
    role: entities.Role = entities.Role.USER


class Invitation(Body):
    """A new account, and whether the e-mail was sent."""

    user: Person
    is_sent: bool


class RoleChange(Model):
    """What an account may do from now on."""

    role: entities.Role


class UsernameChange(Model):
    """A new username."""

    username: str = Field(examples=["ada"])


class DirectorySettings(Model):
    """The settings of the directory."""

    name: str = Field(max_length=rules.MAX_NAME)
    registration: Registration = Field(description="Who may register.")
    levels: list[str] | None = Field(
        None,
        description="The four levels, the lowest first: the name, a colon and a description.",
        examples=[["Learns: Needs help.", "Can: Works alone.", "Good: Helps.", "Master: Leads."]],
    )
    categories: list[str] | None = Field(
        None, description="The categories of skills. A name at the place of another one renames it."
    )


# ------------------------------------------------------------------------------ skills of people


class _SkillFields(Document):
    proficiency_level: entities.Level = Field(examples=["Advanced"])
    years_of_experience: int = Field(0, ge=0, le=rules.MAX_YEARS, strict=True, examples=[5])
    notes: str = Field("", max_length=rules.MAX_NOTES)
    last_used_date: Day | None = Field(None, description="Today if absent.")


class NewUserSkill(_SkillFields, Model):
    """A skill to add to a person."""

    skill_name: str = Field(
        min_length=1,
        max_length=rules.MAX_SKILL_NAME,
        description="The id, the name or an alias of a skill in the catalog.",
        examples=["Go"],
    )


@partial_model()
class UserSkillChanges(_SkillFields, Changes):
    """What to change; the rest stays as it is."""

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"proficiency_level": "Expert"}]}
    )

    def draft_fields(self) -> dict[str, Any]:
        """Return the fields of a draft that were sent."""
        fields = {name: field for field, name in FIELD_NAMES.items()}
        return {fields.get(name, name): value for name, value in self.sent().items()}


class UserSkillBody(Body, of=entities.UserSkill, omit="revision", rename=FIELD_NAMES):
    """A skill of a person. `rated_by` is the last manager to rate it, or empty."""


class PersonWithSkills(Person):
    """A person with all skills."""

    skills: list[UserSkillBody]


class EndorsementBody(Document, of=entities.Endorsement):
    """An endorsement of a person's skill."""


# ------------------------------------------------------------------------------ the catalog


class _MasterSkillFields(Document):
    skill_name: str = Field(min_length=2, max_length=rules.MAX_SKILL_NAME, examples=["Go"])
    category: str = Field("", description="The last one of the settings if absent.")
    description: str = Field("", max_length=MAX_SKILL_DESCRIPTION)
    tags: list[str] = Field([], max_length=MAX_TAGS)
    aliases: list[str] = Field(
        [],
        max_length=MAX_ALIASES,
        description="Other spellings, in any case.",
        examples=[["Golang"]],
    )


class NewMasterSkill(_MasterSkillFields, Model):
    """A skill to add to the catalog."""

    skill_id: str = Field(
        "",
        max_length=50,
        pattern="^[a-z0-9-]*$",
        description="Lowercase letters, digits and hyphens; from the name if absent.",
        examples=["go"],
    )


@partial_model()
class MasterSkillChanges(_MasterSkillFields, Changes):
    """What to change; the rest stays as it is. A former name becomes an alias."""


class MasterSkill(
    Body,
    of=entities.Skill,
    only="skill_id skill_name category description tags aliases created_at updated_at",
    rename={"name": "skill_name"},
):
    """A skill of the catalog."""


class SkillInto(Model):
    """The skill to merge into."""

    into: str = Field(
        min_length=1, max_length=rules.MAX_SKILL_NAME, description="Its id, name or alias."
    )


class SkillSummary(
    Document, of=entities.Skill, only="skill_id skill_name category", rename={"name": "skill_name"}
):
    """A skill with its number of people, in total and at each level."""

    total: int
    levels: dict[entities.Level, int]


class RoleFields(Model):
    """A job with the level of each skill it needs."""

    name: str = Field(min_length=1, max_length=rules.MAX_NAME, examples=["Backend engineer"])
    description: str = Field("", max_length=MAX_SKILL_DESCRIPTION)
    targets: dict[str, entities.Level] = Field(
        {},
        max_length=MAX_TARGETS,
        description="By the id, name or alias of the skill.",
        examples=[{"go": "Advanced"}],
    )


class RoleBody(RoleFields):
    """A job. Its targets are by the id of the skill."""

    role_id: str
    created_at: datetime
    updated_at: datetime


# ------------------------------------------------------------------------------ entries


class _EntryFields(Document):
    name: str = Field("", max_length=MAX_LINE, description="Of a certificate or a project.")
    issuer: str = Field("", max_length=MAX_LINE, description="Of a certificate.")
    issued: Day | None = Field(None, description="Of a certificate.")
    expires_on: Day | None = Field(None, description="Of a certificate.")
    position: str = Field("", max_length=MAX_LINE, description="Of a job.")
    employer: str = Field("", max_length=MAX_LINE, description="Of a job.")
    degree: str = Field("", max_length=MAX_LINE, description="Of a course.")
    school: str = Field("", max_length=MAX_LINE, description="Of a course.")
    started: Day | None = Field(None, description="Of a job or a course.")
    ended: Day | None = Field(None, description="Of a job or a course.")
    description: str = Field("", max_length=MAX_DESCRIPTION)
    link: str = Field("", max_length=2000, description="Of a certificate or a project.")
    status: entities.ProjectStatus = Field(
        entities.ProjectStatus.ACTIVE, description="Of a project."
    )
    skills: list[str] = Field([], max_length=MAX_SKILLS, description="Skills of a project.")


class NewEntry(_EntryFields, Model):
    """An entry to create. Fields that its kind does not have are ignored."""


@partial_model()
class EntryChanges(_EntryFields, Changes):
    """What to change; the rest stays as it is."""


class EntryBody(_EntryFields):
    """An entry of a person, with the fields of its kind. Skills are ids."""

    id: str
    username: str
    created_at: datetime
    updated_at: datetime


# ------------------------------------------------------------------------------ imports


class ImportChoices(Model):
    """What the columns contain, and what to do with unknown skills and duplicates."""

    columns: dict[str, str] | None = Field(
        None,
        description="The field of each heading, such as `username`; recognized if absent.",
        examples=[{"Login": "username", "Skill": "skill", "Level": "level"}],
    )
    skills: dict[str, str] = Field(
        {},
        description=(
            "What to do with skills that the catalog does not have, by spelling: `create:` and a "
            "category, `use:` and a skill, or `skip`. An empty spelling stands for all others."
        ),
        examples=[{"": "create:Other", "Gopher": "use:go"}],
    )
    duplicates: entities.Duplicates = Field(
        entities.Duplicates.SKIP, description="What to do with skills that people have already."
    )


class ImportBody(
    Body,
    of=entities.Import,
    only="import_id file_name status rows columns skills duplicates uploaded_at totals",
):
    """An import. `results` has up to 1,000 rows, those with errors first."""

    problem: str = Field("", description="Why it cannot be previewed.")
    new_people: int = 0
    outcomes: dict[Outcome, int] = Field({})
    unknown_skills: dict[str, int] = Field({}, description="The number of rows, by spelling.")
    results: list[RowResult] = Field([])
    kept: list[str] = Field([], description="What was not undone, because someone changed it.")
