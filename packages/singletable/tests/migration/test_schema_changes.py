"""Every change of a declaration is classified by what it needs, with the steps that make it."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable import Attr, Entity, Index, Key, Number, Table, attr
from singletable.migration.schema_diff.change_kinds import SchemaChange, SchemaChangeKind
from singletable.migration.schema_diff.schema_changes import compare_schemas
from singletable.migration.schema_diff.snapshot import lock_text, read_lock, snapshot
from tests.migration.declarations import BASE, changed, declare

SAFE, BACKFILL = SchemaChangeKind.NO_MIGRATION, SchemaChangeKind.BACKFILL
INDEX, NEW_TABLE = SchemaChangeKind.INDEX, SchemaChangeKind.NEW_TABLE
REWRITE, DANGEROUS = SchemaChangeKind.REWRITE, SchemaChangeKind.DANGEROUS

before = declare(BASE)


def changes_of(old: str, new: str) -> list[SchemaChange]:
    return compare_schemas(before, changed(old, new))


def test_equal_schemas_have_no_changes() -> None:
    assert compare_schemas(before, declare(BASE)) == []


# What to replace in the declaration, by what, and the one change that follows.
EMAIL = "email: Attr[str] = attr()"
STATUS = 'status: Attr[Literal["new", "active"]] = attr(default="new")'
AGE = "age: Attr[int | None] = attr(default=None)"
AT_ORG = 'at_org = Key(pk=("ORG", org), sk=("USER", name)).on(gsi1, when=status == "active")'
AT_ORG_SUBJECT = "User.at_org in index 'GSI1'"
TAG = 'class Tag(Entity, table=table):\n    key = Key(pk="T", sk="T")'
SAFE_CHANGES = [
    (EMAIL, f"{EMAIL}\n    phone: Attr[str | None] = attr(default=None)", "User.phone"),
    (EMAIL, f"{EMAIL}\n    tags: Attr[set[str]] = attr(factory=set)", "User.tags"),
    (EMAIL, f"{EMAIL}\n    v: Attr[int] = version()", "User.v"),
    (AGE, "", "User.age"),
    (AGE, 'years: Attr[int | None] = attr(name="age", default=None)', "User.years"),
    (AGE, "age: Attr[int] = attr(default=18)", "User.age"),
    (EMAIL, "email: Attr[str | None] = attr()", "User.email"),
    (STATUS, STATUS.replace('"active"]', '"active", "gone"]'), "User.status"),
    (STATUS, STATUS.replace('default="new"', 'default="active"'), "User.status"),
    (STATUS, 'status: Attr[str] = attr(default="new")', "User.status"),
    ("class Org(", f"{TAG}\nclass Org(", "entity Tag"),
    ("class Org(", "class Organization(", "entity Organization"),
    ("indexes=[gsi1]", 'indexes=[gsi1], ttl="until"', "time to live"),
    (AT_ORG, "pass", AT_ORG_SUBJECT),
]
IN_INDEX = (AT_ORG_SUBJECT, BACKFILL, "Backfill(User)")
ONE_EMAIL = "one_email = Unique(casefold(email))"
ANOTHER_EMAIL = ("User.one_email", DANGEROUS, "AddUnique(User, one_email)")
NEW_SHOP = (NEW_TABLE, "CreateTable(shop), Copy(shop)")
PROFILE = 'pk=("USER", name), sk="PROFILE"'
ONE_STATUS = STATUS.replace('"new", "active"', '"active"').replace('="new"', '="active"')
OTHER_CHANGES = [
    # A key in an index, unique markers and counters have to be written for existing items.
    (
        EMAIL,
        f"{EMAIL}\n    at_email = Key(pk=email, sk=name).on(gsi2)",
        "User.at_email in index 'GSI2'",
        BACKFILL,
        "Backfill(User)",
    ),
    (AT_ORG, AT_ORG.replace('pk=("ORG"', 'pk=("O"'), *IN_INDEX),
    (AT_ORG, AT_ORG.replace('status == "active"', 'status == "new"'), *IN_INDEX),
    (AT_ORG, AT_ORG.replace('("USER", name)', '("USER", descending(age))'), *IN_INDEX),
    (
        ONE_EMAIL,
        f"{ONE_EMAIL}\n    one_age = Unique(org, name)",
        "User.one_age",
        BACKFILL,
        "AddUnique(User, one_age)",
    ),
    (
        ONE_EMAIL,
        'one_email = Unique(casefold(email), include={"n": name})',
        "User.one_email",
        BACKFILL,
        "AddUnique(User, one_email)",
    ),
    (
        ONE_EMAIL,
        f"{ONE_EMAIL}\n    counted = Count(Org, Org.users, key=(org,))",
        "User.counted",
        BACKFILL,
        "AddCount(User, counted)",
    ),
    # Indexes of the table.
    ("indexes=[gsi1]", "indexes=[gsi1, gsi2]", "index 'GSI2'", INDEX, "AddIndex(shop, GSI2)"),
    # Keys.
    (PROFILE, PROFILE.replace("USER", "PERSON"), "User key", REWRITE, "Rewrite(User)"),
    ("indexes=[gsi1]", 'indexes=[gsi1], sk="sort"', "key", *NEW_SHOP),
    ("[gsi1]", '[gsi1, LocalIndex("near", sk="near")]', "index 'near'", *NEW_SHOP),
    ('Table("shop"', 'Table("store"', "table name", NEW_TABLE, "CreateTable(store), Copy(store)"),
    # Dangerous: nothing fails at once.
    (ONE_EMAIL, "", "User.one_email", DANGEROUS, ""),
    (ONE_EMAIL, "one_email = Unique(email)", *ANOTHER_EMAIL),
    (ONE_EMAIL, "one_email = Unique(org, casefold(email))", *ANOTHER_EMAIL),
    (STATUS, ONE_STATUS, "User.status", DANGEROUS, "Backfill(User)"),
    ("users: Attr[int] = attr(default=0)", "", "Org.users", SAFE, ""),
    (AGE, "age: Attr[int] = attr()", "User.age", DANGEROUS, "Backfill(User)"),
    (AGE, "years: Attr[int | None] = attr(default=None)", "User.years", DANGEROUS, ""),
    (BASE[BASE.index("class User") :], "", "entity User", DANGEROUS, ""),
]
OTHER_INDEX = 'gsi1 = Index("GSI1", pk="GSI1PK", sk="at")'
# What no migration can do before the declaration is edited.
IMPOSSIBLE_CHANGES = [
    (EMAIL, f"{EMAIL}\n    phone: Attr[str] = attr()", "User.phone", BACKFILL),
    (EMAIL, 'email: Attr[str] = attr(name="Email")', "User.email", BACKFILL),
    (AGE, "age: Attr[str | None] = attr(default=None)", "User.age", BACKFILL),
    ("table = Table", f"{OTHER_INDEX}\ntable = Table", "index 'GSI1'", INDEX),
    (PROFILE, PROFILE.replace("name", "email"), "User key", REWRITE),
    (
        "class User(Entity, table=table)",
        'class User(Entity, table=table, type_tag=("t", "U"))',
        "User type tag",
        REWRITE,
    ),
]


@pytest.mark.parametrize(("old", "new", "subject"), SAFE_CHANGES)
def test_safe_change_needs_no_migration(old: str, new: str, subject: str) -> None:
    changes = changes_of(old, new)
    assert {change.kind for change in changes} == {SAFE}
    assert subject in [change.subject for change in changes]
    assert not any(change.needs_edit for change in changes)


def with_second_index(new: str) -> str:
    """Return the declaration with the index GSI2, which the table has if a new key is in it."""
    base = BASE
    if "gsi2" in new and "indexes" not in new:
        base = base.replace("indexes=[gsi1]", "indexes=[gsi1, gsi2]")
    return f'gsi2 = Index("GSI2", pk="GSI2PK", sk="GSI2SK")\n{base}'


@pytest.mark.parametrize(("old", "new", "subject", "kind", "steps"), OTHER_CHANGES)
def test_change_is_classified_with_its_steps(
    old: str, new: str, subject: str, kind: SchemaChangeKind, steps: str
) -> None:
    both = with_second_index(new)
    changes = compare_schemas(declare(both), changed(old, new, both))
    change = next(one for one in changes if one.subject == subject)
    assert (change.kind, ", ".join(map(str, change.steps))) == (kind, steps)
    assert not change.needs_edit
    assert change.advice


# A status has a default, so items may lack it until a backfill writes it.
@pytest.mark.parametrize(("field", "kind"), [("org", SAFE), ("status", BACKFILL)])
def test_key_of_fields_that_all_items_have_needs_no_backfill(
    field: str, kind: SchemaChangeKind
) -> None:
    near = f'near = Index("near", pk="{field}", sk=("email", "name"))'
    base = f"{near}\n{BASE}".replace("[gsi1]", "[gsi1, near]")
    key = f"{AT_ORG}\n    close = Key(pk=({field},), sk=(email, name)).on(near)"
    [change] = compare_schemas(declare(base), changed(AT_ORG, key, base))
    assert (change.subject, change.kind) == ("User.close in index 'near'", kind)


@pytest.mark.parametrize(("old", "new", "subject", "kind"), IMPOSSIBLE_CHANGES)
def test_change_that_existing_items_cannot_follow_needs_an_edit(
    old: str, new: str, subject: str, kind: SchemaChangeKind
) -> None:
    change = next(one for one in changes_of(old, new) if one.subject == subject)
    assert (change.kind, change.needs_edit) == (kind, True)
    assert change.advice


# A copy to the renamed table makes the other changes, too, and a review must see them.
@pytest.mark.parametrize(
    ("old", "new"),
    [
        case[:2]
        for case in (*SAFE_CHANGES, *OTHER_CHANGES, *IMPOSSIBLE_CHANGES)
        if case[2] != "table name"
    ],
)
def test_every_change_is_listed_with_a_new_table_name_too(old: str, new: str) -> None:
    base = with_second_index(new)
    text = base.replace(old, new)
    alone = compare_schemas(declare(base), declare(text))
    both = compare_schemas(declare(base), declare(text.replace('"shop"', '"store"')))
    facts = [(one.subject, one.before, one.after) for one in alone]
    renamed = ("table name", "'shop'", "'store'")
    assert [(one.subject, one.before, one.after) for one in both] == [renamed, *facts]
    assert not any(one.needs_edit for one in both)
    needed = [one.kind.needs_migration for one in both]
    assert needed == [True, *(one.kind.needs_migration for one in alone)]


def test_several_renamed_tables_are_distinguished() -> None:
    other = BASE.replace("=table)", "=other)").replace(
        'table = Table("shop"', 'other = Table("depot"'
    )
    text = BASE + other.replace("Org(", "Fleet(").replace("User(", "Van(")
    two = declare(text)
    renamed = declare(text.replace('"shop"', '"store"').replace('"depot"', '"garage"'))
    names = {(one.before, one.after) for one in compare_schemas(two, renamed)}
    assert names == {("'shop'", "'store'"), ("'depot'", "'garage'")}


# The positions of existing values are the same, so keys are the same.
def test_key_of_several_attributes_is_the_same_after_schema_lock(tmp_path: Path) -> None:
    by_level = Index("GSI2", pk=("Skill", "Level"), sk=(Number("Years"), "Date"))
    table = Table("skills", indexes=[by_level])

    class Skill(Entity, table=table):
        skill: Attr[str] = attr(name="Skill")
        level: Attr[str] = attr(name="Level")
        years: Attr[int] = attr(name="Years")
        date: Attr[str] = attr(name="Date")
        key = Key(pk=("SKILL", skill), sk=("LEVEL", level))
        by_years = Key(pk=(skill, level), sk=(years, date)).on(by_level)

    schema = snapshot([table])
    path = tmp_path / "schema.lock"
    path.write_text(lock_text(schema, None))
    lock = read_lock(path)
    assert lock is not None
    assert compare_schemas(lock.schema, schema) == []


def test_value_added_at_the_end_of_an_order_changes_no_key() -> None:
    text = BASE.replace('pk=("ORG", org), sk=("USER"', 'pk=("ORG", org), sk=(ordered(status)')
    longer = changed('"active"]', '"active", "gone"]', text)
    other = changed('"new", "active"]', '"lost", "new", "active"]', text)
    kinds = {change.kind for change in compare_schemas(declare(text), longer)}
    assert kinds == {SAFE}
    changes = compare_schemas(declare(text), other)
    assert [one.subject for one in changes if one.kind is BACKFILL] == [AT_ORG_SUBJECT]


# An int in a key has twenty digits, a string its own characters.
# A backfill would fail at the first time that the new format cannot store.
@pytest.mark.parametrize(
    ("old", "new", "rounds"),
    [("MILLISECONDS", "SECONDS", True), ("SECONDS", "MILLISECONDS", False)],
)
def test_coarser_time_format_needs_rounded_times(old: str, new: str, rounds: bool) -> None:
    declared = f"{EMAIL}\n    seen: Attr[datetime] = attr(time_format=TimeFormat."
    schemas = [changed(EMAIL, f"{declared}{form})") for form in (old, new)]
    (change,) = compare_schemas(*schemas)
    assert change.kind is SAFE
    assert ("round them" in change.advice) is rounds


def test_other_type_of_a_key_field_changes_the_key() -> None:
    text = BASE.replace('("ORG", org), sk="ORG"', '("ORG", org), sk=("ORG", users)')
    number = text.replace(
        "users: Attr[int] = attr(default=0)", 'users: Attr[str] = attr(default="")'
    )
    changes = compare_schemas(declare(number), declare(text))
    assert "Org key" in [change.subject for change in changes]


def test_renamed_field_in_a_key_does_not_change_the_key() -> None:
    text = BASE.replace("name: Attr[str] = attr()", 'login: Attr[str] = attr(name="name")')
    renamed = text.replace("name)", "login)").replace('(login="name")', '(name="name")')
    changes = compare_schemas(before, declare(renamed))
    assert [(one.subject, one.kind) for one in changes] == [("User.login", SAFE)]


VERSIONED = (
    BASE.replace("class User(Entity, table=table)", "{}").replace(EMAIL, "{}")
    + """
