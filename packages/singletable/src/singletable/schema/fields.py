"""Fields of an entity: `Attr`, and the functions that declare one."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    overload,
)

from dynamodb_engine import expressions
from dynamodb_engine.values import AttributeValue
from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.codec import Codec, FieldCodec, TimeFormat, codec_of, run_check
from singletable.schema.codec.members import member_type
from singletable.schema.codec.unions import without_none
from singletable.schema.key_encoding import KeyEncoding, key_encoding_of
from singletable.schema.key_parts import KeyPart
from singletable.schema.path import Edit, Path, is_empty_set

E = TypeVar("E")
M = TypeVar("M")
T = TypeVar("T")


class EntityDeclaration(Generic[M]):
    """A class that declares the fields and keys of another class, M, such as a pydantic model."""


DECLARED_ENTITIES: dict[type, type] = {}


def declared_entity(owner: type[Any]) -> type[Any]:
    """Return the entity that a class declares: itself, or the model of a ModelEntity."""
    return DECLARED_ENTITIES.get(owner, owner)


Role: TypeAlias = Literal["version", "created", "updated", "expires", "sequence"]
Check: TypeAlias = Callable[[Any], object]
NumberedBy: TypeAlias = tuple[Path[Any, int], tuple[KeyPart[Any], ...]]


class EntityInstance:
    """Base of all entities, by which type checkers tell an instance from the class."""


class ModelInstance(Protocol):
    """An instance of a pydantic model, for type checkers: a class has no such value."""

    @property
    def model_fields_set(self) -> set[str]:
        """The fields that were passed."""
        ...


# What a store writes: not the class of an entity, which is easily passed by mistake.
StorableItem: TypeAlias = EntityInstance | ModelInstance


class Attr(Path[Any, T], KeyPart[T]):
    """A field of type T: its value on an instance; on the class, the path to it in stored items."""

    def __init__(
        self,
        *,
        name: str | None = None,
        default: Callable[[], object] | None = None,
        check: Check | None = None,
        time_format: TimeFormat | None = None,
        key_only: bool = False,
        role: Role | None = None,
        constant: bool = False,
        read_only: bool = False,
        hidden: bool = False,
        codec: FieldCodec[Any] | None = None,
        numbered_by: NumberedBy | None = None,
    ) -> None:
        # The name of the stored attribute, and whether the declaration of the field says it.
        self.attribute = name or ""
        self.is_named = bool(name)
        self.default = default
        self.check = check
        self.time_format = time_format
        self.stored = not key_only
        self.role: Role | None = role
        # Whether the default is the same value for all items.
        self.constant = constant
        # What clients of an API may do: see but not set the value, or neither.
        self.read_only = read_only
        self.hidden = hidden
        self.field_codec = codec
        # Of a sequence: the number of the parent, and the fields with the key of the parent.
        self.numbered_by = numbered_by
        self.name = ""
        self.owner = ""
        self._type: object = None
        self._codec: Codec | None = None

    @overload
    def __get__(self, instance: None, owner: type[EntityDeclaration[E]], /) -> Path[E, T]: ...
    @overload
    def __get__(self, instance: None, owner: type[E], /) -> Path[E, T]: ...
    @overload
    def __get__(self, instance: EntityInstance, owner: type[E], /) -> T: ...
    def __get__(self, instance: EntityInstance | None, owner: type[E], /) -> Any:
        if instance is None:
            return self
        # Values are in the instance's own dictionary, so this is reached if there is none.
        raise AttributeError(
            f"{owner.__name__}.{self.name} has no value yet: {_NO_VALUE_REASONS[self.role]}."
        )

    if TYPE_CHECKING:
        # For type checkers only: it makes the constructor and assignments typed. At run time a data
        # descriptor would make each read five times as slow.
        def __set__(self, instance: EntityInstance, value: T, /) -> None: ...

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.owner = owner.__name__
        self.attribute = self.attribute or name

    def copy(self) -> Attr[T]:
        """Return a copy of the field, for a class that inherits it."""
        copied = copy(self)
        copied.attribute = self.attribute if self.is_named else ""
        copied._type = copied._codec = None
        return copied

    def resolve(self, annotation: object, codec: Codec | None = None) -> None:
        """Set the type of the field; `codec` stores types that have no codec of their own."""
        if self._codec is not None:
            return
        try:
            self._codec = codec or codec_of(
                annotation,
                time_format=self.time_format,
                rounds=self._rounds_times,
                field_codec=self.field_codec,
            )
        except DeclarationError as error:
            raise DeclarationError(f"{self}: {error}") from None
        self._type = annotation
        if self.constant and self.default is not None:
            self._check_default(self.default())

    def _check_default(self, default: object) -> None:
        try:
            self.codec().encode(default)
        except InvalidValue as error:
            advice = (
                f" Write attr(factory={default.__name__})." if isinstance(default, type) else ""
            )
            raise DeclarationError(
                f"{self}: the default has the wrong type: {error}{advice}"
            ) from None

    def document_path(self) -> expressions.Path:
        """Return the path by attribute names."""
        return (self.attribute,)

    def codec(self) -> Codec:
        """Return the codec of the value."""
        if self._codec is None:
            raise DeclarationError(f"{self} is used before its class is declared completely.")
        return self._codec

    def set(self, value: T) -> Edit[Any]:
        """Set the value, if the field's own check accepts it; None removes it."""
        return self._checked(super().set(value), value)

    def set_if_missing(self, value: T) -> Edit[Any]:
        """Set the value unless the attribute exists, if the field's own check accepts it."""
        return self._checked(super().set_if_missing(value), value)

    @property
    def field(self) -> str:
        """The name of the field."""
        return self.name

    @property
    def root(self) -> Path[Any, Any]:
        """The field itself."""
        return self

    @property
    def annotation(self) -> object:
        """The type of the field, without None."""
        return without_none(self._type)

    def encoding(self) -> KeyEncoding:
        """Return how the value is written into a key."""
        try:
            return key_encoding_of(self._stored_type(), self.time_format, rounds=self._rounds_times)
        except DeclarationError as error:
            raise DeclarationError(f"{self}: {error}") from None

    def child(self, step: str | int) -> Path[Any, Any]:
        """Return the path to a member of the value."""
        return NestedPath(self, (step,), member_type(self._stored_type(), step, str(self)))

    @property
    def _rounds_times(self) -> bool:
        """Whether a time is rounded down to its format: the store sets the times that have a role.

        One is `expires()`, because TTL has whole seconds, but `now + timedelta(…)` rarely does.
        """
        return self.role is not None

    def _stored_type(self) -> Any:
        """Return the type of the field with all that says how it is stored."""
        settings = [one for one in (self.time_format, self.field_codec) if one is not None]
        return Annotated[(self.annotation, *settings)] if settings else self.annotation

    def _checked(self, edit: Edit[Any], value: object) -> Edit[Any]:
        # Last, because a check may rely on the type.
        if self.check is not None:
            run_check(self.check, value, str(self), secret=self.codec().cipher is not None)
        return edit

    def _is_declared(self) -> bool:
        return self._codec is not None and bool(self.owner)

    def _may_be_absent(self) -> bool:
        return self.codec().optional or self.default is not None

    def _absence(self, instead: AttributeValue | None) -> expressions.Action:
        """Return the action that removes the value, or that stores the default for indexes."""
        default = None if self.default is None else self.default()
        if default is None or is_empty_set(default):
            return expressions.Remove(self.document_path())
        value = self.codec().encode(default) if instead is None else instead
        return expressions.Set(self.document_path(), expressions.Constant(value))

    def __repr__(self) -> str:
        return f"{self.owner}.{self.name}"

    def __str__(self) -> str:
        # A field in the body of its class has no name yet: somebody wrote f"POLL#{id}" for a key.
        if not self.owner:
            raise DeclarationError(
                "A field has no value while its class is being declared, so it cannot be formatted "
                'as text. List texts and fields in the key: Key(pk=("POLL", id), …), not '
                'f"POLL#{id}".'
            )
        return repr(self)


