"""Whatever items a table holds, a draft runs, and each item is placed as it is or told of."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import AttributeValue, Index, Item, Number, Table
from singletable.drafting import Sample, draft
from tests.drafting.test_designs import models, placed

TABLES = (
    Table("plain"),
    Table("alone", pk="user_id", sk=None),
    Table("numbered", pk="device", sk=Number("at"), ttl="ttl"),
    Table("indexed", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK"), Index("status", pk="name")]),
)
NAMES = st.sampled_from(
    ["id", "name", "type", "entity_type", "version", "ttl", "createdAt", "class", "key", "list",
     "set", "a b", "ü", "_x", "1", "attr", "Attr", "self", "None", "GSI1PK", "GSI1SK", '"', "date"]
)  # fmt: skip
PARTS = st.sampled_from(
    ["USER", "METADATA", "ada", "bob", "1", "007", "a b", "$", "$23", "", "x:y", "ü", "Go", "true",
     "2024-01-15T10:30:00Z", "2024-01-15", "123e4567-e89b-12d3-a456-426614174000", '"""', "\n"]
)  # fmt: skip
KEYS = st.lists(PARTS, min_size=1, max_size=5).map("#".join).filter(bool)


def _one(value: object, kind: str) -> AttributeValue:
    return {kind: value}  # type: ignore[misc]


SCALARS: st.SearchStrategy[AttributeValue] = st.one_of(
    PARTS.map(lambda text: _one(text, "S")),
    st.sampled_from(["0", "1", "42", "-7", "1.5", "1700000000"]).map(lambda n: _one(n, "N")),
    st.booleans().map(lambda yes: _one(yes, "BOOL")),
    st.just(_one("AA==", "B")),
    st.sampled_from([["a"], ["a", "b"]]).map(lambda texts: _one(texts, "SS")),
    st.just(_one(["1", "2"], "NS")),
)
VALUES: st.SearchStrategy[AttributeValue] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda members: _one(members, "L")),
        st.dictionaries(NAMES, inner, max_size=3).map(lambda members: _one(members, "M")),
    ),
    max_leaves=5,
)


@st.composite
def items(draw: st.DrawFn, table: Table) -> list[Item]:
    """Items that DynamoDB would take into the table."""
    found: dict[str, Item] = {}
    typed = {one.name: one.type for one in table.all_key_attributes()}
    for _ in range(draw(st.integers(0, 12))):
        item = dict(draw(st.dictionaries(NAMES, VALUES, max_size=6)))
        for name, kind in typed.items():
            if name in item or name in [one.name for one in table.key_attributes]:
                text = draw(KEYS) if kind == "S" else str(draw(st.integers(0, 50)))
                item[name] = _one(text, kind)
        found[str([item[one.name] for one in table.key_attributes])] = item
    return list(found.values())


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_table_can_be_drafted(data: st.DataObject) -> None:
    table = data.draw(st.sampled_from(TABLES))
    stored = data.draw(items(table))
    made = draft([Sample(table, stored)])
    left = [item for unplaced in made.tables[0].unplaced for item in unplaced.items]
    declared = models(made, "a draft of anything")
    for item in stored:
        assert item in left or placed(declared, item), made.source
