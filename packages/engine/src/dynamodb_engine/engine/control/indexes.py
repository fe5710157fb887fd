"""Keys and indexes: attribute definitions, key schemas, projections, and changes to indexes.

Everything here is checked on the request alone, before the table is looked up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.control.capacity import check_throughput_bounds
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.values import INVALID

IndexAction: TypeAlias = (
    ops.UpdateGlobalSecondaryIndexAction
    | ops.CreateGlobalSecondaryIndexAction
    | ops.DeleteGlobalSecondaryIndexAction
)
Keys: TypeAlias = Sequence[ops.KeySchemaElement]
Definitions: TypeAlias = Sequence[ops.AttributeDefinition]

MAX_KEY_ATTRIBUTES = 4  # of one role in the key of a global index
NO_DEFINITION = "Invalid KeySchema: Some index key attribute have no definition"
NOT_HASH = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
NOT_RANGE = "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
SAME_NAME = "Both the Hash Key and the Range Key element in the KeySchema have the same name"
SAME_NAMES = "The KeySchema contains multiple key attributes with the same name"
MIXED_ROLES = "All HASH key attributes must precede RANGE key attributes in the KeySchema"
NO_ACTION = (
    f"{INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
    "GlobalSecondaryIndexUpdate.Delete must not be null"
)
SEVERAL_ACTIONS = (
    f"{INVALID}Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate "
    "object"
)
# The number of buckets of a Java HashSet that was created without a capacity.
DEFAULT_BUCKETS = 16


def attribute_names(
    elements: Iterable[ops.AttributeDefinition | ops.KeySchemaElement],
) -> list[str]:
    """Return the names of attributes, in order."""
    return [element.attribute_name for element in elements]


def sort_definitions(
    definitions: Iterable[ops.AttributeDefinition],
) -> list[ops.AttributeDefinition]:
    """Return the definitions in the order in which AWS shows them: by name."""
    return sorted(definitions, key=lambda definition: definition.attribute_name)


def check_definitions_unique(definitions: Definitions) -> None:
    """Raise if an attribute is defined twice, even with the same type."""
    seen: set[str] = set()
    for name in attribute_names(definitions):
        if name in seen:
            raise ValidationError(f"Attribute Name is duplicated: {name}")
        seen.add(name)


def check_definitions_used(key_schemas: Iterable[Keys], definitions: Definitions) -> None:
    """Raise if a table with indexes defines an attribute that is in no key."""
    used = [name for key_schema in key_schemas for name in attribute_names(key_schema)]
    defined = attribute_names(definitions)
    if not set(defined) <= set(used):
        raise ValidationError(
            f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: "
            f"{format_presized_set(defined)}, keys used: {format_set(used)}"
        )


def check_table_key(keys: Keys, definitions: Definitions) -> None:
    """Raise unless the key is a partition key, optionally followed by a sort key."""
    if len(keys) > len(definitions):
        raise ValidationError(NO_DEFINITION)
    _check_simple_key(keys, definitions)


def check_local_key(index: ops.LocalSecondaryIndex, table: Keys, definitions: Definitions) -> None:
    """Raise unless the index has the table's partition key and a sort key."""
    keys = index.key_schema
    _check_simple_key(keys, definitions)
    if len(keys) < 2:
        raise ValidationError(
            f"{INVALID}Index KeySchema does not have a range key for index: {index.index_name}"
        )
    index_key, table_key = keys[0].attribute_name, table[0].attribute_name
    if index_key != table_key:
        raise ValidationError(
            f"{INVALID}Index KeySchema does not have the same leading hash key as table KeySchema "
            f"for index: {index.index_name}. index hash key: {index_key}, "
            f"table hash key: {table_key}"
        )


def check_global_key(
    index: ops.GlobalSecondaryIndex | ops.CreateGlobalSecondaryIndexAction, definitions: Definitions
) -> None:
    """Raise unless the key is one to four partition attributes and then up to four to sort by."""
    keys = index.key_schema
    _check_defined(keys, definitions)
    if len(set(attribute_names(keys))) < len(keys):
        raise ValidationError(SAME_NAME if len(keys) == 2 else SAME_NAMES)
    roles = [key.key_type for key in keys]
    if roles[0] != "HASH":
        raise ValidationError(NOT_HASH)
    if roles != sorted(roles):
        raise ValidationError(INVALID + MIXED_ROLES)
    for role in ("HASH", "RANGE"):
        if roles.count(role) > MAX_KEY_ATTRIBUTES:
            raise ValidationError(
                f"{INVALID}The KeySchema exceeds the maximum allowed number of {role} "
                "key attributes"
            )


