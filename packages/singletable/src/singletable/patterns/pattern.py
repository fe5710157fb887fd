"""Access patterns as values: what a call reads or writes, and its expected load."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    overload,
)

from singletable.errors import DeclarationError
from singletable.patterns.expected_load import ExpectedLoad
from singletable.schema import Collection, ItemKey, Path, Selection, Table, UniqueValue, model_of
from singletable.schema.fields import declared_entity
from singletable.schema.key_parts import MissingValues
from singletable.store import EntityAccess

E = TypeVar("E")
P = ParamSpec("P")
# What a read pattern returns: ItemKey, Partition, Selection or UniqueValue.
Q = TypeVar("Q", bound="ItemKey[Any] | Selection[Any] | UniqueValue[Any]")

Q_co = TypeVar("Q_co", bound="ItemKey[Any] | Selection[Any] | UniqueValue[Any]", covariant=True)


class Positional(Protocol[P, Q_co]):
    """A key or unique constraint; call it with values in order or by name."""

    def positional(self, *args: P.args, **kwargs: P.kwargs) -> Q_co:
        """Return the key or selection for values in order."""
        ...


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a read pattern, with an example value."""

    name: str
    type: object
    example: object


@dataclass(frozen=True, slots=True)
class BasePattern:
    """What all patterns have: their catalog, code and description, and the expected load.

    `accesses` lists what a call does to which entity; calls are recognized by it.
    """

    catalog: str
    code: str
    description: str
    expected: ExpectedLoad
    accesses: tuple[EntityAccess, ...]

    @property
    def id(self) -> str:
        """The catalog and the code, unique across all catalogs: `elections:AP7`."""
        return f"{self.catalog}:{self.code}"

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that a call reads or writes."""
        return tuple(dict.fromkeys(model_of(access.entity).table for access in self.accesses))

    def __str__(self) -> str:
        return f"{self.code}: {self.description}"


@dataclass(frozen=True, slots=True)
class ReadPattern(BasePattern, Generic[P, Q]):
    """A pattern that reads. Call it with its values to get the key or selection for the store."""

    selector: Callable[P, Q]
    parameters: tuple[Parameter, ...]
    # The result for the example values, which has the shape of every call.
    sample: Q
    collection: type[Collection] | None = None

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Q: ...
    @overload
    def __call__(self) -> MissingValues: ...  # type: ignore[overload-cannot-match]
    @overload
    def __call__(self, **values: Any) -> Q: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the key or selection for these values, marked with this pattern."""
        return cast("Callable[..., Q]", self.bind)(*args, **kwargs)

    def bind(self, *args: P.args, **kwargs: P.kwargs) -> Q:
        """Return the key or selection for these values, as a call of the pattern does."""
        selected = self.selector(*args, **kwargs)
        if isinstance(selected, UniqueValue):
            return replace(selected, pattern=self.id)
        marked = copy(selected)
        marked.pattern = self.id
        return marked


class FunctionPattern(ReadPattern[P, Q]):
    """A read pattern declared as a function; type checkers know its parameters."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Q:  # type: ignore[override]
            """Return the key or selection for these values, marked with this pattern."""


@dataclass(frozen=True, slots=True)
class WritePattern(BasePattern):
    """A pattern that writes one item, or several in one transaction."""


@dataclass(frozen=True, slots=True)
class CrudPatterns(Generic[P, E]):
    """The patterns that most entities have."""

    get: ReadPattern[P, ItemKey[E]]
    create: WritePattern
    update: WritePattern
    delete: WritePattern


@dataclass(frozen=True, slots=True)
class ScanPattern(BasePattern):
    """A pattern that scans a whole table, with the reason why that is acceptable."""

    reason: str


@dataclass(frozen=True, slots=True)
class FeedPattern(BasePattern):
    """A pattern that follows the change feed of a table."""


Pattern: TypeAlias = ReadPattern[Any, Any] | WritePattern | ScanPattern | FeedPattern


def creates(entity: type) -> EntityAccess:
    """Declare that a pattern creates items of `entity`."""
    return EntityAccess("create", _entity("creates", entity))


def puts(entity: type) -> EntityAccess:
    """Declare that a pattern puts items of `entity`: put, replace or put_many."""
    return EntityAccess("put", _entity("puts", entity))


def updates(entity: type, *fields: Path[Any, Any]) -> EntityAccess:
    """Declare that a pattern updates these fields of `entity`; without fields, any of them."""
    return _edits("updates", "update", entity, fields)


def upserts(entity: type, *fields: Path[Any, Any]) -> EntityAccess:
    """Declare that a pattern upserts items of `entity`, with edits of these fields, or of any."""
    return _edits("upserts", "upsert", entity, fields)


def modifies(entity: type) -> EntityAccess:
    """Declare that a pattern reads, changes and writes an item of `entity`: store.modify."""
    return EntityAccess("modify", _entity("modifies", entity))


def deletes(entity: type) -> EntityAccess:
    """Declare that a pattern deletes items of `entity`."""
    return EntityAccess("delete", _entity("deletes", entity))


def loads(entity: type) -> EntityAccess:
    """Declare that a pattern loads items of `entity` with bulk_load."""
    return EntityAccess("load", _entity("loads", entity))


def clears(entity: type) -> EntityAccess:
    """Declare that a pattern deletes partitions of `entity`, with all that is in them."""
    return EntityAccess("clear", _entity("clears", entity))


def checks(entity: type) -> EntityAccess:
    """Declare that a transaction checks a condition on an item of `entity`."""
    return EntityAccess("check", _entity("checks", entity))


def check_entity(where: str, entity: type) -> None:
    """Raise unless `entity` is a class."""
    if not isinstance(entity, type):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DeclarationError(f"{where}: expected an entity class, but got {entity!r}.")


def _edits(
    function: str,
    kind: Literal["update", "upsert"],
    entity: type,
    fields: tuple[Path[Any, Any], ...],
) -> EntityAccess:
    model = model_of(_entity(function, entity))
    for path in fields:
        if not isinstance(path, Path) or path.field not in model.fields:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DeclarationError(
                f"{function}({model.name}, …): {path!r} is not a field of {model.name}, which has "
                f"{', '.join(model.fields)}."
            )
    edited = frozenset(path.field for path in fields)
    return EntityAccess(kind, model.entity, edited_fields=edited)


def _entity(function: str, entity: type) -> type:
    check_entity(f"{function}(…)", entity)
    return model_of(declared_entity(entity)).entity
