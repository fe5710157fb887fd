"""Pydantic models as entities: the model says what an item holds, a class beside it where it is.

class Polls(ModelEntity[Poll], table=polls):
    id: Attr[UUID] = attr()
    key = Key(pk=("POLL", id), sk="POLL")

store.create(Poll(…))
store.get(Polls.key(id))        # a Poll, or None
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from enum import Enum, EnumType
from typing import Annotated, Any, Literal, Optional, TypeVar, cast, get_args, get_origin

from singletable.errors import DeclarationError, ItemMismatch
from singletable.schema.codec import TimeFormat
from singletable.schema.codec.dynamic import is_model, validated
from singletable.schema.codec.items import UNKNOWN
from singletable.schema.declaration import add_entity, said_fields
from singletable.schema.fields import DECLARED_ENTITIES, Attr, EntityDeclaration, without_none
from singletable.schema.model import MODELS
from singletable.schema.path import Path
from singletable.schema.table import Table

# FROM model_fields.py: The fields of a pydantic model as fields of an entity.

# Classes of pydantic's that check a value and leave it what it is.
PLAIN = {
    "EmailStr": str,
    "AwareDatetime": datetime,
    "PastDatetime": datetime,
    "FutureDatetime": datetime,
    "PastDate": date,
    "FutureDate": date,
}


def fields_of(said: type, model: type[Any], *, by_alias: bool) -> dict[str, Attr[Any]]:
    """The model's fields; `said` may declare some of them too."""
    declared = said_fields(said)
    infos: dict[str, Any] = model.model_fields
    for name in declared:
        if name not in infos:
            raise DeclarationError(
                f"{said.__name__}.{name}: {model.__name__} has no field {name}; there are "
                f"{', '.join(infos)}."
            )
    return {
        name: _field(said, model, name, declared.get(name), by_alias=by_alias) for name in infos
    }


def maker_of(model: type[Any]) -> Callable[[dict[str, object]], Any]:
    """What makes an instance of the values that an item holds, and checks them."""

    def make(values: dict[str, object]) -> Any:
        unknown = values.pop(UNKNOWN, None)
        try:
            instance = model.model_validate(values, by_alias=False, by_name=True)
        except ValueError as problem:
            raise _mismatch(model, problem) from problem
        if unknown is not None:
            # Beside the fields, where pydantic shows it to nobody and copies keep it.
            instance.__dict__[UNKNOWN] = unknown
        return instance

    return make


def _field(
    said: type,
    model: type[Any],
    name: str,
    declared: tuple[Attr[Any], Any] | None,
    *,
    by_alias: bool,
) -> Attr[Any]:
    info = model.model_fields[name]
    if declared is None:
        field: Attr[Any] = _new(said, name)
    else:
        field, hint = declared
        _check_same(field, hint, model, info)
    if by_alias and field.attribute == name:
        field.attribute = info.serialization_alias or info.alias or name
    if field.role is None:
        field.default = _default(info)
        field.check = field.check or _check_of(info)
    _resolve(field, model, info)
    return field


def _new(said: type, name: str) -> Attr[Any]:
    if name in vars(said):
        raise DeclarationError(
            f"{said.__name__}.{name} is a {type(vars(said)[name]).__name__}, and the model has a "
            "field of that name. Give it another one."
        )
    field: Attr[Any] = Attr(
        name=None, default=None, check=None, time_format=None, stored=True, role=None
    )
    field.__set_name__(said, name)
    setattr(said, name, field)
    return field


def _check_same(field: Attr[Any], hint: Any, model: type[Any], info: Any) -> None:
    if _bare(hint) != _held(field, info):
        raise DeclarationError(
            f"{field} is declared as {_named(hint)}, but {model.__name__}.{field.name} is "
            f"{_named(_held(field, info))}. Declare it as in the model."
        )
    if field.role is None and field.default is not None:
        raise DeclarationError(f"{field}: the model says what its default is. Leave it out here.")


def _held(field: Attr[Any], info: Any) -> Any:
    """The type of what is stored: times that the store sets are None only before they are."""
    by_store = field.role in ("created", "updated")
    return without_none(info.annotation) if by_store else info.annotation


