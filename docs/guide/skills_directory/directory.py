# directory.py
from datetime import date, datetime
from typing import Literal

from singletable import Attr, Collection, Entity, Index, Key, Number, Table, attr, created, updated

gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
gsi2 = Index(
    "GSI2",
    pk=("SkillName", "ProficiencyLevel"),
    sk=(Number("YearsOfExperience"), "LastUsedDate"),
)
entities = Table("glad-entities", indexes=[gsi1, gsi2])

Level = Literal["Beginner", "Intermediate", "Advanced", "Expert"]


class User(Entity, table=entities, type_tag=("EntityType", "User")):
    username: Attr[str] = attr(name="Username")
    name: Attr[str] = attr(name="Name")
    password_hash: Attr[str] = attr(name="PasswordHash")
    created_at: Attr[datetime] = created(name="CreatedAt")
    updated_at: Attr[datetime] = updated(name="UpdatedAt")
    key = Key(pk=("USER", username), sk="PROFILE")


class UserSkill(Entity, table=entities, type_tag=("EntityType", "UserSkill")):
    username: Attr[str] = attr(name="Username")
    skill: Attr[str] = attr(name="SkillName")
    level: Attr[Level] = attr(name="ProficiencyLevel")
    years: Attr[int] = attr(name="YearsOfExperience")
    endorsements: Attr[int] = attr(name="Endorsements", default=0)
    last_used: Attr[date] = attr(name="LastUsedDate")
    created_at: Attr[datetime] = created(name="CreatedAt")
    updated_at: Attr[datetime] = updated(name="UpdatedAt")
    key = Key(pk=("USER", username), sk=("SKILL", skill))
    by_skill = Key(pk=("SKILL", skill), sk=("LEVEL", level, "USER", username)).on(gsi1)
    by_experience = Key(pk=(skill, level), sk=(years, last_used)).on(gsi2)


class Profile(Collection):
    user: User
    skills: list[UserSkill]
