"""Every access pattern of the skills directory: AP1 to AP13 of the document, then the additions."""

from __future__ import annotations

from typing import Any

from singletable import (
    CrudPatterns,
    ItemCount,
    PatternCatalog,
    Selection,
    WritePattern,
    checks,
    creates,
    deletes,
    per_day,
    per_minute,
    per_second,
    puts,
    updates,
    upserts,
    zipf,
)
from singletable_apps.skills.entities import (
    Cascade,
    Certification,
    Directory,
    Education,
    Endorsement,
    Entries,
    Experience,
    FormerUsername,
    Import,
    ImportedPerson,
    ImportPart,
    JobRole,
    Level,
    Profile,
    Project,
    ProjectStatus,
    Rating,
    Request,
    Round,
    RoundAnswer,
    Skill,
    SkillAlias,
    SkillChange,
    SkillCount,
    Team,
    User,
    UserSkill,
    entities,
)

# The document's figures: 1 KB a user, 0.5 KB a skill, 10,000 users with five skills each. Its rates
# of AP1 to AP13 are declared as they are, except for creating users and skills, and removing them:
# 50 new users a second would be 130 million a month. So these are peaks, such as during an import.
# The bytes of an item, and how many there are.
_ITEMS: dict[type, tuple[int, int | ItemCount]] = {
    User: (1_024, ItemCount(10_000, growth=0.02, shares={"by_name": 0.98})),
    UserSkill: (512, ItemCount(50_000, growth=0.02)),
    Rating: (200, ItemCount(150_000, growth=0.02)),
    FormerUsername: (80, 500),
    Endorsement: (200, ItemCount(100_000, growth=0.02)),
    Skill: (600, 200),
    SkillAlias: (100, 600),
    SkillChange: (100, 1),
    SkillCount: (150, 200),
    JobRole: (1_500, 50),
    Team: (1_000, 500),
    Cascade: (200, 1),
    Import: (600, 50),
    ImportPart: (100_000, 4),
    ImportedPerson: (2_500, 1_000),
    Directory: (1_000, 1),
    Round: (300, 20),
    RoundAnswer: (120, 40_000),
    Request: (300, 500),
    Certification: (400, 10_000),
    Experience: (700, 30_000),
    Education: (500, 15_000),
    Project: (700, 20_000),
}
SIZES = {entity: size for entity, (size, _) in _ITEMS.items()}
COUNTS = {entity: count for entity, (_, count) in _ITEMS.items()}
# A few skills are known by many: the first by half of all people, the tenth by one in twelve.
VALUES = [
    zipf(UserSkill.skill_id, 200, 0.8),
    zipf(UserSkill.skill_name, 200, 0.8),
    zipf(Skill.skill_id, 200, 0.8),
    zipf(SkillCount.skill_id, 200, 0.8),
    zipf(Endorsement.skill_id, 200, 0.8),
    zipf(SkillAlias.alias, 600, 0.8),
]
patterns = PatternCatalog("skills", entities, sizes=SIZES, counts=COUNTS, values=VALUES)
read, write, read_function = patterns.read, patterns.write, patterns.read_function

# Writes that many patterns have in common.
_COUNT_PEOPLE = upserts(SkillCount)
_RATE = updates(
    UserSkill,
    *(UserSkill.level, UserSkill.years, UserSkill.last_used, UserSkill.notes),
    *(UserSkill.source, UserSkill.rated_by, UserSkill.updated_at, UserSkill.revision),
)
_COUNT_ENDORSEMENTS = updates(
    UserSkill, UserSkill.endorsements, UserSkill.updated_at, UserSkill.revision
)

# ------------------------------------------------------------------------------ users

user_by_name = read(
    "AP1", "Get user by username (login)", User.key, consistent=True, rate=per_second(500)
)
create_user = write(
    "AP2", "Create new user (register)", creates(User), rate=per_day(50, peak=per_second(50))
)
edit_user = write(
    "AP3",
    "Update user profile",
    updates(
        User,
        *(User.name, User.password_hash, User.credentials, User.role, User.email, User.title),
        *(User.department, User.location, User.about, User.job_role),
        *(User.updated_at, User.revision),
    ),
    rate=per_second(10),
)
read("AP4", "Check if user exists", User.key, rate=per_second(100))
all_users = read("AP5", "List all users", User.by_name, items=50, hydrate=False, rate=per_second(1))

# ------------------------------------------------------------------------------ skills of users


@read_function("AP6", items=5, rate=per_second(100))
def skills_of_user(username: str) -> Selection[UserSkill]:
    """Get all skills for a user."""
    return UserSkill.key.partition(username)


