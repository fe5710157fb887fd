"""The constraints of the operations on items, in the order in which AWS lists violations."""

from __future__ import annotations

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.constraints.messages import (
    BATCH_WRITE,
    CONTROL,
    PAGED_READ,
    SINGLE_ITEM,
    TRANSACTION,
    UPDATE,
    Rule,
)
from dynamodb_engine.engine.constraints.types import (
    ATTRIBUTES,
    FLAG,
    Choice,
    Integer,
    List,
    Map,
    Member,
    Structure,
    TableMap,
    TableName,
    Text,
    required,
)
from dynamodb_engine.values.validation import MAX_NAME_SIZE

# --- Members that several operations have

# Any name of one character or more is looked up; AWS then reports that no such table exists.
TABLE = required("table_name", TableName(minimum=1))
KEY = required("key", ATTRIBUTES)
ITEM = required("item", ATTRIBUTES)
CAPACITY = Member("return_consumed_capacity", Choice(("INDEXES", "TOTAL", "NONE")))
METRICS = Member("return_item_collection_metrics", Choice(("SIZE", "NONE")))
OLD_ON_FAILURE = Member("return_values_on_condition_check_failure", Choice(("ALL_OLD", "NONE")))
CONSISTENT = Member("consistent_read", FLAG)
CONDITION = Member("condition_expression", Text())
PROJECTION = Member("projection_expression", Text())
NAMES = Member("expression_attribute_names", Map(Text()))
VALUES = Member("expression_attribute_values", ATTRIBUTES)

# The newer lists are wrong (UPDATE_NEW for UPDATED_NEW, ALL for AND), and AWS prints them so.
RETURN_VALUES = Member(
    "return_values",
    Choice(
        ("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"),
        newer_words=("ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATE_NEW", "NONE"),
    ),
)
OPERATOR = Member("conditional_operator", Choice(("OR", "AND"), newer_words=("ALL", "OR")))

# Members of the legacy parameters, which expressions have replaced.
COMPARISON_OPERATOR = Choice(
    (
        *("IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT"),
        *("NOT_NULL", "NE", "LE", "BEGINS_WITH", "GE", "CONTAINS"),
    )
)
OPERANDS = Member("attribute_value_list", List(ATTRIBUTES))
ATTRIBUTES_TO_GET = Member("attributes_to_get", List(Text(maximum=MAX_NAME_SIZE), 1, 255))
EXPECTED = Member(
    "expected",
    Map(
        Structure(
            ops.ExpectedAttributeValue,
            (
                OPERANDS,
                Member("comparison_operator", COMPARISON_OPERATOR),
                Member("exists", FLAG),
                Member("value", ATTRIBUTES),
            ),
        )
    ),
)
ATTRIBUTE_UPDATES = Member(
    "attribute_updates",
    Map(
        Structure(
            ops.AttributeValueUpdate,
            (Member("action", Choice(("ADD", "PUT", "DELETE"))), Member("value", ATTRIBUTES)),
        )
    ),
)
CONDITIONS = Map(
    Structure(ops.Condition, (OPERANDS, required("comparison_operator", COMPARISON_OPERATOR)))
)

# --- One item

WRITE_EXPRESSIONS = (CONDITION, VALUES, NAMES, OLD_ON_FAILURE)

PUT_ITEM = Structure(
    ops.PutItem,
    (CAPACITY, TABLE, ITEM, OPERATOR, EXPECTED, RETURN_VALUES, METRICS, *WRITE_EXPRESSIONS),
)
DELETE_ITEM = Structure(
    ops.DeleteItem,
    (CAPACITY, TABLE, RETURN_VALUES, METRICS, OPERATOR, KEY, EXPECTED, *WRITE_EXPRESSIONS),
)
UPDATE_ITEM = Structure(
    ops.UpdateItem,
    (
        CAPACITY,
        TABLE,
        METRICS,
        RETURN_VALUES,
        OPERATOR,
        KEY,
        EXPECTED,
        ATTRIBUTE_UPDATES,
        Member("update_expression", Text()),
        *WRITE_EXPRESSIONS,
    ),
)
GET_ITEM = Structure(
    ops.GetItem, (CAPACITY, ATTRIBUTES_TO_GET, TABLE, KEY, CONSISTENT, PROJECTION, NAMES)
)

# --- Pages of items

SELECT = Member(
    "select",
    Choice(("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")),
)
INDEX = Member("index_name", Text(3, 255, pattern="last"))
LIMIT = Member("limit", Integer(1))
START = Member("exclusive_start_key", ATTRIBUTES)
FILTER = Member("filter_expression", Text())

QUERY = Structure(
    ops.Query,
    (
        SELECT,
        INDEX,
        CAPACITY,
        Member("query_filter", CONDITIONS),
        TABLE,
        OPERATOR,
        ATTRIBUTES_TO_GET,
        LIMIT,
        Member("key_conditions", CONDITIONS),
        START,
        CONSISTENT,
        Member("scan_index_forward", FLAG),
        Member("key_condition_expression", Text()),
        FILTER,
        PROJECTION,
        VALUES,
        NAMES,
    ),
)
SCAN = Structure(
    ops.Scan,
    (
        SELECT,
        INDEX,
        Member("total_segments", Integer(1, 1_000_000)),
        CAPACITY,
        TABLE,
        OPERATOR,
        Member("scan_filter", CONDITIONS),
        Member("segment", Integer(0, 999_999)),
        LIMIT,
        ATTRIBUTES_TO_GET,
        START,
        FILTER,
        PROJECTION,
        VALUES,
        NAMES,
        CONSISTENT,
    ),
)