class UserV1(Entity):
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    org: Attr[str] = attr()

{}
"""
)
UPGRADE = """
@User.upgrade(from_=1)
def upgrade(old: UserV1) -> User:
    return User(name=old.name, email=old.email, org=old.org, phone="?")
"""


def versioned(arguments: str, upgrade: str = UPGRADE) -> str:
    header = f"class User(Entity, table=table, {arguments})"
    return VERSIONED.format(header, f"{EMAIL}\n    phone: Attr[str] = attr()", upgrade)


def test_upgraded_entity_needs_no_migration() -> None:
    upgraded = declare(versioned("schema_version=2, oldest_version=1"))
    changes = compare_schemas(before, upgraded)
    assert [(one.subject, one.kind, len(one.steps)) for one in changes] == [
        ("User schema version", SAFE, 1),
        ("User.phone", SAFE, 1),
    ]
    finished = declare(versioned("schema_version=2, oldest_version=2", ""))
    (change,) = compare_schemas(upgraded, finished)
    assert (change.subject, change.kind) == ("User oldest version", DANGEROUS)
    back = next(one for one in compare_schemas(upgraded, before) if "version" in one.subject)
    assert (back.kind, back.needs_edit) == (REWRITE, True)


@pytest.mark.parametrize(
    "field", ['email: Attr[str] = attr(name="Email")', "mail: Attr[str] = attr()"]
)
def test_renamed_attribute_is_read_with_a_new_version(field: str) -> None:
    name = field.partition(":")[0]
    text = BASE.replace(EMAIL, field).replace("(email)", f"({name})")
    (change,) = [
        one for one in compare_schemas(before, declare(text)) if one.subject == f"User.{name}"
    ]
    assert change.needs_edit
    assert f"write schema_version=2 and User.renamed(from_=1, {name}='email')" in change.advice
    upgraded = text.replace(
        "class User(Entity, table=table)", "class User(Entity, table=table, schema_version=2)"
    )
    renamed = declare(f"{upgraded}\nUser.renamed(from_=1, {name}='email')\n")
    changes = {one.subject: one for one in compare_schemas(before, renamed)}
    assert changes[f"User.{name}"].kind == SAFE
    assert [str(one) for one in changes[f"User.{name}"].steps] == ["Backfill(User)"]


CLASSES = """
@dataclass
class Address:
    city: str
    kind: Literal["home", "work"] = "home"

