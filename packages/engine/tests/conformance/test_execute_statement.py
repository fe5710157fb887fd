"""ExecuteStatement: what statements read and write, as DynamoDB in eu-west-2 does."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

import pytest

from dynamodb_engine.errors import ConditionFailed, DuplicateItem, ValidationError
from dynamodb_engine.operations import Driver, ExecuteStatement, ExecuteStatementOutput
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.requests import fill, number, text
from tests.conformance.tables import INDEXES, global_index, make_table, stored

ADA: Item = {
    "pk": text("ada"),
    "sk": text("1"),
    "s": text("str"),
    "n": number(5),
    "m": {"M": {"sub": text("x"), "list": {"L": [text("c")]}}},
    "l": {"L": [text("a"), text("b")]},
    "ss": {"SS": ["a", "b"]},
    "nul": {"NULL": True},
    "flag": {"BOOL": True},
}


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table with items of three partitions."""
    name = make_table(driver, pk="S", sk="S")
    others = [(pk, sk) for pk in ("bob", "cy") for sk in "123"]
    fill(driver, name, [ADA, *({"pk": text(pk), "sk": text(sk)} for pk, sk in others)])
    return name


def execute(
    driver: Driver, statement: str, *parameters: AttributeValue, **options: Any
) -> ExecuteStatementOutput:
    """Execute a statement."""
    return driver.execute(ExecuteStatement(statement, list(parameters) or None, **options))


def keys(items: list[Item]) -> list[str]:
    """Return the keys of items as texts."""
    return [f"{item['pk']['S']}/{item['sk']['S']}" for item in items]


@pytest.mark.parametrize(
    "condition",
    [
        *("s = 'str'", "'str' = s", "s <> 'x'", "s != 'x'", "n > 4", "n >= 5", "5 <= n", "n < 6e0"),
        *("n = .5e1", "n = - - 5", "n = 50e-1", "n BETWEEN - 2 AND +5", "n IN [1, 5]", "n IN (5)"),
        *("n IN <<5, 6>>", "n NOT IN [1, 2]", "n NOT BETWEEN 6 AND 7", "NOT n = 6"),
        *("m.sub = 'x'", "m['sub'] = 'x'", "m.\"list\"[0] = 'c'", "l[1] = 'b'", "l = ['a', 'b']"),
        *("ss = <<'b', 'a'>>", "m = {'sub': 'x', 'list': ['c']}", "flag = true", "nul = null"),
        *("absent IS MISSING", "s IS NOT MISSING", "nul IS NULL", "s IS NOT NULL", "flag IS BOOL"),
        *("s IS STRING", "n IS NUMERIC", "m IS STRUCT", "m IS TUPLE", "l IS LIST"),
        *("begins_with(s, 'st')", "contains(ss, 'a')", "size(s) = 3", "SIZE(l) > 1"),
        *("attribute_type(ss, 'SS')", "attribute_exists(m.sub)", "attribute_not_exists(m.x)"),
        *("attribute_exists(s) = true", "true = attribute_exists(s)", "contains(x, 'z') = false"),
        *("attribute_exists(s) <> 1", "(n BETWEEN 0 AND 5) = true", "attribute_exists(s) = flag"),
        *("attribute_exists(s) = attribute_exists(n)", "attribute_exists(x) IN [true, false]"),
        *("(n = 6 OR s = 'str') AND NOT (n = 7 OR n = 8)", "n = 5 -- comment\n", "n /* ; */ = 5;"),
        *("sk <> '2'", "sk > '0' AND sk <> '2'", "sk = '1' AND sk > '0'", "(sk = '1' OR sk = '2')"),
    ],
)
def test_condition_selects_the_item(driver: Driver, table: str, condition: str) -> None:
    statement = f"select * from \"{table}\" WHERE pk = 'ada' AND {condition}"
    assert execute(driver, statement).items == [ADA]


@pytest.mark.parametrize(
    "condition",
    [
        *("s = 5", "s < 5", "absent = 1", "absent IS NULL", "s IS NULL", "s IS BOOL", "NOT n = 5"),
        *("l = ['b', 'a']", "attribute_exists(s) = 1", "attribute_exists(s) = s", "sk IN ['2']"),
        *("NOT attribute_exists(s) = true", "pk = 'bob'", "nul IS NOT NULL", "size(n) = 1"),
    ],
)
def test_condition_selects_nothing(driver: Driver, table: str, condition: str) -> None:
    statement = f"SELECT * FROM \"{table}\" WHERE pk = 'ada' AND {condition}"
    assert execute(driver, statement).items == []


