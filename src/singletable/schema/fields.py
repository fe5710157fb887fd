"""A field of an entity: a way into stored items on the class, a value on an instance."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from singletable import expressions
from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.codec import Codec, TimeFormat, codec_of, run_check
from singletable.schema.key_encoding import KeyEncoding, key_encoding_of
from singletable.schema.key_parts import KeyPart
from singletable.schema.path import Edit, Path
from singletable.values import AttributeValue

# FROM annotation.py: What a type annotation says about the inside of a value.


def without_none(annotation: object) -> object:
    """The type itself, where it or None is allowed."""
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [one for one in get_args(annotation) if one is not type(None)]
        return rest[0] if len(rest) == 1 else annotation
    return annotation


def inner_type(annotation: object, step: str | int, where: str) -> object:
    """The type of a member or an element of such a value."""
    outer = without_none(annotation)
    origin, arguments = get_origin(outer), get_args(outer)
    if origin in (list, tuple) and isinstance(step, int):
        if step < 0:
            raise InvalidValue(f"{where}[{step}]: elements of a stored list are counted from 0 on.")
        return arguments[0]
    if origin is dict and isinstance(step, str):
        return arguments[1]
    if isinstance(outer, type) and dataclasses.is_dataclass(outer) and isinstance(step, str):
        hints = get_type_hints(outer)
        if step in hints:
            return hints[step]
        raise InvalidValue(f"{where} has no member {step!r}; there are {', '.join(hints)}.")
    raise InvalidValue(f"{where} is no list, map or dataclass: {step!r} cannot be inside it.")


# FROM stands_for.py: Classes that declare how instances of another class are stored.

M = TypeVar("M")


class EntityDeclaration(Generic[M]):
    """A class whose fields and keys are those of entity M, which cannot declare them itself."""


DECLARED_ENTITIES: dict[type, type] = {}


def declared_entity(owner: type[Any]) -> type[Any]:
    """The entity that a class declares: itself, or the one it stands for."""
    return DECLARED_ENTITIES.get(owner, owner)


E = TypeVar("E")
T = TypeVar("T")

Role: TypeAlias = Literal["version", "created", "updated", "expires"]
Check: TypeAlias = Callable[[Any], object]


class EntityInstance:
    """What an instance of any entity is: so that a checker never takes the class for one."""


class Attr(Path[Any, T], KeyPart[T]):
    """A field of type T: its value on an instance; on the class, the way to it in stored items."""

    def __init__(
        self,
        *,
        name: str | None,
        default: Callable[[], object] | None,
        check: Check | None,
        time_format: TimeFormat | None,
        stored: bool,
        role: Role | None,
        constant: bool = False,
    ) -> None:
        self.attribute = name or ""
        self.default = default
        self.check = check
        self.time_format = time_format
        self.stored = stored
        self.role: Role | None = role
        # Whether the default is one value for all.
        self.constant = constant
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
        # Values stand in the instance's own dictionary, so this is reached when there is none.
        raise AttributeError(f"{owner.__name__}.{self.name} has no value yet: {_WHEN[self.role]}.")

    if TYPE_CHECKING:
        # For checkers alone: this is what makes the constructor and assignments typed. At run time
        # a descriptor that can be set would make each reading five times as slow.
        def __set__(self, instance: EntityInstance, value: T, /) -> None: ...

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.owner = owner.__name__
        self.attribute = self.attribute or name

    def copy(self) -> Attr[T]:
        """The same field, for a class that inherits it."""
        return Attr(
            name=self.attribute,
            default=self.default,
            check=self.check,
            time_format=self.time_format,
            stored=self.stored,
            role=self.role,
            constant=self.constant,
        )

    def resolve(self, annotation: object, codec: Codec | None = None) -> None:
        """Learn the type of the field, once it can be read; `codec` holds what the type cannot."""
        if self._codec is not None:
            return
        try:
            self._codec = codec or codec_of(annotation, time_format=self.time_format)
        except DeclarationError as error:
            raise DeclarationError(f"{self}: {error}") from None
        self._type = annotation
        if self.constant and self.default is not None:
            self._check_default(self.default())

    def _check_default(self, default: object) -> None:
        try:
            self.codec().encode(default)
        except InvalidValue as error:
            raise DeclarationError(f"{self}: the default is not of its type: {error}") from None

    def document_path(self) -> expressions.Path:
        """The way, by the names of attributes."""
        return (self.attribute,)

    def codec(self) -> Codec:
        """How the value is held there."""
        if self._codec is None:
            raise DeclarationError(f"{self} is used before its class is complete.")
        return self._codec

    def set(self, value: T) -> Edit[Any]:
        """Make it this value, if the field's own check allows it; None removes it."""
        return self._checked(super().set(value), value)

    def set_if_missing(self, value: T) -> Edit[Any]:
        """Make it this value unless there is one, if the field's own check allows it."""
        return self._checked(super().set_if_missing(value), value)

    @property
    def field(self) -> str:
        """The name of the field."""
        return self.name

    @property
    def annotation(self) -> object:
        """The type of the field, without None."""
        return without_none(self._type)

    def encoding(self) -> KeyEncoding:
        """How the value is written into a key."""
        try:
            return key_encoding_of(self.annotation, self.time_format)
        except DeclarationError as error:
            raise DeclarationError(f"{self}: {error}") from None

    def child(self, step: str | int) -> Path[Any, Any]:
        """The way to a member or an element of the value."""
        return NestedPath(self, (step,), inner_type(self._type, step, str(self)))

    def _checked(self, edit: Edit[Any], value: object) -> Edit[Any]:
        # Asked last: a check may rely on the type.
        run_check(self.check, value, str(self))
        return edit

    def _may_be_absent(self) -> bool:
        return self.codec().optional or self.default is not None

    def _absence(self, instead: AttributeValue | None) -> expressions.Action:
        """What takes the value away; a default is written, so that indexes have it too."""
        default = None if self.default is None else self.default()
        if default is None or default == frozenset():
            return expressions.Remove(self.document_path())
        held = self.codec().encode(default) if instead is None else instead
        return expressions.Set(self.document_path(), expressions.Constant(held))

    def __repr__(self) -> str:
        return f"{self.owner}.{self.name}"

    def __str__(self) -> str:
        # A field in the body of its class has no name yet: this is f"POLL#{id}", meant for a key.
        if not self.owner:
            raise DeclarationError(
                "A field is made a text while its class is declared, and has no value there. A key "
                'is made of texts and of the fields themselves: Key(pk=("POLL", id), …), and not '
                'f"POLL#{id}".'
            )
        return repr(self)


