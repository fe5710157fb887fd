# glad_entities.py
from typing import Literal

from singletable import (
    Attr,
    Collection,
    Entity,
    Index,
    Key,
    PatternCatalog,
    Selection,
    Table,
    attr,
    creates,
    deletes,
    per_second,
    puts,
    updates,
    zipf,
)

gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection=["SkillName", "ProficiencyLevel"])
entities = Table("glad-entities", indexes=[gsi1])


class User(Entity, table=entities):
    username: Attr[str] = attr(name="Username")
    name: Attr[str] = attr(name="Name")
    password_hash: Attr[str] = attr(name="PasswordHash")

    key = Key(pk=("USER", username), sk="PROFILE")


class UserSkill(Entity, table=entities):
    username: Attr[str] = attr(name="Username")
    skill: Attr[str] = attr(name="SkillName")
    level: Attr[Literal["Beginner", "Intermediate", "Advanced", "Expert"]] = attr(
        name="ProficiencyLevel"
    )
    notes: Attr[str] = attr(name="Notes", default="")

    key = Key(pk=("USER", username), sk=("SKILL", skill))
    by_skill = Key(pk=("SKILL", skill), sk=("LEVEL", level, "USER", username)).on(gsi1)


class Profile(Collection):
    user: User
    skills: list[UserSkill]


patterns = PatternCatalog(
    "glad-entities",
    entities,
    sizes={User: 1_024, UserSkill: 512},
    counts={User: 10_000, UserSkill: 50_000},
    values=[zipf(UserSkill.skill, 200)],
)

login = patterns.read("AP1", "Get user by username (login)", User.key, rate=per_second(900))
register = patterns.write("AP2", "Create new user", creates(User), rate=per_second(50))
edit = patterns.write("AP3", "Update user profile", updates(User, User.name), rate=per_second(50))
exists = patterns.read("AP4", "Check if user exists", User.key, rate=per_second(100))
everything = patterns.scan("AP5", "List all users", User, reason="no key lists all users")

skills_of = patterns.read(
    "AP6", "All skills of a user", UserSkill.key.partition, items=5, rate=per_second(100)
)
skill = patterns.read("AP7", "A skill of a user", UserSkill.key, rate=per_second(50))
add = patterns.write("AP8", "Add a skill", creates(UserSkill), rate=per_second(25))
replace = patterns.write("AP9", "Update a skill", puts(UserSkill), rate=per_second(20))
remove = patterns.write("AP10", "Remove a skill", deletes(UserSkill), rate=per_second(5))
with_skill = patterns.read(
    "AP11", "Users with a skill", UserSkill.by_skill, items=10, hydrate=False, rate=per_second(80)
)


@patterns.read_function("AP12", items=10, hydrate=False, rate=per_second(20))
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