def test_parameters_take_the_place_of_values(driver: Driver, table: str) -> None:
    where = "pk = ? AND sk IN [?, '9'] AND contains(ss, ?) AND n BETWEEN ? AND ?"
    values = [text("ada"), text("1"), text("a"), number(1), number(9)]
    assert execute(driver, f'SELECT * FROM "{table}" WHERE {where}', *values).items == [ADA]


# A path is named after its last name.
@pytest.mark.parametrize(
    ("projection", "item"),
    [
        ("pk, n", {"pk": text("ada"), "n": number(5)}),
        ("m.sub, l[1]", {"sub": text("x"), "l[1]": text("b")}),
        ('m."list"[0]', {"list[0]": text("c")}),
        ("l[-0], absent", {"l[0]": text("a")}),
        ("absent", {}),
    ],
)
def test_projection(driver: Driver, table: str, projection: str, item: Item) -> None:
    for where in ("pk = 'ada'", "s = 'str'"):
        statement = f'SELECT {projection} FROM "{table}" WHERE {where}'
        assert execute(driver, statement).items == [item]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("pk = 'bob'", ["bob/1", "bob/2", "bob/3"]),
        ("pk = 'bob' ORDER BY sk DESC", ["bob/3", "bob/2", "bob/1"]),
        ("pk = 'bob' ORDER BY sk ASC", ["bob/1", "bob/2", "bob/3"]),
        ("pk = 'bob' ORDER BY pk", ["bob/3", "bob/2", "bob/1"]),
        (
            "pk IN ['bob', 'cy'] AND sk > '1' ORDER BY pk DESC, sk",
            ["cy/2", "cy/3", "bob/2", "bob/3"],
        ),
        ("pk = 'bob' AND sk BETWEEN '2' AND '9'", ["bob/2", "bob/3"]),
        ("pk = 'bob' AND begins_with(sk, '3')", ["bob/3"]),
        ("pk = 'bob' AND sk IN ['3', '1']", ["bob/3", "bob/1"]),
        ("pk = 'bob' AND sk = '1' OR pk = 'cy' AND sk < '2'", ["bob/1", "cy/1"]),
        ("pk = 'bob' AND sk > '2' AND sk < '2'", []),
        ("pk = 'bob' AND pk = 'cy'", []),
    ],
)
def test_keys_limit_what_is_read(
    driver: Driver, table: str, where: str, expected: list[str]
) -> None:
    assert keys(execute(driver, f'SELECT pk, sk FROM "{table}" WHERE {where}').items) == expected


# Alternatives that filter the sort key may overlap; no item is returned twice.
@pytest.mark.parametrize("left", ["NOT sk = '1'", "sk <> '1'", "NOT sk IN ['1', '4']"])
def test_overlapping_alternatives_with_a_filter_on_the_sort_key(
    driver: Driver, table: str, left: str
) -> None:
    where = f"pk = 'bob' AND {left} OR pk = 'bob' AND sk = '2'"
    items = execute(driver, f'SELECT * FROM "{table}" WHERE {where}').items
    assert keys(items) == ["bob/2", "bob/3"]


# A page that ends early says where: in a partition that the statement names.
@pytest.mark.parametrize(
    "where", ["pk = 'bob' AND sk <> '9' OR pk = 'bob'", "pk = 'bob' AND pk = 'cy'"]
)
def test_other_partitions_are_not_read(driver: Driver, table: str, where: str) -> None:
    fill(driver, table, [{"pk": text(f"p{number}"), "sk": text("1")} for number in range(9)])
    statement, token = f'SELECT * FROM "{table}" WHERE {where}', None
    while True:
        page = execute(driver, statement, limit=1, next_token=token)
        token, last = page.next_token, page.last_evaluated_key
        assert last is None or last["pk"] == text("bob")
        if token is None:
            break


@pytest.mark.parametrize("where", ["", "WHERE pk IN ['bob', 'cy', 'ada']", "WHERE pk = 'bob'"])
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_follow_each_other(driver: Driver, table: str, where: str, limit: int) -> None:
    statement = f'SELECT pk, sk FROM "{table}" {where}'
    whole = keys(execute(driver, statement).items)
    found: list[str] = []
    token = None
    while True:
        page = execute(driver, statement, limit=limit, next_token=token)
        assert len(page.items) <= limit
        found += keys(page.items)
        token = page.next_token
        if token is None:
            break
    assert found == whole
    assert page.last_evaluated_key is None