user_skill = read("AP7", "Get specific skill for user", UserSkill.key, rate=per_second(50))
add_user_skill = write(
    "AP8",
    "Add skill to user",
    checks(User),
    checks(Skill),
    creates(UserSkill),
    puts(Rating),
    _COUNT_PEOPLE,
    rate=per_day(200, peak=per_second(25)),
)
edit_user_skill = write(
    "AP9", "Update skill proficiency", _RATE, puts(Rating), _COUNT_PEOPLE, rate=per_second(20)
)
take_back = write(
    "H2", "Take back a rating", _RATE, deletes(Rating), _COUNT_PEOPLE, rate=per_day(10)
)
remove_user_skill = write(
    "AP10",
    "Remove skill from user",
    deletes(UserSkill),
    deletes(Endorsement),
    _COUNT_PEOPLE,
    rate=per_day(160, peak=per_second(5)),
)
users_with_skill = read(
    "AP11", "Find users by skill name", UserSkill.by_skill, items=50, rate=per_second(80)
)


@read_function("AP12", items=10, rate=per_second(20))
def users_at_exact_level(skill_id: str, level: Level) -> Selection[UserSkill]:
    """Find expert users for skill, or users at any other level."""
    return UserSkill.by_skill(skill_id).eq(level)


@read_function("U1", items=20, rate=per_second(20))
def users_at_level(skill_id: str, level: Level) -> Selection[UserSkill]:
    """Find users with a skill at a level or a higher one."""
    return UserSkill.by_skill(skill_id).ge(level)


user_with_skills = read(
    "AP13",
    "Get user with all skills",
    User.key.partition,
    collection=Profile,
    items=6,
    scanned=14,
    rate=per_second(50),
)

ratings_of_user = read(
    "H1", "All ratings of the skills of a user", Rating.key.partition, items=15, rate=per_second(20)
)


@read_function("GSI2", items=20, rate=per_second(10))
def users_with_years(skill_name: str, level: Level, years: int) -> Selection[UserSkill]:
    """Find users with a skill at a level, with some years of experience."""
    return UserSkill.by_experience(skill_name, level).ge(years)


# ------------------------------------------------------------------------------ endorsements

endorse = write(
    "E1",
    "Endorse a skill of someone",
    checks(User),
    creates(Endorsement),
    _COUNT_ENDORSEMENTS,
    rate=per_day(400, peak=per_second(5)),
)
withdraw_endorsement = write(
    "E2", "Withdraw endorsements", deletes(Endorsement), _COUNT_ENDORSEMENTS, rate=per_day(50)
)
endorsers = read(
    "E3", "Who endorsed a skill of someone", Endorsement.key.partition, items=2, rate=per_second(5)
)
endorsement = read(
    "E4", "Whether someone endorsed a skill", Endorsement.key, consistent=True, rate=per_second(50)
)

# ------------------------------------------------------------------------------ accounts

user_by_id = read("A1", "User of a session", User.one_id, rate=per_second(200))
former_username = read("A19", "Who has had a username", FormerUsername.key, rate=per_minute(1))
create_directory = write(
    "A18", "Settings with the first account", creates(User), creates(Directory), rate=per_day(0.01)
)
directory = read("A2", "Get the settings", Directory.key, consistent=True, rate=per_second(50))
write("A3", "Change the settings", updates(Directory), rate=per_day(1))
all_accounts = read(
    "A4", "List the accounts with addresses", User.by_name, items=50, hydrate=True, rate=per_day(20)
)
change_role = write(
    "A5",
    "Change a role, while there is another administrator",
    updates(User, User.role, User.updated_at, User.revision),
    checks(User),
    rate=per_day(5),
)

write("A17", "Change the case of a username", puts(User), rate=per_day(1))


# ------------------------------------------------------------------------------ rename and delete

