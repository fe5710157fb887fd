"""Codecs that a field names itself: `attr(codec=…)`, or `Annotated[T, …]` in a type.

`codec()` turns a value into a type that can be stored already. `Json`, `Compressed` and `Encrypted`
change how the type of the field is stored.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Generic, NewType, Protocol, TypeVar, cast, get_origin

from dynamodb_engine.values import AttributeValue
from singletable.errors import DeclarationError, InvalidValue, ItemMismatch
from singletable.schema.codec.codec import Codec, SourceBuilder, invalid_value, short_repr

S = TypeVar("S")
T = TypeVar("T")
# Covariant, so that a codec of T is accepted for T | None: None is never passed to a codec.
T_co = TypeVar("T_co", covariant=True)


class TypeReader(Protocol):
    """Finds the codecs of types."""

    def codec_of(self, annotation: object) -> Codec:
        """Return the codec of the type."""
        ...

    def json_codec_of(self, annotation: object) -> Codec:
        """Return the codec of the type, in which every `Any` may be a float."""
        ...


class FieldCodec(ABC, Generic[T_co]):
    """How values of type T are stored; created with `codec()`, `Json()`, `Compressed()` and so on.

    Pass it as `attr(codec=…)`, or put it into the type: `Annotated[T, …]`. None is never passed to
    a codec: it is an absent attribute, or null.
    """

    @abstractmethod
    def build(self, annotation: object, reader: TypeReader) -> Codec:
        """Return the codec for fields of this type, which is not optional."""


class CustomCodec(FieldCodec[T_co]):
    """A codec of two functions, created with `codec()`."""

    def __init__(
        self,
        encode: Callable[[Any], object],
        decode: Callable[[Any], T_co],
        stored_as: object,
    ) -> None:
        self.encode = encode
        self.decode = decode
        self.stored_as = stored_as

    def build(self, annotation: object, reader: TypeReader) -> Codec:
        """Return the codec: the two functions around the codec of the stored type."""
        stored = reader.codec_of(self.stored_as)
        if stored.optional:
            raise DeclarationError(
                f"{self!r}: expected a stored type without None, because a codec is never called "
                "with None. Leave None out of stored_as; the field's own type may have it."
            )
        return _custom_codec(self, stored, annotation)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the schema of the type, or that of the stored type if pydantic has none."""
        # Only pydantic calls this, so it is installed; the library does not need it.
        from pydantic import PydanticSchemaGenerationError
        from pydantic_core import core_schema

        try:
            own = handler(source)
        except PydanticSchemaGenerationError:
            own = None
        # What pydantic makes of an arbitrary class, which JSON cannot represent.
        if own is not None and own["type"] != "is-instance":
            return own
        kind = runtime_class(source)

        def validate(value: Any, from_stored: Callable[[Any], Any]) -> object:
            if kind is not None and isinstance(value, kind):
                return value
            content = from_stored(value)
            try:
                return self.decode(content)
            except Exception as error:
                raise ValueError(str(error) or type(error).__name__) from error

        stored = handler.generate_schema(self.stored_as)
        return core_schema.no_info_wrap_validator_function(
            validate,
            stored,
            serialization=core_schema.plain_serializer_function_ser_schema(
                self.encode, return_schema=stored
            ),
        )

    def __repr__(self) -> str:
        name = getattr(self.stored_as, "__name__", str(self.stored_as))
        return (
            f"codec({function_name(self.encode)}, {function_name(self.decode)}, stored_as={name})"
        )


def codec(
    *, encode: Callable[[T], S], decode: Callable[[S], T], stored_as: type[S]
) -> CustomCodec[T]:
    """Store values of a type of your own as a type that can be stored already.

    `encode` converts a value to `stored_as`, and `decode` converts it back. Both reject a value by
    raising any exception. They are never called with None.
    """
    for name, function in (("encode", encode), ("decode", decode)):
        if not callable(function):
            raise DeclarationError(f"codec({name}={function!r}): expected a function.")
    return CustomCodec(encode, decode, stored_as)


def field_codecs(extras: Iterable[object]) -> list[FieldCodec[Any]]:
    """Return the codecs in the metadata of `Annotated`."""
    return [extra for extra in extras if isinstance(extra, FieldCodec)]  # pyright: ignore[reportUnknownVariableType]


def runtime_class(annotation: object) -> type | None:
    """Return the class of the values of a type, or None if it is unknown."""
    while isinstance(annotation, NewType):
        annotation = annotation.__supertype__
    kind = get_origin(annotation) or annotation
    return kind if isinstance(kind, type) and kind is not object else None


def _custom_codec(custom: CustomCodec[Any], stored: Codec, annotation: object) -> Codec:
    kind = runtime_class(annotation)
    expects = f"a {kind.__name__}" if kind is not None else f"a value that {custom!r} accepts"

    def encode(value: object) -> AttributeValue:
        # Functions such as `str` accept everything, so the type is checked first.
        if kind is not None and not isinstance(value, kind):
            raise invalid_value(expects, value)
        try:
            content = custom.encode(value)
        except Exception as error:
            raise InvalidValue(
                f"expected {expects} that its codec can encode, but {function_name(custom.encode)} "
                f"rejected {short_repr(value)}: {described_error(error)}"
            ) from error
        try:
            return stored.encode(content)
        except InvalidValue as error:
            raise InvalidValue(
                f"expected {function_name(custom.encode)} to return a value of stored_as, but: "
                f"{error}"
            ) from None

    def decode(value: AttributeValue) -> object:
        return decoded(stored.decode(value))

    def decoded(content: object) -> object:
        try:
            return custom.decode(content)
        except Exception as error:
            raise ItemMismatch(
                f"expected a value that {function_name(custom.decode)} accepts, but it rejected "
                f"{short_repr(content)}: {described_error(error)}"
            ) from error

    def encode_expression(source: SourceBuilder, name: str) -> str:
        content = source.new_variable("content")
        function = source.bind(custom.encode, "encode")
        checked = name
        if kind is not None:
            checked = (
                f"{name} if isinstance({name}, {source.bind(kind, kind.__name__)}) else fail()"
            )
        assigned = f"[{content} := {function}({checked})]"
        return f"({stored.encode_source(source, content)}) if {assigned} else fail()"

    def decode_expression(source: SourceBuilder, name: str) -> str:
        function = source.bind(custom.decode, "decode")
        return f"{function}({stored.decode_source(source, name)})"

    absent = stored.absent_value
    return replace(
        stored,
        encode=encode,
        decode=decode,
        expects=expects,
        encode_expression=encode_expression,
        decode_expression=decode_expression,
        content_expression=None,
        absent_value=None if absent is None else lambda: decoded(cast(Any, absent)()),
    )


def function_name(function: object) -> str:
    """Return the name of a function for an error message."""
    name = getattr(function, "__qualname__", repr(function)).rpartition("<locals>.")[2]
    return "its function" if name == "<lambda>" else str(name)


def described_error(error: Exception) -> str:
    """Return the type and the text of an error."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
