"""What a request is, as far as the conditions of a policy may ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from singletable.errors import ResourceNotFound, ValidationError
from singletable.operations import Scan
from singletable.server.guard.needs import Need, attributes_of, partition_values
from singletable.server.guard.policy import PARTITION_KEYS

# The partition key attributes of a table, or of an index of it; None if there is no such thing.
KeySchema: TypeAlias = Callable[[str, str | None], tuple[str, ...] | None]


class Facts:
    """The values that condition keys have for one need; each is worked out when it is asked for."""

    def __init__(self, need: Need, context: Mapping[str, str], key_schema: KeySchema) -> None:
        self._need = need
        self._context = context
        self._key_schema = key_schema
        self._attributes: tuple[str, ...] | None = None

    def __call__(self, key: str) -> Sequence[str]:
        """The values of a condition key; none if the request does not have it."""
        need = self._need
        match key:
            case "dynamodb:Attributes":
                return self._named()
            case "dynamodb:EnclosingOperation":
                return _one(need.enclosing_operation)
            case "dynamodb:ReturnConsumedCapacity":
                return _one(need.return_consumed_capacity)
            case "dynamodb:ReturnValues":
                return _one(need.return_values)
            case "dynamodb:Select":
                return _one(need.select)
            case _ if key in PARTITION_KEYS:
                return self._partitions(PARTITION_KEYS[key])
            case _:
                return _one(self._context.get(key))

    def _named(self) -> tuple[str, ...]:
        if self._attributes is None:
            part = self._need.part
            self._attributes = () if part is None else attributes_of(part)
        return self._attributes

    def _partitions(self, position: int) -> tuple[str, ...]:
        need = self._need
        if need.part is None or need.table is None or isinstance(need.part, Scan):
            return ()
        attributes = self._key_schema(need.table, need.index)
        if attributes is None:
            raise _unknown(need)
        if position >= len(attributes):
            return ()
        return partition_values(need.part, attributes[position])


def _one(value: str | None) -> tuple[str, ...]:
    return () if value is None else (value,)


def _unknown(need: Need) -> ResourceNotFound | ValidationError:
    """Whether a key may be used cannot be told without the table: it is refused as DynamoDB would
    a little later, so that a table made in between is not written unchecked.
    """
    if need.index is not None:
        return ValidationError(f"The table does not have the specified index: {need.index}")
    return ResourceNotFound("Requested resource not found")
