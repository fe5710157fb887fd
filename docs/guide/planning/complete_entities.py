# complete_entities.py
from glad_entities import Profile, User, UserSkill, entities

from singletable import (
    PatternCatalog,
    Selection,
    creates,
    deletes,
    per_second,
    updates,
    zipf,
)

patterns = PatternCatalog(
    "complete",
    entities,
    sizes={User: 1_024, UserSkill: 512},
    counts={User: 10_000, UserSkill: 50_000},
    values=[zipf(UserSkill.skill, 200)],
)

# A login must not accept yesterday's password.
login = patterns.read(
    "AP1", "Get user by username (login)", User.key, consistent=True, rate=per_second(900)
)
register = patterns.write("AP2", "Create new user", creates(User), rate=per_second(50))
# A conditional write that fails is charged, too.
taken = patterns.write("AP2b", "Register a taken name", creates(User), rate=per_second(5))
edit = patterns.write("AP3", "Update user profile", updates(User, User.name), rate=per_second(50))
exists = patterns.read("AP4", "Check if user exists", User.key, rate=per_second(100))
everything = patterns.scan(
    "AP5", "List all users", User, reason="no key lists all users", rate=per_second(1)
)

skills_of = patterns.read(
    "AP6", "All skills of a user", UserSkill.key.partition, items=5, rate=per_second(100)
)
skill = patterns.read("AP7", "A skill of a user", UserSkill.key, rate=per_second(50))
add = patterns.write("AP8", "Add a skill", creates(UserSkill), rate=per_second(25))
# The level is in the sort key of GSI1, so its entry is deleted and written again.
replace = patterns.write(
    "AP9", "Update a skill", updates(UserSkill, UserSkill.level), rate=per_second(20)
)
remove = patterns.write("AP10", "Remove a skill", deletes(UserSkill), rate=per_second(5))
# 50,000 skills of 200 names are 250 entries for each name.
with_skill = patterns.read(
    "AP11", "Users with a skill", UserSkill.by_skill, items=250, hydrate=False, rate=per_second(80)
)


@patterns.read_function("AP12", items=60, hydrate=False, rate=per_second(20))
def experts(skill: str) -> Selection[UserSkill]:
    """Experts in a skill."""
    return UserSkill.by_skill(skill).eq("Expert")


profile = patterns.read(
    "AP13",
    "A user with all skills",
    User.key.partition,
    collection=Profile,
    items=6,
    rate=per_second(50),
)