def test_page_of_several_partitions_has_up_to_a_megabyte(driver: Driver, table: str) -> None:
    partitions = [f"p{number:02}" for number in range(40)]
    pad = text("x" * 30_000)
    fill(driver, table, [{"pk": text(pk), "sk": text("1"), "pad": pad} for pk in partitions])
    output = execute(driver, f'SELECT * FROM "{table}" WHERE pk IN {partitions}')
    assert 34 <= len(output.items) < 40
    assert output.next_token is not None


def test_a_token_belongs_to_its_statement(driver: Driver, table: str) -> None:
    statement = f'SELECT * FROM "{table}" WHERE pk = ?'
    token = execute(driver, statement, text("bob"), limit=1).next_token
    for other, value in ((statement, "cy"), (f"{statement} ", "bob")):
        with pytest.raises(ValidationError, match="NextToken does not match request"):
            execute(driver, other, text(value), next_token=token)


# A client may change the token, but it does not lead out of what the statement reads.
def test_a_forged_token_is_rejected(driver: Driver, table: str) -> None:
    statement = f"SELECT * FROM \"{table}\" WHERE pk = 'bob' AND sk > '1'"
    token = execute(driver, statement, limit=1).next_token
    assert token is not None
    content = b64decode(token)
    for part, forged in ((b'"2"', b'"1"'), (b'"bob"', b'"cy"'), (b'"branch":0', b'"branch":7')):
        changed = b64encode(content.replace(part, forged)).decode()
        assert changed != token
        with pytest.raises(ValidationError, match="Invalid NextToken"):
            execute(driver, statement, next_token=changed)


def test_insert_creates_an_item_once(driver: Driver, table: str) -> None:
    literals = "'a': [1, <<2, 1>>, {'x': null}], 'b': true, 'q': 'it''s', 'e': 1E3, 'z': -0"
    insert = f"INSERT INTO \"{table}\" VALUE {{'pk': ?, 'sk': '1', {literals}}}"
    assert execute(driver, insert, text("new")).items == []
    assert stored(driver, table, {"pk": text("new"), "sk": text("1")}) == {
        "pk": text("new"),
        "sk": text("1"),
        "a": {"L": [number(1), {"NS": ["1", "2"]}, {"M": {"x": {"NULL": True}}}]},
        "b": {"BOOL": True},
        "q": text("it's"),
        "e": number(1000),
        "z": number(0),
    }
    with pytest.raises(DuplicateItem, match="Duplicate primary key exists in table"):
        execute(driver, insert, text("new"))


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ("SET n = 6", {"n": number(6)}),
        ("SET n = n + 1, s = 'x'", {"n": number(6), "s": text("x")}),
        ("SET n=n-1 SET s = n", {"n": number(4), "s": number(5)}),
        ("SET n = n - - 2", {"n": number(7)}),
        ("SET l = list_append(l, ['c'])", {"l": {"L": [text("a"), text("b"), text("c")]}}),
        ("SET n = if_not_exists(x, 9)", {"n": number(9)}),
        ("SET ss = SET_ADD(ss, <<'b', 'c'>>)", {"ss": {"SS": ["a", "b", "c"]}}),
        ("SET fresh = set_add(fresh, <<1>>)", {"fresh": {"NS": ["1"]}}),
        ("SET ss = set_delete(ss, <<'a'>>)", {"ss": {"SS": ["b"]}}),
        ("SET ss = set_delete(ss, <<'a', 'b'>>)", {"ss": None}),
        ("SET l[0] = 'z' REMOVE l[1]", {"l": {"L": [text("z")]}}),
        ("SET m = {} REMOVE n REMOVE s", {"m": {"M": {}}, "n": None, "s": None}),
    ],
)
@pytest.mark.parametrize("form", ["UPDATE {} {} WHERE {}", "FROM {0} WHERE {2} {1}"])
def test_update_changes_an_item(
    driver: Driver, table: str, change: str, changed: dict[str, AttributeValue | None], form: str
) -> None:
    statement = form.format(f'"{table}"', change, "pk = 'ada' AND (sk = '1' AND n = 5)")
    expected = {name: value for name, value in (ADA | changed).items() if value is not None}
    assert execute(driver, f"{statement} RETURNING ALL NEW *").items == [expected]
    assert stored(driver, table, {"pk": text("ada"), "sk": text("1")}) == expected


@pytest.mark.parametrize(
    ("returning", "items"),
    [
        ("", []),
        ("RETURNING ALL OLD *", [ADA]),
        ("RETURNING MODIFIED OLD *", [{"n": number(5)}]),
        ("RETURNING MODIFIED NEW *", [{"n": number(6), "x": number(1)}]),
    ],
)
def test_update_returns_what_is_requested(
    driver: Driver, table: str, returning: str, items: list[Item]
) -> None:
    statement = f"UPDATE \"{table}\" SET n = 6 SET x = 1 WHERE pk = 'ada' AND sk = '1' {returning}"
    assert execute(driver, statement).items == items


