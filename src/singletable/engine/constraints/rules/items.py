"""The rules of the operations on one item."""

from __future__ import annotations

from singletable.engine.constraints.rules.members import (
    ATTRIBUTES_TO_GET,
    CAPACITY,
    CONDITION,
    CONSISTENT,
    KEY,
    METRICS,
    NAMES,
    OLD_ON_FAILURE,
    OPERATOR,
    PROJECTION,
    TABLE,
    VALUES,
)
from singletable.engine.constraints.rules.rule import Rule
from singletable.engine.constraints.rules.words import (
    ATTRIBUTE_ACTION,
    COMPARISON_OPERATOR,
    RETURN_VALUES,
)
from singletable.engine.constraints.shape import (
    Attributes,
    Flag,
    List,
    Map,
    Member,
    Struct,
    Text,
    required,
)
from singletable.engine.constraints.wording import ONE_ITEM, UPDATE
from singletable.operations import (
    AttributeValueUpdate,
    DeleteItem,
    ExpectedAttributeValue,
    GetItem,
    PutItem,
    UpdateItem,
)

RETURNED = Member("return_values", RETURN_VALUES)
EXPECTED = Member(
    "expected",
    Map(
        Struct(
            ExpectedAttributeValue,
            (
                Member("attribute_value_list", List(Attributes())),
                Member("comparison_operator", COMPARISON_OPERATOR),
                Member("exists", Flag()),
                Member("value", Attributes()),
            ),
        )
    ),
)
ATTRIBUTE_UPDATES = Member(
    "attribute_updates",
    Map(
        Struct(
            AttributeValueUpdate,
            (Member("action", ATTRIBUTE_ACTION), Member("value", Attributes())),
        )
    ),
)
EXPRESSIONS = (CONDITION, VALUES, NAMES, OLD_ON_FAILURE)

PUT_ITEM = Struct(
    PutItem,
    (
        CAPACITY,
        TABLE,
        required("item", Attributes()),
        OPERATOR,
        EXPECTED,
        RETURNED,
        METRICS,
        *EXPRESSIONS,
    ),
)
DELETE_ITEM = Struct(
    DeleteItem,
    (CAPACITY, TABLE, RETURNED, METRICS, OPERATOR, KEY, EXPECTED, *EXPRESSIONS),
)
UPDATE_ITEM = Struct(
    UpdateItem,
    (
        CAPACITY,
        TABLE,
        METRICS,
        RETURNED,
        OPERATOR,
        KEY,
        EXPECTED,
        ATTRIBUTE_UPDATES,
        Member("update_expression", Text()),
        *EXPRESSIONS,
    ),
)
GET_ITEM = Struct(
    GetItem,
    (CAPACITY, ATTRIBUTES_TO_GET, TABLE, KEY, CONSISTENT, PROJECTION, NAMES),
)

ITEMS = (
    Rule(PUT_ITEM, ONE_ITEM),
    Rule(DELETE_ITEM, ONE_ITEM),
    Rule(UPDATE_ITEM, UPDATE),
    Rule(GET_ITEM, ONE_ITEM),
)
