"""Key schemas: what may be the key of a table and of each kind of index, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from singletable.engine.control.definitions import check_defined, names
from singletable.errors import ValidationError
from singletable.operations import (
    AttributeDefinition,
    CreateGlobalSecondaryIndexAction,
    GlobalSecondaryIndex,
    KeySchemaElement,
    LocalSecondaryIndex,
)
from singletable.values import INVALID

MAX_ATTRIBUTES = 4  # of one role in the key of a global index
NO_DEFINITION = "Invalid KeySchema: Some index key attribute have no definition"
NOT_HASH = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
NOT_RANGE = "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
SAME_NAME = "Both the Hash Key and the Range Key element in the KeySchema have the same name"
SAME_NAMES = "The KeySchema contains multiple key attributes with the same name"
MIXED_ROLES = "All HASH key attributes must precede RANGE key attributes in the KeySchema"

Keys: TypeAlias = Sequence[KeySchemaElement]
Definitions: TypeAlias = Sequence[AttributeDefinition]


def check_table_key(keys: Keys, definitions: Definitions) -> None:
    """Raise unless the keys are a partition key, or a partition key and a sort key."""
    if len(keys) > len(definitions):
        raise ValidationError(NO_DEFINITION)
    _check_pair(keys, definitions)


def check_local_key(index: LocalSecondaryIndex, table: Keys, definitions: Definitions) -> None:
    """Raise unless the index sorts the table's partitions by another attribute."""
    keys = index.key_schema
    _check_pair(keys, definitions)
    if len(keys) < 2:
        raise ValidationError(
            f"{INVALID}Index KeySchema does not have a range key for index: {index.index_name}"
        )
    own, shared = keys[0].attribute_name, table[0].attribute_name
    if own != shared:
        raise ValidationError(
            f"{INVALID}Index KeySchema does not have the same leading hash key as table KeySchema "
            f"for index: {index.index_name}. index hash key: {own}, table hash key: {shared}"
        )


def check_global_key(
    index: GlobalSecondaryIndex | CreateGlobalSecondaryIndexAction, definitions: Definitions
) -> None:
    """Raise unless the keys are up to four partition attributes and then up to four to sort by."""
    keys = index.key_schema
    check_defined(keys, definitions)
    if len(set(names(keys))) < len(keys):
        raise ValidationError(SAME_NAME if len(keys) == 2 else SAME_NAMES)
    roles = [key.key_type for key in keys]
    if roles[0] != "HASH":
        raise ValidationError(NOT_HASH)
    if roles != sorted(roles):
        raise ValidationError(INVALID + MIXED_ROLES)
    for role in ("HASH", "RANGE"):
        if roles.count(role) > MAX_ATTRIBUTES:
            raise ValidationError(
                f"{INVALID}The KeySchema exceeds the maximum allowed number of {role} "
                "key attributes"
            )


def _check_pair(keys: Keys, definitions: Definitions) -> None:
    check_defined(keys, definitions)
    if len(keys) == 2 and keys[0].attribute_name == keys[1].attribute_name:
        raise ValidationError(SAME_NAME)
    if keys[0].key_type != "HASH":
        raise ValidationError(NOT_HASH)
    if len(keys) == 2 and keys[1].key_type != "RANGE":
        raise ValidationError(NOT_RANGE)
