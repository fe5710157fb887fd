"""Skills: the table `glad-entities`, with an index on four attributes."""

from __future__ import annotations

from datetime import UTC, date, datetime

from singletable.operations import Query
from singletable.schema import (
    Attr,
    Collection,
    Entity,
    Index,
    Key,
    Number,
    Table,
    TimeFormat,
    attr,
)
from singletable_apps.tour.design import Design, Step

gsi1 = Index(
    "GSI1", pk="GSI1PK", sk="GSI1SK", projection=["Username", "SkillName", "ProficiencyLevel"]
)
gsi2 = Index(
    "GSI2",
    pk=("SkillName", "ProficiencyLevel"),
    sk=(Number("YearsOfExperience"), "LastUsedDate"),
)
glad_entities = Table("glad-entities", indexes=[gsi1, gsi2])


class User(Entity, table=glad_entities, type_tag=("EntityType", "User")):
    """A person."""

    username: Attr[str] = attr(name="Username")
    name: Attr[str] = attr(name="Name")
    created_at: Attr[datetime] = attr(name="CreatedAt", time_format=TimeFormat.SECONDS)
    key = Key(pk=("USER", username), sk="PROFILE")


class UserSkill(Entity, table=glad_entities, type_tag=("EntityType", "UserSkill")):
    """A skill of a person."""

    username: Attr[str] = attr(name="Username")
    skill: Attr[str] = attr(name="SkillName")
    level: Attr[str] = attr(name="ProficiencyLevel")
    years: Attr[int] = attr(name="YearsOfExperience")
    endorsements: Attr[int] = attr(name="Endorsements", default=0)
    last_used: Attr[date] = attr(name="LastUsedDate")
    key = Key(pk=("USER", username), sk=("SKILL", skill))
    by_skill = Key(pk=("SKILL", skill), sk=("LEVEL", level, "USER", username)).on(gsi1)
    by_experience = Key(pk=(skill, level), sk=(years, last_used)).on(gsi2)


class Profile(Collection):
    """A person with all skills."""

    user: User
    skills: list[UserSkill]


def _user(username: str, name: str) -> User:
    return User(username=username, name=name, created_at=datetime(2025, 12, 7, tzinfo=UTC))


def _items(now: datetime) -> list[object]:
    skills = (
        ("john", "golang", "Advanced", 6, date(2025, 11, 2)),
        ("john", "Python", "Expert", 9, date(2025, 10, 20)),
        ("mary", "Python", "Expert", 12, date(2023, 5, 1)),
        ("mary", "Rust", "Beginner", 1, date(2025, 9, 13)),
        ("wei", "Python", "Expert", 4, date(2025, 12, 1)),
        ("wei", "golang", "Expert", 8, date(2025, 8, 30)),
    )
    return [
        _user("john", "John Doe"),
        _user("mary", "Mary Major"),
        _user("wei", "Wei Chen"),
        *(
            UserSkill(username=username, skill=skill, level=level, years=years, last_used=last)
            for username, skill, level, years, last in skills
        ),
    ]


_EXPERTS = Step(
    title="AP12 Find expert users for skill",
    document='Query GSI1(GSI1PK="SKILL#golang", GSI1SK begins_with "LEVEL#Expert#")',
    call=lambda session: [
        *session.store.select(
            UserSkill.by_skill("golang").eq("Expert"), UserSkill.username, UserSkill.level
        )
    ],
    columns=("username", "level"),
)

SKILLS = Design(
    title="Skills",
    description="A directory of people and their skills. GSI1 finds experts by a composed key; "
    "GSI2 has a multi-attribute key of two partition and two sort attributes.",
    tables=(glad_entities,),
    items=_items,
    steps=(
        Step(
            title="AP2 Create new user (register)",
            document="PutItem with ConditionExpression",
            call=lambda session: session.store.create(_user("ada", "Ada Lovelace")),
        ),
        Step(
            title="AP2 again: the name is taken",
            document="PutItem with ConditionExpression on PK+SK",
            call=lambda session: session.store.create(_user("ada", "Ada Lovelace")),
            rejected=True,
        ),
        Step(
            title="AP4 Check if user exists",
            document="GetItem with ProjectionExpression",
            call=lambda session: [*session.store.select(User.key.partition("john"), User.username)],
            columns=("username",),
        ),
        Step(
            title="AP13 Get user with all skills",
            document='Query(PK="USER#john")',
            call=lambda session: session.store.collect(Profile, User.key.partition("john")),
            columns=("name", "skill", "level"),
        ),
        _EXPERTS,
        Step(
            title="AP9 Update skill proficiency",
            document="UpdateItem(PK, SK, attributes)",
            call=lambda session: session.store.update(
                UserSkill.key("john", "golang"), UserSkill.level.set("Expert"), returning="old"
            ),
            columns=("skill", "level"),
            note="The result has the old values. The skill moves in both indexes: it is deleted "
            "under the old key and put under the new one, two writes each.",
        ),
        Step(
            title="AP12 once more",
            document=_EXPERTS.document,
            call=_EXPERTS.call,
            columns=_EXPERTS.columns,
        ),
        Step(
            title="GSI2 Multi-dimensional Skill Queries",
            document='PK1 = "Python" AND PK2 = "Expert" AND SK1 >= 5 AND SK2 >= "2024-01-01"',
            call=lambda session: session.send(
                Query(
                    glad_entities.name,
                    gsi2.name,
                    key_condition_expression="SkillName = :skill AND ProficiencyLevel = :level AND "
                    "YearsOfExperience >= :years AND LastUsedDate >= :since",
                    expression_attribute_values={
                        ":skill": {"S": "Python"},
                        ":level": {"S": "Expert"},
                        ":years": {"N": "5"},
                        ":since": {"S": "2024-01-01"},
                    },
                )
            ),
            note='The document itself gives the reason elsewhere: "range only on last SK".',
            rejected=True,
        ),
        Step(
            title="GSI2, within its limits",
            document='Skill="Python" AND Level="Expert" AND YearsExp>=5',
            call=lambda session: [
                *session.store.query(UserSkill.by_experience("Python", "Expert").ge(5))
            ],
            columns=("username", "years", "last_used"),
            note="The key has four attributes, and none is composed: numbers sort as numbers.",
        ),
    ),
)