start_cascade = write(
    "A7",
    "Rename or delete a person",
    puts(User),
    creates(User),
    checks(User),
    creates(Cascade),
    puts(FormerUsername),
    rate=per_day(10),
)
cascades = read(
    "A8", "Unfinished cascades", Cascade.key.partition, consistent=True, items=1, rate=per_day(50)
)
cascade = read("A9", "Get a rename or deletion", Cascade.key, consistent=True, rate=per_day(50))
endorsements_given = read(
    "A10", "Endorsements given", Endorsement.by_endorser, items=10, hydrate=False, rate=per_day(20)
)
move_user_skill = write(
    "A12",
    "Move or delete a skill of someone who was renamed or deleted",
    checks(User),
    deletes(UserSkill),
    creates(UserSkill),
    checks(UserSkill),
    deletes(Endorsement),
    puts(Endorsement),
    _COUNT_PEOPLE,
    rate=per_day(60),
)
move_endorsement = write(
    "A13",
    "Move or delete an endorsement given by someone who was renamed or deleted",
    checks(User),
    deletes(Endorsement),
    creates(Endorsement),
    _COUNT_ENDORSEMENTS,
    rate=per_day(100),
)
move_member = write(
    "A14", "Rename or remove a member of a team", checks(User), updates(Team), rate=per_day(20)
)
forget_ratings = write(
    "A20", "Delete the ratings of a deleted person", checks(User), deletes(Rating), rate=per_day(10)
)
move_entry = write(
    "A15",
    "Move or delete an entry of someone who was renamed or deleted",
    checks(User),
    *(
        access(entity)
        for entity in (Certification, Experience, Education, Project)
        for access in (deletes, creates)
    ),
    rate=per_day(60),
)
finish_cascade = write(
    "A16", "Finish a rename or deletion", deletes(User), deletes(Cascade), rate=per_day(10)
)

# ------------------------------------------------------------------------------ the catalog

alias = read("S1", "Find the skill of a spelling", SkillAlias.key, rate=per_second(50))
skill = read("S2", "Get a skill", Skill.key, rate=per_second(100))
skill_names = read(
    "S3", "List all skills", Skill.listed, items=60, hydrate=False, rate=per_second(10)
)
skill_count = read("S4", "How many people have a skill", SkillCount.key, rate=per_second(50))
create_skill = write(
    "S5", "Create a skill and its aliases", creates(Skill), creates(SkillAlias), rate=per_day(5)
)
all_skills = read(
    "S6", "All skills with descriptions", Skill.listed, items=60, hydrate=True, rate=per_day(500)
)
edit_skill = write(
    "S7",
    "Edit a skill and its aliases, and start to rename it",
    updates(Skill),
    creates(SkillAlias),
    deletes(SkillAlias),
    creates(SkillChange),
    rate=per_day(5),
)
delete_skill = write(
    "S8",
    "Delete a skill, also from jobs",
    deletes(Skill),
    deletes(SkillCount),
    deletes(SkillAlias),
    updates(JobRole),
    rate=per_day(1),
)
start_count = write(
    "S9", "Start to count, to check that it is zero", upserts(SkillCount), rate=per_day(2)
)
unfinished_changes = read(
    "S10", "Renames and merges to resume", SkillChange.unfinished, items=1, rate=per_day(150)
)
copy_name = write(
    "S11",
    "Copy a new name to a skill of a person",
    checks(Skill),
    updates(UserSkill, UserSkill.skill_name, UserSkill.updated_at, UserSkill.revision),
    rate=per_day(500),
)
write("S16", "Move a skill to another category", updates(Skill), rate=per_day(1))
finish_rename = write(
    "S12", "Finish a rename", updates(Skill), deletes(SkillChange), rate=per_day(5)
)
start_merge = write(
    "S13", "Start to merge two skills", updates(Skill), creates(SkillChange), rate=per_day(1)
)
move_skill = write(
    "S14",
    "Move a skill of a person, with endorsements",
    checks(User),
    creates(UserSkill),
    puts(UserSkill),
    _COUNT_ENDORSEMENTS,
    deletes(UserSkill),
    creates(Endorsement),
    deletes(Endorsement),
    _COUNT_PEOPLE,
    rate=per_day(500),
)
finish_merge = write(
    "S15",
    "Finish a merge",
    deletes(Skill),
    deletes(SkillCount),
    puts(SkillAlias),
    updates(Skill),
    deletes(SkillChange),
    rate=per_day(1),
)

# ------------------------------------------------------------------------------ jobs

all_roles = read(
    "R1", "List all jobs with targets", JobRole.listed, items=50, hydrate=True, rate=per_second(1)
)
create_role = write("R2", "Create a job", checks(Skill), creates(JobRole), rate=per_day(1))
edit_role = write(
    "R3", "Edit a job and its targets", checks(Skill), updates(JobRole), rate=per_day(5)
)
write("R4", "Delete a job", deletes(JobRole), rate=per_day(1))

# ------------------------------------------------------------------------------ matrix and gaps

job = read("G1", "Get a job with its targets", JobRole.key, rate=per_second(5))
read("G2", "List all jobs", JobRole.listed, items=50, hydrate=False, rate=per_second(5))
team = read("G3", "Get a team", Team.key, rate=per_second(2))

