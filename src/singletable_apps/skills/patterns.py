"""Every access pattern of the skills directory: AP1 to AP13 of the document, then the additions."""

from __future__ import annotations

from singletable import (
    ItemCount,
    PatternCatalog,
    Selection,
    checks,
    creates,
    deletes,
    per_day,
    per_second,
    updates,
    upserts,
    zipf,
)
from singletable_apps.skills.entities import (
    Directory,
    Endorsement,
    JobRole,
    Level,
    Profile,
    Skill,
    SkillAlias,
    SkillCount,
    Team,
    User,
    UserSkill,
    entities,
)

# The document's figures: 1 KB a user, 0.5 KB a skill, 10,000 users with five skills each.
SIZES = {
    User: 1_024,
    UserSkill: 512,
    Endorsement: 200,
    Skill: 600,
    SkillAlias: 100,
    SkillCount: 150,
    JobRole: 1_500,
    Team: 1_000,
    Directory: 100,
}
COUNTS: dict[type, int | ItemCount] = {
    User: ItemCount(10_000, growth=0.02),
    UserSkill: ItemCount(50_000, growth=0.02),
    Endorsement: ItemCount(100_000, growth=0.02),
    Skill: 200,
    SkillAlias: 600,
    SkillCount: 200,
    JobRole: 50,
    Team: 500,
    Directory: 1,
}
# A few skills are known by many.
VALUES = [zipf(UserSkill.skill_id, 200, 1.0), zipf(SkillCount.skill_id, 200, 1.0)]
patterns = PatternCatalog("skills", entities, sizes=SIZES, counts=COUNTS, values=VALUES)

# ------------------------------------------------------------------------------ users

user_by_name = patterns.read(
    "AP1", "Get user by username (login)", User.key, consistent=True, rate=per_second(500)
)
create_user = patterns.write(
    "AP2", "Create new user (register)", creates(User), creates(Directory), rate=per_second(50)
)
edit_user = patterns.write(
    "AP3",
    "Update user profile",
    updates(
        User,
        User.name,
        User.password_hash,
        User.credentials,
        User.role,
        User.email,
        User.title,
        User.department,
        User.location,
        User.about,
        User.job_role,
        User.updated_at,
        User.revision,
    ),
    rate=per_second(10),
)
user_exists = patterns.read("AP4", "Check if user exists", User.key, rate=per_second(100))
all_users = patterns.read(
    "AP5", "List all users", User.by_name, items=50, hydrate=False, rate=per_second(1)
)

# ------------------------------------------------------------------------------ skills of users


@patterns.read_function("AP6", items=5, rate=per_second(100))
def skills_of_user(username: str) -> Selection[UserSkill]:
    """Get all skills for a user."""
    return UserSkill.key.partition(username)


user_skill = patterns.read("AP7", "Get specific skill for user", UserSkill.key, rate=per_second(50))
add_user_skill = patterns.write(
    "AP8",
    "Add skill to user",
    checks(User),
    checks(Skill),
    creates(UserSkill),
    upserts(
        SkillCount,
        SkillCount.beginner,
        SkillCount.intermediate,
        SkillCount.advanced,
        SkillCount.expert,
    ),
    rate=per_second(25),
)
edit_user_skill = patterns.write(
    "AP9",
    "Update skill proficiency",
    updates(
        UserSkill,
        UserSkill.level,
        UserSkill.years,
        UserSkill.last_used,
        UserSkill.notes,
        UserSkill.source,
        UserSkill.rated_by,
        UserSkill.updated_at,
        UserSkill.revision,
    ),
    upserts(
        SkillCount,
        SkillCount.beginner,
        SkillCount.intermediate,
        SkillCount.advanced,
        SkillCount.expert,
    ),
    rate=per_second(20),
)
remove_user_skill = patterns.write(
    "AP10",
    "Remove skill from user",
    deletes(UserSkill),
    deletes(Endorsement),
    upserts(
        SkillCount,
        SkillCount.beginner,
        SkillCount.intermediate,
        SkillCount.advanced,
        SkillCount.expert,
    ),
    rate=per_second(5),
)
users_with_skill = patterns.read(
    "AP11", "Find users by skill name", UserSkill.by_skill, items=50, rate=per_second(80)
)


