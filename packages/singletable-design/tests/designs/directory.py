"""A directory of skills with a declared load, for commands that plan."""

from __future__ import annotations

from singletable import (
    Attr,
    Entity,
    Index,
    Key,
    PatternCatalog,
    Table,
    attr,
    creates,
    per_second,
    zipf,
)

gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
directory = Table("directory", indexes=[gsi1])


class User(Entity, table=directory):
    username: Attr[str] = attr()
    key = Key(pk=("USER", username), sk="PROFILE")


class UserSkill(Entity, table=directory):
    username: Attr[str] = attr()
    skill: Attr[str] = attr()
    key = Key(pk=("USER", username), sk=("SKILL", skill))
    by_skill = Key(pk=("SKILL", skill), sk=("USER", username)).on(gsi1)


patterns = PatternCatalog(
    "directory",
    directory,
    counts={User: 1_000},
    values=[zipf(UserSkill.skill, 20, 1.1)],
)
user = patterns.read("U1", "A user", User.key, rate=per_second(20, by_hour="office"))
add = patterns.write("S1", "Add a skill", creates(UserSkill), rate=per_second(10))
find = patterns.read("S2", "Users with a skill", UserSkill.by_skill, items=50, rate=per_second(10))
rare = patterns.read("S3", "Skills of a user", UserSkill.key.partition)
