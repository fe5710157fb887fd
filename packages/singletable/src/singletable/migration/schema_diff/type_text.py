"""Write the types of fields as text, and describe the classes that they mention."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from enum import Enum, EnumType
from typing import (
    Annotated,
    Any,
    ForwardRef,
    Literal,
    NewType,
    TypeAlias,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from msgspec import Struct
from typing_extensions import is_typeddict

from singletable.schema import TimeFormat
from singletable.schema.codec import FieldCodec

ClassKind: TypeAlias = Literal["enum", "dataclass", "typed dict", "model", "new type", "class"]


class ClassSchema(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A class in the type of a field.

    `members` has the values of an Enum, the types of the members of a dataclass, TypedDict or
    pydantic model (of a dataclass also the defaults), and the type that a NewType is.
    """

    kind: ClassKind
    members: dict[str, str] = {}


class TypeTexts:
    """Writes types as they are written in source, and collects the classes in them by name."""

    def __init__(self) -> None:
        self.classes: dict[str, ClassSchema] = {}
        self.objects: dict[str, Any] = {}

    def text(self, annotation: Any) -> str:
        """Return the type as text: `list[str]`, `Literal["open", "done"]`, `Address`."""
        if annotation is None or annotation is types.NoneType:
            return "None"
        if annotation is Any or isinstance(annotation, str):
            return str(annotation).removeprefix("typing.")
        if isinstance(annotation, ForwardRef):
            return annotation.__forward_arg__
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self._annotated(arguments)
        if origin is Literal:
            return f"Literal[{', '.join(python_text(value) for value in arguments)}]"
        if origin in (Union, types.UnionType):
            return " | ".join(self.text(one) for one in arguments)
        if origin is not None:
            inner = ", ".join("..." if one is ... else self.text(one) for one in arguments)
            return f"{origin.__name__}[{inner}]"
        if hasattr(annotation, "__value__"):  # a type alias
            return self.text(annotation.__value__)
        return self._class(annotation)

    def _annotated(self, arguments: tuple[Any, ...]) -> str:
        inner, *extras = arguments
        stored = TimeFormat, FieldCodec
        kept = [python_text(one) for one in extras if isinstance(one, stored)]  # pyright: ignore[reportUnknownArgumentType]
        text = self.text(inner)
        return f"Annotated[{', '.join([text, *kept])}]" if kept else text

    def _class(self, kind: Any) -> str:
        if getattr(kind, "__module__", None) in ("builtins", "datetime", "decimal", "uuid"):
            return str(kind.__name__)
        name = str(getattr(kind, "__qualname__", kind)).rpartition("<locals>.")[2]
        if self.objects.get(name, kind) is not kind:
            name = f"{kind.__module__}.{name}"
        if name not in self.objects:
            self.objects[name] = kind  # before its members, which may mention it
            self.classes[name] = self._describe(kind)
        return name

    def _describe(self, kind: Any) -> ClassSchema:
        if isinstance(kind, NewType):
            return ClassSchema("new type", {"of": self.text(kind.__supertype__)})
        if isinstance(kind, EnumType):
            members = cast(list[Enum], list(kind))
            return ClassSchema("enum", {one.name: python_text(one.value) for one in members})
        if dataclasses.is_dataclass(kind):
            hints = _hints(kind)
            fields = dataclasses.fields(kind)
            types_ = self._members({one.name: hints.get(one.name, one.type) for one in fields})
            for one in fields:
                if (default := _default(one)) is not None:
                    types_[one.name] += f" = {default}"
            return ClassSchema("dataclass", types_)
        if is_typeddict(kind):
            return ClassSchema("typed dict", self._members(_hints(kind)))
        if isinstance(declared := getattr(kind, "model_fields", None), dict):
            declared = cast(dict[str, Any], declared)
            annotations = {name: field.annotation for name, field in declared.items()}
            return ClassSchema("model", self._members(annotations))
        return ClassSchema("class")

    def _members(self, members: Mapping[str, Any]) -> dict[str, str]:
        return {name: self.text(annotation) for name, annotation in members.items()}


def python_text(value: object) -> str:
    """Return a value as it is written in source, and the same text in every run."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    text = repr(value).removeprefix("datetime.")
    # The default representation of an object contains its address in memory.
    return f"{type(value).__name__}(…)" if " at 0x" in text else text


def factory_text(factory: Any) -> str:
    """Return a call of a function that creates a default; its result may differ each time."""
    function = get_origin(factory) or factory
    name = str(getattr(function, "__qualname__", type(function).__name__))
    return f"{name.rpartition('<locals>.')[2]}()"


def _default(field: dataclasses.Field[Any]) -> str | None:
    if field.default is not dataclasses.MISSING:
        return python_text(field.default)
    if field.default_factory is not dataclasses.MISSING:
        return factory_text(field.default_factory)
    return None


def _hints(kind: Any) -> dict[str, Any]:
    try:
        return get_type_hints(kind, include_extras=True)
    except NameError:  # a type that is local to a function
        return {}