# ------------------------------------------------------------------------------ search

candidate_skill = read(
    "Q1", "Skills of the candidates of a search", UserSkill.key, items=50, rate=per_second(5)
)
found_person = read(
    "Q2", "Profiles of the people of a search", User.key, items=20, rate=per_second(10)
)

# ------------------------------------------------------------------------------ entries

create_entry: dict[type, WritePattern] = {}
_ENTRIES: tuple[tuple[str, str, Any, str, str, int, int], ...] = (
    ("P1 P3 P4 P5", "P2", Certification, "a certification", "Certifications", 2, 100),
    ("P6 P8 P9 P10", "P7", Experience, "an experience", "Experience", 3, 200),
    ("P11 P13 P14 P15", "P12", Education, "an education", "Education", 2, 50),
    ("P16 P19 P20 P21", "P17", Project, "a project", "Projects", 2, 300),
)
for _codes, _list, _entity, _one, _many, _items, _daily in _ENTRIES:
    _entry: CrudPatterns[Any, Any] = patterns.crud(
        _codes, _one, _entity.key, checks(User), reads=per_minute(10), writes=per_day(_daily)
    )
    create_entry[_entity] = _entry.create
    read(_list, f"{_many} of a user", _entity.key.partition, items=_items, rate=per_second(10))


@read_function("P18", items=20, rate=per_second(5))
def projects_with_status(status: ProjectStatus) -> Selection[Project]:
    """List the projects of all users with a status."""
    return Project.listed().eq(status)


entries_of_user = read(
    "P22",
    "Get all entries of a user",
    User.key.partition,
    collection=Entries,
    items=8,
    scanned=14,
    rate=per_second(50),
)

# ------------------------------------------------------------------------------ teams

patterns.crud(
    "T1 T3 T4 T5", "a team", Team.key, consistent=True, reads=per_day(500), writes=per_day(10)
)
teams = read("T2", "List all teams", Team.listed, items=20, rate=per_second(1))

# ------------------------------------------------------------------------------ rounds and requests

rounds = read("N1", "List rating rounds", Round.key.partition, items=4, rate=per_second(5))
round_by_id = read("N2", "Get a round", Round.key, consistent=True, rate=per_minute(10))
write("N3", "Open a rating round", creates(Round), rate=per_day(0.1))
write("N4", "Close a rating round", updates(Round, Round.closed_at), rate=per_day(0.1))
round_answer = read(
    "N5", "Whether people have finished", RoundAnswer.key, consistent=True, rate=per_second(5)
)
write("N6", "Finish the ratings of a person", puts(RoundAnswer), rate=per_day(200))
requests = read(
    "N7", "What is asked of someone", Request.key.partition, items=2, rate=per_second(5)
)
write("N8", "Ask for something", puts(Request), rate=per_day(50))
answer = write("N9", "Answer a request", deletes(Request), rate=per_day(50))

# ------------------------------------------------------------------------------ imports

imports = read("I1", "List imports", Import.key.partition, items=20, rate=per_day(2))
read("I2", "Get an import", Import.key, consistent=True, rate=per_day(10))
import_parts = read(
    "I3", "Rows of an import", ImportPart.key.partition, consistent=True, items=1, rate=per_day(5)
)
read(
    "I4",
    "Read what an import has changed",
    ImportedPerson.key.partition,
    consistent=True,
    items=200,
    rate=per_day(1),
)
write("I5", "Store the rows of an import", puts(ImportPart), rate=per_day(1))
write("I6", "Create an import", creates(Import), rate=per_day(1))
edit_import = write(
    "I7", "Choose columns and skills, apply or undo an import", updates(Import), rate=per_day(3)
)
import_skill = write(
    "I8",
    "Create a skill that an import needs",
    creates(Skill),
    creates(SkillAlias),
    updates(Import),
    rate=per_day(1),
)
import_person = write(
    "I9",
    "Import a person with skills",
    creates(ImportedPerson),
    checks(Import),
    creates(User),
    checks(User),
    checks(Skill),
    creates(UserSkill),
    _RATE,
    puts(Rating),
    _COUNT_PEOPLE,
    rate=per_day(100),
)
undo_import = write(
    "I10",
    "Undo the import of a person",
    deletes(UserSkill),
    _RATE,
    deletes(Rating),
    _COUNT_PEOPLE,
    updates(ImportedPerson, ImportedPerson.is_undone, ImportedPerson.kept),
    rate=per_day(5),
)
remove_imported = write(
    "I11", "Remove a person whom an import has created", deletes(User), rate=per_day(5)
)

patterns.check()
