"""Which key of an entity answers a question by some of its fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from singletable.errors import UnsupportedPattern
from singletable.schema import Access, Model, Partition, Selection


@dataclass(frozen=True, slots=True)
class ByFields:
    """What asks by some fields, through the key that answers it."""

    model: Model
    access: Access
    by: tuple[str, ...]

    def __call__(self, *values: object) -> Selection[Any]:
        """The selection for the values of the fields, in their order."""
        named = self.access.named(self.by, values)
        first = tuple(named[name] for name in self.access.pk_fields)
        partition: Any = Partition[Any].of(self.model.entity, self.access, first)
        for name in self.access.sk_fields[: len(self.by) - len(first)]:
            partition = partition.eq(named[name])
        return partition  # type: ignore[no-any-return]


def serving(where: str, model: Model, by: Sequence[str], order: str | None) -> ByFields:
    """What asks by these fields; with `order`, so that the items come in the order of a field."""
    for access in (model.key, *model.indexes.values()):
        if _serves(access, by, order):
            return ByFields(model, access, tuple(by))
    raise UnsupportedPattern(_refusal(where, model, by, order))


def _serves(access: Access, by: Sequence[str], order: str | None) -> bool:
    """Whether the values are those of the partition, and the first of the sort key."""
    pk, sk = access.pk_fields, access.sk_fields
    given = len(by) - len(pk)
    if set(by) != {*pk, *sk[: max(given, 0)]} or given > len(sk):
        return False
    return order is None or sk[given : given + 1] == (order,)


def _refusal(where: str, model: Model, by: Sequence[str], order: str | None) -> str:
    keys = [_shown(access) for access in (model.key, *model.indexes.values())]
    asked = ", ".join(map(repr, by))
    wanted = f"by {asked}" + (f" in the order of {order!r}" if order is not None else "")
    starts = [*by] if len(by) == 1 else [by[0]]
    return (
        f"{where} asks for {model.name} {wanted}, and no key of {model.name} starts with that "
        f"(there are: {'; '.join(keys)}). Add a key on an index, "
        f"{_proposal(starts, by[1:], order)}, or ask by the fields that one of these starts with: "
        "all of its partition, then its sort key from left to right."
    )


def _proposal(pk: Sequence[str], sk: Sequence[str], order: str | None) -> str:
    rest = [*sk, *([order] if order is not None else [])]
    sort = f", sk=({', '.join(rest)},)" if rest else ""
    return f"Key(pk=({', '.join(pk)},){sort}).on(…)"


def _shown(access: Access) -> str:
    sort = f", then {', '.join(access.sk_fields)}" if access.sk_fields else ""
    partition = ", ".join(access.pk_fields) or "one partition"
    return f"{access.name} ({partition}{sort})"