# --- Batches

BATCH_KEYS = Structure(
    ops.KeysAndAttributes,
    (
        required("keys", List(ATTRIBUTES, 1, 100)),
        ATTRIBUTES_TO_GET,
        CONSISTENT,
        PROJECTION,
        NAMES,
    ),
)
# That a request has exactly one of the two is checked with the values, with another message.
BATCH_REQUEST = Structure(
    ops.WriteRequest,
    (
        Member("delete_request", Structure(ops.DeleteRequest, (KEY,))),
        Member("put_request", Structure(ops.PutRequest, (ITEM,))),
    ),
)
BATCH_GET_ITEM = Structure(
    ops.BatchGetItem,
    (required("request_items", TableMap(BATCH_KEYS, maximum=100, echo="json")), CAPACITY),
)
BATCH_WRITE_ITEM = Structure(
    ops.BatchWriteItem,
    (
        CAPACITY,
        METRICS,
        required(
            "request_items",
            TableMap(List(BATCH_REQUEST), maximum=25, echo="java", request_bounds=(1, 25)),
        ),
    ),
)

# --- Transactions

ACTION_EXPRESSIONS = (NAMES, VALUES, OLD_ON_FAILURE)
REQUIRED_CONDITION = required("condition_expression", Text())
REQUIRED_UPDATE = required("update_expression", Text())

# That an action has no more than one of the four is checked with the actions.
ACTION = Structure(
    ops.TransactWriteItem,
    (
        Member(
            "condition_check",
            Structure(ops.ConditionCheck, (TABLE, KEY, REQUIRED_CONDITION, *ACTION_EXPRESSIONS)),
        ),
        Member("put", Structure(ops.Put, (TABLE, ITEM, CONDITION, *ACTION_EXPRESSIONS))),
        Member("delete", Structure(ops.Delete, (TABLE, KEY, CONDITION, *ACTION_EXPRESSIONS))),
        Member(
            "update",
            Structure(ops.Update, (TABLE, KEY, REQUIRED_UPDATE, CONDITION, *ACTION_EXPRESSIONS)),
        ),
    ),
    empty_message="Value '' at 'transactItems' failed to satisfy constraint: "
    "TransactWriteRequest should contain Delete or Put or Update or ConditionCheck",
)
GET = Structure(
    ops.TransactGetItem, (required("get", Structure(ops.Get, (TABLE, KEY, PROJECTION, NAMES))),)
)
TRANSACT_GET_ITEMS = Structure(
    ops.TransactGetItems, (CAPACITY, required("transact_items", List(GET, 1, 100)))
)
TRANSACT_WRITE_ITEMS = Structure(
    ops.TransactWriteItems,
    (
        Member("client_request_token", Text(1, 36)),
        CAPACITY,
        METRICS,
        required("transact_items", List(ACTION, 1, 100)),
    ),
)

# --- PartiQL

STATEMENT = required("statement", Text(1, 8192))
PARAMETERS = Member("parameters", List(ATTRIBUTES, 1))
EXECUTE_STATEMENT = Structure(
    ops.ExecuteStatement,
    (
        CAPACITY,
        STATEMENT,
        PARAMETERS,
        CONSISTENT,
        Member("next_token", Text(1, 32_768)),
        LIMIT,
        OLD_ON_FAILURE,
    ),
)
BATCH_EXECUTE_STATEMENT = Structure(
    ops.BatchExecuteStatement,
    (
        CAPACITY,
        required(
            "statements",
            List(
                Structure(
                    ops.BatchStatementRequest, (STATEMENT, PARAMETERS, CONSISTENT, OLD_ON_FAILURE)
                ),
                1,
                25,
            ),
        ),
    ),
)
EXECUTE_TRANSACTION = Structure(
    ops.ExecuteTransaction,
    (
        Member("client_request_token", Text(1, 36)),
        CAPACITY,
        required(
            "transact_statements",
            List(
                Structure(ops.ParameterizedStatement, (STATEMENT, PARAMETERS, OLD_ON_FAILURE)),
                1,
                100,
            ),
        ),
    ),
)

ITEM_RULES = (
    Rule(PUT_ITEM, SINGLE_ITEM),
    Rule(DELETE_ITEM, SINGLE_ITEM),
    Rule(UPDATE_ITEM, UPDATE),
    Rule(GET_ITEM, SINGLE_ITEM),
    Rule(QUERY, PAGED_READ),
    Rule(SCAN, PAGED_READ),
    Rule(BATCH_GET_ITEM, SINGLE_ITEM),
    Rule(BATCH_WRITE_ITEM, BATCH_WRITE),
    Rule(TRANSACT_GET_ITEMS, TRANSACTION),
    Rule(TRANSACT_WRITE_ITEMS, TRANSACTION),
    Rule(EXECUTE_STATEMENT, CONTROL, falls_back=False),
    Rule(BATCH_EXECUTE_STATEMENT, CONTROL, falls_back=False),
    Rule(EXECUTE_TRANSACTION, CONTROL, falls_back=False),
)