class NestedPath(Path[E, T]):
    """The path to a member inside the value of a field."""

    def __init__(self, root: Attr[Any], steps: tuple[str | int, ...], annotation: object) -> None:
        self._root = root
        self.steps = steps
        self._type = annotation

    def document_path(self) -> expressions.Path:
        """Return the path by attribute names."""
        return (*self._root.document_path(), *self.steps)

    def codec(self) -> Codec:
        """Return the codec of the value."""
        try:
            return codec_of(self._type)
        except DeclarationError as error:
            raise InvalidValue(f"{self}: {error}") from None

    @property
    def field(self) -> str:
        """The name of the field that the path starts with."""
        return self._root.field

    @property
    def root(self) -> Path[E, Any]:
        """The path to the field."""
        return self._root

    def child(self, step: str | int) -> Path[E, Any]:
        """Return the path to a member of the value."""
        inner = member_type(self._type, step, str(self))
        return NestedPath(self._root, (*self.steps, step), inner)

    def __str__(self) -> str:
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.steps)
        return f"{self._root}{steps}"

    __repr__ = __str__


_NO_VALUE_REASONS: dict[Role | None, str] = {
    None: "it was not read",
    "version": "the store sets it when the item is written",
    "created": "the store sets it when the item is written",
    "updated": "the store sets it when the item is written",
    "expires": "it was not set",
    "sequence": "store.create() assigns it",
}


class FieldOptions(TypedDict, total=False):
    """The options of `attr` that do not depend on the type of the field."""

    name: str | None
    time_format: TimeFormat | None
    key_only: bool
    read_only: bool
    hidden: bool