@patterns.read_function("AP12", items=10, rate=per_second(20))
def users_at_exact_level(skill_id: str, level: Level) -> Selection[UserSkill]:
    """Find expert users for skill, or users at any other level."""
    return UserSkill.by_skill(skill_id).eq(level)


@patterns.read_function("U1", items=20, rate=per_second(20))
def users_at_level(skill_id: str, level: Level) -> Selection[UserSkill]:
    """Find users with a skill at a level or a higher one."""
    return UserSkill.by_skill(skill_id).ge(level)


user_with_skills = patterns.read(
    "AP13",
    "Get user with all skills",
    User.key.partition,
    collection=Profile,
    items=6,
    rate=per_second(50),
)


@patterns.read_function("GSI2", items=20, rate=per_second(10))
def users_with_years(skill_name: str, level: Level, years: int) -> Selection[UserSkill]:
    """Find users with a skill at a level, with some years of experience."""
    return UserSkill.by_experience(skill_name, level).ge(years)


# ------------------------------------------------------------------------------ endorsements

_COUNTED = updates(UserSkill, UserSkill.endorsements, UserSkill.updated_at, UserSkill.revision)
endorse = patterns.write(
    "E1",
    "Endorse a skill of someone",
    checks(User),
    creates(Endorsement),
    _COUNTED,
    rate=per_second(5),
)
withdraw_endorsement = patterns.write(
    "E2", "Withdraw an endorsement", deletes(Endorsement), _COUNTED, rate=per_second(1)
)
endorsers = patterns.read(
    "E3",
    "List who endorsed a skill of someone",
    Endorsement.key.partition,
    items=2,
    rate=per_second(5),
)
endorsement = patterns.read(
    "E4", "Whether someone endorsed a skill", Endorsement.key, consistent=True, rate=per_second(50)
)
remove_endorsements = patterns.write(
    "E5",
    "Remove endorsements before the skill, if there are too many for one transaction",
    deletes(Endorsement),
    _COUNTED,
    rate=per_day(5),
)

# ------------------------------------------------------------------------------ accounts

user_by_id = patterns.read("A1", "User of a session", User.one_id, rate=per_second(200))
directory = patterns.read(
    "A2", "Get the settings", Directory.key, consistent=True, rate=per_second(50)
)

# ------------------------------------------------------------------------------ the catalog

alias = patterns.read("S1", "Find the skill of a spelling", SkillAlias.key, rate=per_second(50))
skill = patterns.read("S2", "Get a skill", Skill.key, rate=per_second(100))
skill_names = patterns.read(
    "S3", "List all skills", Skill.listed, items=60, hydrate=False, rate=per_second(10)
)
skill_counts = patterns.read(
    "S4", "How many people have a skill", SkillCount.key, rate=per_second(50)
)
create_skill = patterns.write(
    "S5", "Create a skill and its aliases", creates(Skill), creates(SkillAlias), rate=per_day(5)
)

# ------------------------------------------------------------------------------ matrix and gaps


@patterns.read_function("G1", items=10, hydrate=False, rate=per_second(1))
def people_by_prefix(prefix: str) -> Selection[User]:
    """Find people by the beginning of their names."""
    return User.by_name().begins_with(prefix)


job = patterns.read("G2", "Get a job with its targets", JobRole.key, rate=per_second(5))
job_names = patterns.read(
    "G3", "List all jobs", JobRole.listed, items=50, hydrate=False, rate=per_second(5)
)
team = patterns.read("G4", "Get a team", Team.key, rate=per_second(2))

# ------------------------------------------------------------------------------ search

candidate_skill = patterns.read(
    "Q1", "Skills of the candidates of a search", UserSkill.key, items=50, rate=per_second(5)
)
found_person = patterns.read(
    "Q2", "Profiles of the people of a search", User.key, items=20, rate=per_second(10)
)

patterns.check()