def _check_simple_key(keys: Keys, definitions: Definitions) -> None:
    _check_defined(keys, definitions)
    if len(keys) == 2 and keys[0].attribute_name == keys[1].attribute_name:
        raise ValidationError(SAME_NAME)
    if keys[0].key_type != "HASH":
        raise ValidationError(NOT_HASH)
    if len(keys) == 2 and keys[1].key_type != "RANGE":
        raise ValidationError(NOT_RANGE)


def _check_defined(keys: Keys, definitions: Definitions) -> None:
    names, defined = attribute_names(keys), attribute_names(definitions)
    if not set(names) <= set(defined):
        raise ValidationError(
            f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: {format_set(names)}, AttributeDefinitions: {format_presized_set(defined)}"
        )


def check_projection(projection: ops.Projection) -> None:
    """Raise unless INCLUDE lists attributes, each once, and other types list none."""
    kind, attributes = projection.projection_type, projection.non_key_attributes
    if kind is None:
        raise ValidationError(f"{INVALID}Unknown ProjectionType: null")
    if kind != "INCLUDE" and attributes is not None:
        raise ValidationError(
            f"{INVALID}ProjectionType is {kind}, but NonKeyAttributes is specified"
        )
    if kind == "INCLUDE" and not attributes:
        raise ValidationError(
            f"{INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified"
        )
    seen: set[str] = set()
    for name in attributes or ():
        if name in seen:
            raise ValidationError(f"{INVALID}Duplicate element in NonKeyAttributes: {name}")
        seen.add(name)


def sort_projection(projection: ops.Projection) -> ops.Projection:
    """Return the projection with its attributes in the order in which AWS shows them: by name."""
    attributes = projection.non_key_attributes
    return replace(projection, non_key_attributes=attributes and sorted(attributes))


def index_actions(request: ops.UpdateTable) -> list[IndexAction]:
    """Return the index actions of an UpdateTable.

    Raise ValidationError unless each update has exactly one action and each index one update.
    """
    actions = [_action(update) for update in request.global_secondary_index_updates or ()]
    seen: set[str] = set()
    for action in actions:
        if action.index_name in seen:
            raise ValidationError(
                f"{INVALID}Only one global secondary index update per index is allowed "
                f"simultaneously. Index: {action.index_name}"
            )
        seen.add(action.index_name)
    return actions


def _action(update: ops.GlobalSecondaryIndexUpdate) -> IndexAction:
    actions = [a for a in (update.update, update.create, update.delete) if a is not None]
    if not actions:
        raise ValidationError(NO_ACTION)
    if len(actions) > 1:
        raise ValidationError(SEVERAL_ACTIONS)
    return actions[0]


def is_create_or_delete(action: IndexAction) -> bool:
    """Return whether the action creates or deletes an index rather than updating it."""
    return not isinstance(action, ops.UpdateGlobalSecondaryIndexAction)


def check_new_index(
    index: ops.CreateGlobalSecondaryIndexAction, definitions: Definitions | None
) -> None:
    """Raise unless the index is valid. The request must define its keys, even if the table does."""
    if definitions is None:
        raise ValidationError(
            f"{INVALID}AttributeDefinitions is not specified for index: {index.index_name}"
        )
    check_global_key(index, definitions)
    check_projection(index.projection)
    if index.provisioned_throughput is not None:
        check_throughput_bounds(index.provisioned_throughput, f" for index {index.index_name}")


def format_set(names: Iterable[str], buckets: int = DEFAULT_BUCKETS) -> str:
    """Return distinct names in brackets, in the order of a Java HashSet with that many buckets.

    AWS's errors list names in this order.
    """
    unique = dict.fromkeys(names)
    return f"[{', '.join(sorted(unique, key=lambda name: _java_hash(name) % buckets))}]"


def format_presized_set(names: Collection[str]) -> str:
    """Return distinct names in brackets, in the order of a HashSet created for that many names."""
    expected = len(names) + 1 if len(names) < 3 else len(names) * 4 // 3 + 1
    return format_set(names, 1 << (expected - 1).bit_length())


def _java_hash(name: str) -> int:
    """Return Java's `String.hashCode()`, spread as `HashMap` spreads it."""
    code = 0
    units = name.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    return code ^ (code >> 16)
