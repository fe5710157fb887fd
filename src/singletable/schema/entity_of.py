"""Pydantic models as entities: the model says what an item holds, a class beside it where it is.

class Polls(ModelEntity[Poll], table=polls):
    id: Attr[UUID] = attr()
    key = Key(pk=("POLL", id), sk="POLL")

store.create(Poll(…))
store.get(Polls.key(id))        # a Poll, or None
"""

from __future__ import annotations

from typing import Any, TypeVar, cast, get_args, get_origin

from singletable.errors import DeclarationError
from singletable.schema.codec.models import is_model
from singletable.schema.declare import add_entity
from singletable.schema.model import MODELS
from singletable.schema.model_fields import fields_of, maker_of
from singletable.schema.path import Path
from singletable.schema.stands_for import STANDS_FOR, StandsFor
from singletable.schema.table import Table

M = TypeVar("M")


class _FromModel(type):
    """What makes every field of the model a field of the class; those not declared are Any."""

    def __getattr__(cls, name: str) -> Path[Any, Any]:
        entity = STANDS_FOR.get(cls)
        has = f" {entity.__name__} has {', '.join(MODELS[entity].fields)}." if entity else ""
        raise AttributeError(f"{cls.__name__} has no field or key {name}.{has}")


class ModelEntity(StandsFor[M], metaclass=_FromModel):
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
        STANDS_FOR[cls] = entity

    def __init__(self) -> None:
        raise DeclarationError(
            f"{type(self).__name__} says where items are; make an item of the model itself: "
            f"{STANDS_FOR[type(self)].__name__}(…)."
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