# DELETE of an item that does not exist has no effect, even if it has a condition.
def test_delete_removes_an_item_that_exists(driver: Driver, table: str) -> None:
    statement = f"DELETE FROM \"{table}\" WHERE pk = 'ada' AND sk = '1' AND n = ?"
    with pytest.raises(ConditionFailed):
        execute(driver, statement, number(4))
    assert execute(driver, f"{statement} RETURNING ALL OLD *", number(5)).items == [ADA]
    assert execute(driver, statement, number(4)).items == []


@pytest.mark.parametrize(
    "where", ["sk = '9'", "sk = '9' AND attribute_not_exists(pk)", "sk = '1' AND n = 4"]
)
def test_update_needs_an_item_that_satisfies_the_condition(
    driver: Driver, table: str, where: str
) -> None:
    statement = f"UPDATE \"{table}\" SET n = 1 WHERE pk = 'ada' AND {where}"
    with pytest.raises(ConditionFailed) as raised:
        execute(driver, statement, return_values_on_condition_check_failure="ALL_OLD")
    assert raised.value.item == (ADA if "sk = '1'" in where else None)


@pytest.mark.parametrize(
    ("source", "where", "expected", "capacity"),
    [
        (".by_grade", "grade = 'a'", ["pk", "sk", "grade", "year", "note"], {"by_grade": 0.5}),
        (".by_grade_and_year", "grade = 'a'", ["pk", "sk", "grade", "year", "note"], None),
        (".local_year", "pk = 'a' AND year = '1'", ["pk", "sk", "grade", "year"], None),
        (".by_grade", "pk = 'a'", ["pk", "sk", "grade", "year", "note"], {"by_grade": 0.5}),
        (".by_grade_and_year", "NOT hidden = 'x'", ["pk", "sk", "grade", "year", "note"], None),
    ],
)
def test_an_index_returns_what_it_projects(
    driver: Driver, source: str, where: str, expected: list[str], capacity: dict[str, float] | None
) -> None:
    table = make_table(driver, *INDEXES, pk="S", sk="S")
    item = {name: text("a") for name in ("pk", "sk", "grade", "note")}
    fill(driver, table, [item | {"year": text("1")}, {"pk": text("a"), "sk": text("b")}])
    statement = f'SELECT * FROM "{table}"{source} WHERE {where}'
    output = execute(driver, statement, return_consumed_capacity="INDEXES")
    assert [set(item) for item in output.items] == [set(expected)]
    consumed = output.consumed_capacity
    assert consumed is not None
    assert consumed.table is not None
    assert consumed.table.capacity_units == 0
    if capacity is not None:
        found = consumed.global_secondary_indexes or {}
        assert {name: units.capacity_units for name, units in found.items()} == capacity


def test_an_index_whose_sort_key_has_several_attributes_cannot_be_read(driver: Driver) -> None:
    table = make_table(driver, global_index("multi", a="S", b="S", c="S"), pk="S")
    execute(driver, f"INSERT INTO \"{table}\" VALUE {{'pk': 'x'}}")
    for projection, where in (("*", "WHERE a = 1"), ("COUNT(*)", "")):
        with pytest.raises(ValidationError, match="multi-attribute HASH keys"):
            execute(driver, f'SELECT {projection} FROM "{table}".multi {where}')
    assert len(execute(driver, f'SELECT * FROM "{table}"').items) == 1


@pytest.mark.parametrize(
    ("statement", "units"),
    [
        ("SELECT * FROM {} WHERE pk = 'bob'", 0.5),
        ("SELECT * FROM {} WHERE pk = 'nobody'", 0.5),
        ("SELECT * FROM {} WHERE pk IN ['ada', 'bob', 'cy']", 1.5),
        ("SELECT * FROM {} WHERE n = 99", 0.5),
        ("INSERT INTO {} VALUE {{'pk': 'x', 'sk': 'y'}}", 1),
        ("DELETE FROM {} WHERE pk = 'bob' AND sk = '1'", 1),
    ],
)
def test_consumed_capacity(driver: Driver, table: str, statement: str, units: float) -> None:
    output = execute(driver, statement.format(f'"{table}"'), return_consumed_capacity="TOTAL")
    assert output.consumed_capacity is not None
    assert output.consumed_capacity.capacity_units == units