table = Table("shop")

class User(Entity, table=table):
    name: Attr[str] = attr()
    address: Attr[Address | None] = attr(default=None)
    places: Attr[list[Address]] = attr(factory=list)
    key = Key(pk=("USER", name), sk="PROFILE")
"""


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("city: str", 'city: str\n    zip: str = ""', SAFE),
        ("city: str", "city: str\n    zip: str", DANGEROUS),
        ("city: str", "city: str | None", SAFE),
        ('"home", "work"', '"home", "work", "club"', SAFE),
        ('"home", "work"', '"home"', DANGEROUS),
        ("list[Address]", "tuple[Address, ...]", SAFE),
        ("city: str", "city: UUID", DANGEROUS),
    ],
)
def test_classes_inside_types_are_compared(old: str, new: str, kind: SchemaChangeKind) -> None:
    changes = compare_schemas(declare(CLASSES), changed(old, new, CLASSES))
    assert {change.kind for change in changes} == {kind}


def test_change_reads_as_a_sentence() -> None:
    (change,) = changes_of("    one_email = Unique(casefold(email))\n", "")
    assert str(change).startswith(
        "User.one_email: was casefold(email) unique (UNIQUE#User#email#{casefold(email)} / "
        "UNIQUE), is removed. This is dangerous. Nothing keeps the values unique any more"
    )