@overload
def attr(
    *,
    default: T,
    check: Callable[[T], object] | None = None,
    codec: FieldCodec[T] | None = None,
    **options: Unpack[FieldOptions],
) -> Attr[T]: ...
@overload
def attr(
    *,
    factory: Callable[[], T],
    check: Callable[[T], object] | None = None,
    codec: FieldCodec[T] | None = None,
    **options: Unpack[FieldOptions],
) -> Attr[T]: ...
@overload
def attr(
    *,
    codec: FieldCodec[T],
    check: Callable[[T], object] | None = None,
    **options: Unpack[FieldOptions],
) -> Attr[T]: ...
@overload
def attr(
    *, check: Callable[[Any], object] | None = None, **options: Unpack[FieldOptions]
) -> Any: ...
def attr(
    *,
    default: object = ...,
    factory: Callable[[], Any] | None = None,
    check: Callable[[Any], object] | None = None,
    codec: FieldCodec[Any] | None = None,
    name: str | None = None,
    time_format: TimeFormat | None = None,
    key_only: bool = False,
    read_only: bool = False,
    hidden: bool = False,
) -> Any:
    """Declare a field, as in `title: Attr[str] = attr()`.

    `default` or `factory` provides the value where none is passed, and where a stored item has
    none. `name` is the name of the stored attribute, if it differs. `check` rejects a value by
    raising ValueError or returning False. `time_format` is how datetimes are stored; finer ones
    are rejected. With key_only=True the value is stored only in a key, of the table or of an index.
    With FastAPI, a `read_only` field is in responses but ignored in request bodies, and a `hidden`
    one is in neither. `codec` stores the value in another way than its type is stored: `codec(…)`,
    `Json()`, `Compressed()` or `Encrypted(…)`.
    """
    create = factory
    if check is not None and not callable(check):
        raise DeclarationError(f"attr(check={check!r}): expected a function that takes the value.")
    if codec is not None and not isinstance(codec, FieldCodec):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DeclarationError(
            f"attr(codec={codec!r}): expected a codec, such as codec(encode=…, decode=…, "
            "stored_as=str), Json(), Compressed() or Encrypted(key=…, key_id=…)."
        )
    if default is not ...:
        if factory is not None:
            raise DeclarationError("attr(default=…, factory=…): pass only one of them.")
        if default.__class__.__hash__ is None:
            raise DeclarationError(
                f"attr(default={default!r}): all instances would share one "
                f"{type(default).__name__}. Write attr(factory={type(default).__name__})."
            )
        create = lambda: default  # noqa: E731
    return Attr[Any](
        name=name,
        default=create,
        check=check,
        time_format=time_format,
        key_only=key_only,
        constant=default is not ...,
        read_only=read_only,
        hidden=hidden,
        codec=codec,
    )


def version(*, name: str | None = None, init: Literal[False] = False) -> Any:
    """Declare the version number for optimistic locking: a put of an older version is rejected."""
    return Attr[Any](name=name, role="version")


def created(
    *, name: str | None = None, time_format: TimeFormat | None = None, init: Literal[False] = False
) -> Any:
    """Declare the time of the first write, set by the store."""
    return Attr[Any](name=name, time_format=time_format, role="created")


def updated(
    *, name: str | None = None, time_format: TimeFormat | None = None, init: Literal[False] = False
) -> Any:
    """Declare the time of the last write, set by the store."""
    return Attr[Any](name=name, time_format=time_format, role="updated")


def expires(*, name: str | None = None, default: object = ...) -> Any:
    """Declare the expiration time (TTL): reads hide the item from then on, DynamoDB deletes it."""
    if default not in (None, ...):
        raise DeclarationError("expires(default=…): the only possible default is None.")
    return Attr[Any](
        name=name,
        default=None if default is ... else lambda: None,
        time_format=TimeFormat.EPOCH_SECONDS,
        role="expires",
        constant=default is not ...,
    )


def sequence(
    path: Path[Any, int],
    *,
    key: tuple[KeyPart[Any], ...],
    name: str | None = None,
    init: Literal[False] = False,
) -> Any:
    """Declare a number that `create` takes from a parent: 1, 2, 3 … for each parent.

    `sequence(Project.last_number, key=(org, project))` adds one to the number of the project whose
    key has these values. Numbers are never used twice, but a create that fails leaves a gap.
    """
    if not isinstance(key, tuple) or not all(isinstance(part, Attr) for part in key):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DeclarationError(
            f"sequence(…, key={key!r}): expected a tuple of fields, such as key=(org, project)."
        )
    if not isinstance(path, Attr):
        raise DeclarationError(
            f"sequence({path!r}, …): expected a field of another entity, such as "
            "sequence(Project.last_number, key=(org, project))."
        )
    return Attr[Any](name=name, role="sequence", numbered_by=(path, key))