class NestedPath(Path[E, T]):
    """The way to something inside the value of a field."""

    def __init__(self, root: Attr[Any], steps: tuple[str | int, ...], annotation: object) -> None:
        self._root = root
        self._steps = steps
        self._type = annotation

    def document_path(self) -> expressions.Path:
        """The way, by the names of attributes."""
        return (*self._root.document_path(), *self._steps)

    def codec(self) -> Codec:
        """How the value is held there."""
        return codec_of(self._type)

    @property
    def field(self) -> str:
        """The name of the field that the way begins with."""
        return self._root.field

    def child(self, step: str | int) -> Path[E, Any]:
        """The way to a member or an element of the value."""
        return NestedPath(self._root, (*self._steps, step), inner_type(self._type, step, str(self)))

    def __str__(self) -> str:
        steps = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in self._steps
        )
        return f"{self._root}{steps}"

    __repr__ = __str__


_WHEN: dict[Role | None, str] = {
    None: "it was not among what was read",
    "version": "the store sets it when the item is written",
    "created": "the store sets it when the item is written",
    "updated": "the store sets it when the item is written",
    "expires": "it was not given",
}


# FROM field.py: The words that declare a field: a plain one, or one that the store keeps.


@overload
def attr(
    *,
    default: T,
    name: str | None = None,
    check: Callable[[T], object] | None = None,
    time_format: TimeFormat | None = None,
    key_only: bool = False,
) -> Attr[T]: ...
@overload
def attr(
    *,
    factory: Callable[[], T],
    name: str | None = None,
    check: Callable[[T], object] | None = None,
    time_format: TimeFormat | None = None,
    key_only: bool = False,
) -> Attr[T]: ...
@overload
def attr(
    *,
    name: str | None = None,
    check: Callable[[Any], object] | None = None,
    time_format: TimeFormat | None = None,
    key_only: bool = False,
) -> Any: ...
def attr(
    *,
    default: object = ...,
    factory: Callable[[], Any] | None = None,
    name: str | None = None,
    check: Callable[[Any], object] | None = None,
    time_format: TimeFormat | None = None,
    key_only: bool = False,
) -> Any:
    """A field, as in `title: Attr[str] = attr()`.

    `default` or `factory` gives its value where none is given, and where an older item has none.
    `name` is its name at rest, if that differs. `check` refuses a value by a ValueError or by
    False. `time_format` is how a time is written. With key_only=True it stands in the key alone.
    """
    make = factory
    if check is not None and not callable(check):
        raise DeclarationError(f"attr(check={check!r}): expected a function of the value.")
    if default is not ...:
        if factory is not None:
            raise DeclarationError("attr(default=…, factory=…): a field has one of them.")
        if default.__class__.__hash__ is None:
            raise DeclarationError(
                f"attr(default={default!r}): one {type(default).__name__} would be shared by all "
                f"instances. Write attr(factory={type(default).__name__})."
            )
        make = lambda: default  # noqa: E731
    return Attr[Any](
        name=name,
        default=make,
        check=check,
        time_format=time_format,
        stored=not key_only,
        role=None,
        constant=default is not ...,
    )


def version(*, name: str | None = None, init: Literal[False] = False) -> Any:
    """A number that counts writes: a put that began from an older state is refused."""
    return _kept(name, "version", None)


def created(
    *, name: str | None = None, time_format: TimeFormat | None = None, init: Literal[False] = False
) -> Any:
    """The time at which the item was first written, set by the store."""
    return _kept(name, "created", time_format)


def updated(
    *, name: str | None = None, time_format: TimeFormat | None = None, init: Literal[False] = False
) -> Any:
    """The time at which the item was last written, set by the store."""
    return _kept(name, "updated", time_format)


def expires(*, name: str | None = None, default: object = ...) -> Any:
    """The time after which the item is gone: no read shows it, and DynamoDB deletes it later."""
    if default not in (None, ...):
        raise DeclarationError("expires(default=…): only None can be the same time for all items.")
    return Attr[Any](
        name=name,
        default=None if default is ... else lambda: None,
        check=None,
        time_format=TimeFormat.EPOCH_SECONDS,
        stored=True,
        role="expires",
        constant=default is not ...,
    )


def _kept(name: str | None, role: Role, time_format: TimeFormat | None) -> Attr[Any]:
    return Attr(
        name=name, default=None, check=None, time_format=time_format, stored=True, role=role
    )
