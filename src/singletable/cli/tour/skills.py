"""Skills: `glad-entities`, with an index on four attributes."""

from __future__ import annotations

from singletable.cli.tour.chapter import Chapter, Fill, Walk, ask
from singletable.cli.tour.declare import index, key, table
from singletable.cli.tour.plain import PlainItem, to_item
from singletable.operations import GetItem, PutItem, Query, UpdateItem

ENTITIES = "glad-entities"


def fill(now: int) -> Fill:
    """Three users and what they can do."""
    return {
        ENTITIES: [
            user("john", "John Doe"),
            user("mary", "Mary Major"),
            user("wei", "Wei Chen"),
            skill("john", "golang", "Advanced", 6, "2025-11-02"),
            skill("john", "Python", "Expert", 9, "2025-10-20"),
            skill("mary", "Python", "Expert", 12, "2023-05-01"),
            skill("mary", "Rust", "Beginner", 1, "2025-09-13"),
            skill("wei", "Python", "Expert", 4, "2025-12-01"),
            skill("wei", "golang", "Expert", 8, "2025-08-30"),
        ]
    }


def user(username: str, name: str) -> PlainItem:
    """A user's profile."""
    return {
        "PK": f"USER#{username}",
        "SK": "PROFILE",
        "EntityType": "User",
        "Username": username,
        "Name": name,
        "CreatedAt": "2025-12-07T00:00:00Z",
    }


def skill(username: str, name: str, level: str, years: int, used: str) -> PlainItem:
    """A skill of a user, with the keys by which it is found."""
    return {
        "PK": f"USER#{username}",
        "SK": f"SKILL#{name}",
        "EntityType": "UserSkill",
        "Username": username,
        "SkillName": name,
        "ProficiencyLevel": level,
        "YearsOfExperience": years,
        "Endorsements": 0,
        "LastUsedDate": used,
        "GSI1PK": f"SKILL#{name}",
        "GSI1SK": f"LEVEL#{level}#USER#{username}",
    }


def walk(now: int) -> Walk[None]:
    """Register, look around, find experts in two ways, become one."""
    register = PutItem(
        ENTITIES,
        to_item(user("ada", "Ada Lovelace")),
        condition_expression="attribute_not_exists(PK) AND attribute_not_exists(SK)",
    )
    yield from ask("AP2 Create new user (register)", "PutItem with ConditionExpression", register)
    yield from ask(
        "AP2 again: the name is taken",
        "PutItem with ConditionExpression on PK+SK",
        register,
        refused=True,
    )
    yield from ask(
        "AP4 Check if user exists",
        "GetItem with ProjectionExpression",
        GetItem(ENTITIES, key("USER#john", "PROFILE"), projection_expression="Username"),
        columns=("Username",),
    )
    yield from ask(
        "AP13 Get user with all skills",
        'Query(PK="USER#john")',
        Query(
            ENTITIES,
            key_condition_expression="PK = :user",
            expression_attribute_values=to_item({":user": "USER#john"}),
        ),
        columns=("SK", "Name", "ProficiencyLevel"),
    )
    experts = Query(
        ENTITIES,
        "GSI1",
        key_condition_expression="GSI1PK = :skill AND begins_with(GSI1SK, :level)",
        expression_attribute_values=to_item({":skill": "SKILL#golang", ":level": "LEVEL#Expert#"}),
    )
    notation = 'Query GSI1(GSI1PK="SKILL#golang", GSI1SK begins_with "LEVEL#Expert#")'
    yield from ask(
        "AP12 Find expert users for skill",
        notation,
        experts,
        columns=("Username", "ProficiencyLevel"),
    )
    yield from ask(
        "AP9 Update skill proficiency",
        "UpdateItem(PK, SK, attributes)",
        UpdateItem(
            ENTITIES,
            key("USER#john", "SKILL#golang"),
            update_expression="SET ProficiencyLevel = :level, GSI1SK = :sort",
            expression_attribute_values=to_item(
                {":level": "Expert", ":sort": "LEVEL#Expert#USER#john"}
            ),
            return_values="UPDATED_OLD",
        ),
        columns=("ProficiencyLevel", "GSI1SK"),
        remark="Back come the values before. The skill moves in both indexes: out at the old key, "
        "in at the new one, two writes each.",
    )
    yield from ask("AP12 once more", notation, experts, columns=("Username", "ProficiencyLevel"))
    yield from ask(
        "GSI2 Multi-dimensional Skill Queries",
        'PK1 = "Python" AND PK2 = "Expert" AND SK1 >= 5 AND SK2 >= "2024-01-01"',
        _experts(
            "YearsOfExperience >= :years AND LastUsedDate >= :since", {":since": "2024-01-01"}
        ),
        remark='The document itself says why, further up: "range only on last SK".',
        refused=True,
    )
    yield from ask(
        "GSI2, as its limitation allows",
        'Skill="Python" AND Level="Expert" AND YearsExp>=5',
        _experts("YearsOfExperience >= :years", {}),
        columns=("Username", "YearsOfExperience", "LastUsedDate"),
        remark="Four attributes are the key, none joined to another: numbers sort as numbers.",
    )


def _experts(condition: str, values: PlainItem) -> Query:
    return Query(
        ENTITIES,
        "GSI2",
        key_condition_expression="SkillName = :skill AND ProficiencyLevel = :level AND "
        + condition,
        expression_attribute_values=to_item(
            {":skill": "Python", ":level": "Expert", ":years": 5, **values}
        ),
    )


SKILLS = Chapter(
    title="Skills",
    about="A directory of people and what they can do. GSI1 finds experts by a composed key; GSI2 "
    "has a multi-attribute key of two partition and two sort attributes.",
    tables=(
        table(
            ENTITIES,
            index(
                "GSI1",
                ["GSI1PK"],
                ["GSI1SK"],
                include=["Username", "SkillName", "ProficiencyLevel"],
            ),
            index(
                "GSI2",
                ["SkillName", "ProficiencyLevel"],
                ["YearsOfExperience", "LastUsedDate"],
            ),
            numbers=["YearsOfExperience"],
        ),
    ),
    fill=fill,
    walk=walk,
)