def _bare(annotation: Any) -> Any:
    """The type without what pydantic or the codec is told about it besides."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _named(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _default(info: Any) -> Callable[[], object] | None:
    if info.is_required() or info.default_factory_takes_validated_data:
        return None
    return lambda: info.get_default(call_default_factory=True)


def _resolve(field: Attr[Any], model: type[Any], info: Any) -> None:
    """Learn how the field is held: as DynamoDB has it or, for other types, as JSON has it."""
    held = _held(field, info)
    inner = _plain(without_none(held), model.model_config)
    or_none = without_none(held) is not held
    annotation = Optional[inner] if or_none else inner  # noqa: UP045 (made at run time)
    form = next((extra for extra in info.metadata if isinstance(extra, TimeFormat)), None)
    field.time_format = field.time_format or form
    try:
        field.resolve(annotation)
    except DeclarationError:
        if field.time_format is not None:
            raise
        name = getattr(inner, "__name__", str(inner))
        field.resolve(annotation, validated(inner, name, or_none=or_none))


def _plain(annotation: Any, config: Mapping[str, object]) -> Any:
    """The type that values of the annotation have once pydantic has looked at them."""
    name: str = getattr(annotation, "__name__", "")
    if name in PLAIN and annotation.__module__.startswith("pydantic."):
        return PLAIN[name]
    if config.get("use_enum_values") and isinstance(annotation, EnumType):
        return Literal[tuple(member.value for member in cast(type[Enum], annotation))]
    return annotation


def _check_of(info: Any) -> Callable[[Any], object] | None:
    """What refuses a new value that the model would not accept when the item is read."""
    if not info.metadata:
        return None
    from pydantic import TypeAdapter  # there is a model, so there is pydantic

    constrained = info.annotation
    for constraint in info.metadata:
        constrained = Annotated[constrained, constraint]
    adapter: TypeAdapter[Any] = TypeAdapter(cast(Any, constrained))

    def check(value: Any) -> None:
        try:
            adapter.validate_python(value)
        except ValueError as problem:
            raise ValueError("; ".join(told for _, told in _told(problem))) from None

    return check


def _mismatch(model: type[Any], problem: ValueError) -> ItemMismatch:
    told = "; ".join(f"{where or 'the whole'}: {what}" for where, what in _told(problem))
    return ItemMismatch(
        f"expected what the model accepts, but it refused {told}. Correct the item, or let the "
        "model accept what older ones hold.",
        model.__name__,
    )


def _told(problem: Any) -> list[tuple[str, str]]:
    """What pydantic says is wrong, and where."""
    return [
        (".".join(str(step) for step in error["loc"]), error["msg"]) for error in problem.errors()
    ]


M = TypeVar("M")


class _FromModel(type):
    """What makes every field of the model a field of the class; those not declared are Any."""

    def __getattr__(cls, name: str) -> Path[Any, Any]:
        entity = DECLARED_ENTITIES.get(cls)
        has = f" {entity.__name__} has {', '.join(MODELS[entity].fields)}." if entity else ""
        raise AttributeError(f"{cls.__name__} has no field or key {name}.{has}")


class ModelEntity(EntityDeclaration[M], metaclass=_FromModel):
    """How a pydantic model is stored: its keys, and the fields that these are made of.

    All other fields come from the model; declare one as well to have it typed, or to give it
    another name at rest. With `by_alias` every field is stored under the model's alias for it.
    """

    def __init_subclass__(
        cls,
        *,
        table: Table,
        type_tag: tuple[str, str] | None = None,
        by_alias: bool = False,
    ) -> None:
        super().__init_subclass__()
        entity = _model(cls)
        fields = fields_of(cls, entity, by_alias=by_alias)
        add_entity(cls, entity, fields, table, type_tag, maker_of(entity))
        DECLARED_ENTITIES[cls] = entity

    def __init__(self) -> None:
        raise DeclarationError(
            f"{type(self).__name__} says where items are; make an item of the model itself: "
            f"{DECLARED_ENTITIES[type(self)].__name__}(…)."
        )


def _model(said: type) -> type[Any]:
    bases: tuple[object, ...] = getattr(said, "__orig_bases__", ())
    for base in bases:
        if get_origin(base) is ModelEntity:
            (model,) = get_args(base)
            return _checked(said, model)
    raise DeclarationError(
        f"{said.__name__} does not name its model. Write class "
        f"{said.__name__}(ModelEntity[Model], …)."
    )


def _checked(said: type, model: Any) -> type[Any]:
    """The model, if it is one whose instances can be stored and come back."""
    where = f"{said.__name__}(ModelEntity[{getattr(model, '__name__', model)}])"
    if not is_model(model) or getattr(model, "__pydantic_root_model__", False):
        raise DeclarationError(
            f"{where}: expected a model of pydantic with fields (BaseModel), but got {model!r}."
        )
    if not cast(Any, model).__pydantic_complete__:
        raise DeclarationError(
            f"{where}: a type in {model.__name__} is not known yet. Define it before, or call "
            f"{model.__name__}.model_rebuild() once it is."
        )
    config: dict[str, object] = getattr(model, "model_config", {})
    if config.get("extra") == "allow":
        raise DeclarationError(
            f"{where}: extra='allow' lets in what has no type to be stored by. Declare the fields, "
            "or gather the rest in one of type dict[str, Any]."
        )
    if model in MODELS:
        raise DeclarationError(
            f"{where}: {model.__name__} is stored already, in table {MODELS[model].table.name!r}. "
            "Make a subclass of the model for another place."
        )
    return model
