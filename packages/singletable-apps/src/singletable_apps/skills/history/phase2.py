"""Phase 2: skills of users, and GSI1 to find users by skill and to list all of them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from singletable import Attr, Entity, Key, Table, attr, casefold, created, pascal_case, updated
from singletable_apps.skills.entities import gsi1

Level = Literal["Beginner", "Intermediate", "Advanced", "Expert"]

entities = Table("glad-entities", indexes=[gsi1], ttl="ExpiresAt", attribute_names=pascal_case)


class User(Entity, table=entities, type_tag=("EntityType", "User")):
    """A person with an account, now in the list of all users (AP5)."""

    username: Attr[str] = attr()
    name: Attr[str] = attr()
    password_hash: Attr[str] = attr(hidden=True)
    created_at: Attr[datetime] = created()
    updated_at: Attr[datetime] = updated()

    key = Key(pk=("USER", casefold(username)), sk="PROFILE")
    by_name = Key(pk="USERS", sk=("USER", casefold(name), casefold(username))).on(gsi1)


class UserSkill(Entity, table=entities, type_tag=("EntityType", "UserSkill")):
    """A skill of a user, by its name. In GSI1, levels sort alphabetically."""

    username: Attr[str] = attr()
    skill: Attr[str] = attr(name="SkillName")
    level: Attr[Level] = attr(name="ProficiencyLevel")
    years: Attr[int] = attr(name="YearsOfExperience", default=0)
    endorsements: Attr[int] = attr(default=0)
    last_used: Attr[date] = attr(name="LastUsedDate")
    created_at: Attr[datetime] = created()
    updated_at: Attr[datetime] = updated()

    key = Key(pk=("USER", casefold(username)), sk=("SKILL", casefold(skill)))
    by_skill = Key(
        pk=("SKILL", casefold(skill)), sk=("LEVEL", level, "USER", casefold(username))
    ).on(gsi1)
