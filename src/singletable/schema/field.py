"""The words that declare a field: a plain one, or one that the store keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar, overload

from singletable.errors import DeclarationError
from singletable.schema.attribute import Attr, Role
from singletable.schema.codec import TimeFormat

T = TypeVar("T")


@overload
def attr(
    *,
    default: T,
    name: str | None = None,
    check: Callable[[T], object] | None = None,
    time_format: TimeFormat | None = None,
    stored: bool = True,
) -> Attr[T]: ...
@overload
def attr(
    *,
    factory: Callable[[], T],
    name: str | None = None,
    check: Callable[[T], object] | None = None,
    time_format: TimeFormat | None = None,
    stored: bool = True,
) -> Attr[T]: ...
@overload
def attr(
    *,
    name: str | None = None,
    check: Callable[[Any], object] | None = None,
    time_format: TimeFormat | None = None,
    stored: bool = True,
) -> Any: ...
def attr(
    *,
    default: object = ...,
    factory: Callable[[], Any] | None = None,
    name: str | None = None,
    check: Callable[[Any], object] | None = None,
    time_format: TimeFormat | None = None,
    stored: bool = True,
) -> Any:
    """A field, as in `title: Attr[str] = attr()`.

    `default` or `factory` gives its value where none is given, and where an older item has none.
    `name` is its name at rest, if that differs. `check` refuses a value by a ValueError or by
    False. `time_format` is how a time is written. With stored=False it stands in the key alone.
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
        stored=stored,
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
