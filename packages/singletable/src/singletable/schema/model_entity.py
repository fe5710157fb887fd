"""Pydantic models as entities: the model declares the content, a class next to it the keys.

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
from singletable.schema.codec.dynamic import adapter_codec, is_model
from singletable.schema.codec.field_codec import field_codecs
from singletable.schema.codec.items import UNKNOWN
from singletable.schema.codec.unions import without_none
from singletable.schema.declaration import add_entity, declared_fields, is_same_class
from singletable.schema.fields import DECLARED_ENTITIES, Attr, EntityDeclaration
from singletable.schema.key_encoding import type_name
from singletable.schema.model import MODELS
from singletable.schema.patch import Unset, edits_of
from singletable.schema.path import Edit, Path
from singletable.schema.table import Table
from singletable.schema.upgrade_declaration import (
    add_downgrade,
    add_renames,
    add_upgrade,
    create_versions,
)

A = TypeVar("A")
B = TypeVar("B")
M = TypeVar("M")

# Classes of pydantic that validate a value without converting it to another type.
VALIDATED_TYPES = {
    "EmailStr": str,
    "AwareDatetime": datetime,
    "PastDatetime": datetime,
    "FutureDatetime": datetime,
    "PastDate": date,
    "FutureDate": date,
}


class _ModelEntityMeta(type):
    """Lets type checkers accept every field of the model; fields not declared are Any."""

    def __getattr__(cls, name: str) -> Path[Any, Any]:
        entity = DECLARED_ENTITIES.get(cls)
        fields = f" Fields: {', '.join(MODELS[entity].fields)}." if entity else ""
        raise AttributeError(f"{cls.__name__} has no field or key {name}.{fields}")


class ModelEntity(EntityDeclaration[M], metaclass=_ModelEntityMeta):
    """How a pydantic model is stored: its keys, and the fields that they consist of.

    All other fields come from the model. Declare one as well to have it typed, or to store it under
    another name. With `by_alias` every field is stored under the model's alias for it.
    """

    def __init_subclass__(
        cls,
        *,
        table: Table,
        type_tag: tuple[str, str] | None = None,
        by_alias: bool = False,
        schema_version: int | tuple[str, int] | None = None,
        write_version: int | None = None,
        oldest_version: int | None = None,
    ) -> None:
        super().__init_subclass__()
        model = _model_of(cls)
        fields = _model_fields(cls, model, by_alias=by_alias)
        versions = create_versions(model, schema_version, write_version, oldest_version)
        previous = MODELS.get(model)
        add_entity(cls, model, fields, table, type_tag, _model_factory(model), versions)
        if previous is not None and previous.table is not table:
            previous.table.remove_entity(model)
        DECLARED_ENTITIES[cls] = model

    @classmethod
    def edits(cls, patch: object, *, unset: Unset = "skip") -> tuple[Edit[M], ...]:
        """Return the edits that a patch means, as `Entity.edits` does."""
        return edits_of(DECLARED_ENTITIES[cls], patch, unset)

    @classmethod
    def upgrade(cls, *, from_: int) -> Callable[[Callable[[A], B]], Callable[[A], B]]:
        """Declare how items of an older schema version are read, as `Entity.upgrade` does."""
        return lambda function: add_upgrade(DECLARED_ENTITIES[cls], from_, function)

    @classmethod
    def downgrade(cls, *, to: int) -> Callable[[Callable[[A], B]], Callable[[A], B]]:
        """Declare how items are stored in an older version, as `Entity.downgrade` does."""
        return lambda function: add_downgrade(DECLARED_ENTITIES[cls], to, function)

    @classmethod
    def renamed(cls, *, from_: int, **old_names: str) -> None:
        """Declare an older schema version with other attribute names, as `Entity.renamed` does."""
        add_renames(DECLARED_ENTITIES[cls], from_, old_names)

    def __init__(self) -> None:
        raise DeclarationError(
            f"{type(self).__name__} declares how items are stored. Create an instance of the "
            f"model: {DECLARED_ENTITIES[type(self)].__name__}(…)."
        )


def _model_of(declaration: type) -> type[Any]:
    bases: tuple[object, ...] = getattr(declaration, "__orig_bases__", ())
    for base in bases:
        if get_origin(base) is ModelEntity:
            (model,) = get_args(base)
            _check_model(declaration, model)
            return cast(type[Any], model)
    raise DeclarationError(
        f"{declaration.__name__} does not name its model. Write class "
        f"{declaration.__name__}(ModelEntity[Model], …)."
    )


def _check_model(declaration: type, model: Any) -> None:
    """Raise unless instances of the model can be stored and read back."""
    where = f"{declaration.__name__}(ModelEntity[{getattr(model, '__name__', model)}])"
    if not is_model(model) or getattr(model, "__pydantic_root_model__", False):
        raise DeclarationError(
            f"{where}: expected a pydantic model with fields (BaseModel), but got {model!r}."
        )
    if not cast(Any, model).__pydantic_complete__:
        raise DeclarationError(
            f"{where}: a type in {model.__name__} is not defined yet. Define it before, or call "
            f"{model.__name__}.model_rebuild() afterwards."
        )
    config: dict[str, object] = getattr(model, "model_config", {})
    if config.get("extra") == "allow":
        raise DeclarationError(
            f"{where}: extra='allow' accepts fields without a type, which cannot be stored. "
            "Declare the fields, or collect the rest in a field of type dict[str, Any]."
        )
    if model in MODELS and _previous(declaration, model) is None:
        raise DeclarationError(
            f"{where}: {model.__name__} is stored already, in table {MODELS[model].table.name!r}. "
            "To store it elsewhere too, create a subclass of the model."
        )


def _previous(declaration: type, model: type[Any]) -> type | None:
    """Return the class that this declaration replaces, because a notebook cell was run again."""
    return next(
        (
            other
            for other, entity in DECLARED_ENTITIES.items()
            if entity is model and is_same_class(other, declaration)
        ),
        None,
    )


def _model_fields(declaration: type, model: type[Any], *, by_alias: bool) -> dict[str, Attr[Any]]:
    """Return the model's fields, some of which the declaration may declare too."""
    declared = declared_fields(declaration)
    infos: dict[str, Any] = model.model_fields
    for name in declared:
        if name not in infos:
            raise DeclarationError(
                f"{declaration.__name__}.{name}: {model.__name__} has no field {name}. Fields: "
                f"{', '.join(infos)}."
            )
    return {
        name: _field(declaration, model, name, declared.get(name), by_alias=by_alias)
        for name in infos
    }


def _model_factory(model: type[Any]) -> Callable[[dict[str, object]], Any]:
    """Return the function that creates and validates an instance from stored values."""

    def create(values: dict[str, object]) -> Any:
        unknown = values.pop(UNKNOWN, None)
        try:
            instance = model.model_validate(values, by_alias=False, by_name=True)
        except ValueError as error:
            raise _mismatch(model, error) from error
        if unknown is not None:
            # Next to the fields, where pydantic does not show it and copies keep it.
            instance.__dict__[UNKNOWN] = unknown
        return instance

    return create


def _field(
    declaration: type,
    model: type[Any],
    name: str,
    declared: tuple[Attr[Any], Any] | None,
    *,
    by_alias: bool,
) -> Attr[Any]:
    info = model.model_fields[name]
    if declared is None:
        field: Attr[Any] = _new_field(declaration, name)
    else:
        field, hint = declared
        _check_same(field, hint, model, info)
        _check_visible(field, model)
    if by_alias and not field.is_named and (alias := info.serialization_alias or info.alias):
        field.attribute, field.is_named = alias, True
    if field.role is None:
        field.default = _default(info)
        field.check = field.check or _constraint_check(info)
    _resolve(field, model, info)
    return field


def _new_field(declaration: type, name: str) -> Attr[Any]:
    if name in vars(declaration):
        raise DeclarationError(
            f"{declaration.__name__}.{name} is a {type(vars(declaration)[name]).__name__}, but the "
            "model has a field of that name. Rename it."
        )
    field: Attr[Any] = Attr()
    field.__set_name__(declaration, name)
    setattr(declaration, name, field)
    return field


def _check_same(field: Attr[Any], hint: Any, model: type[Any], info: Any) -> None:
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if bare != _stored_type(field, info):
        raise DeclarationError(
            f"{field} is declared as {type_name(hint)}, but {model.__name__}.{field.name} is "
            f"{type_name(_stored_type(field, info))}. Declare it as in the model."
        )
    if field.role is None and field.default is not None:
        raise DeclarationError(
            f"{field}: the model declares the default of this field. Leave it out here."
        )


def _check_visible(field: Attr[Any], model: type[Any]) -> None:
    """Raise for attr(read_only=True) and attr(hidden=True), which only pydantic could apply."""
    if field.hidden:
        raise DeclarationError(
            f"{field}: hidden=True has no effect, because pydantic serializes {model.__name__}. "
            f"Declare {field.name} with Field(exclude=True) in the model."
        )
    if field.read_only:
        raise DeclarationError(
            f"{field}: read_only=True has no effect, because pydantic validates {model.__name__}. "
            f"Accept a model without {field.name} as the body, and create the {model.__name__} "
            "from it."
        )


def _stored_type(field: Attr[Any], info: Any) -> Any:
    """Return the type that is stored: times set by the store are None only before the write."""
    by_store = field.role in ("created", "updated")
    return without_none(info.annotation) if by_store else info.annotation


def _default(info: Any) -> Callable[[], object] | None:
    if info.is_required() or info.default_factory_takes_validated_data:
        return None
    return lambda: info.get_default(call_default_factory=True)


def _resolve(field: Attr[Any], model: type[Any], info: Any) -> None:
    """Set the codec of the field: one for its type, or else the JSON that pydantic dumps."""
    stored = _stored_type(field, info)
    inner = _validated_type(without_none(stored), model.model_config)
    optional = without_none(stored) is not stored
    annotation = Optional[inner] if optional else inner  # noqa: UP045 (evaluated at run time)
    declared = next((extra for extra in info.metadata if isinstance(extra, TimeFormat)), None)
    field.time_format = field.time_format or declared
    own = field_codecs(info.metadata)
    if own and field.field_codec is None:
        annotation = Annotated[(annotation, *own)]
    try:
        field.resolve(annotation)
    except DeclarationError:
        if field.time_format is not None or field.field_codec is not None or own:
            raise
        name = getattr(inner, "__name__", str(inner))
        field.resolve(annotation, adapter_codec(inner, name, optional=optional))


def _validated_type(annotation: Any, config: Mapping[str, object]) -> Any:
    """Return the type that values of the annotation have after validation."""
    name: str = getattr(annotation, "__name__", "")
    if name in VALIDATED_TYPES and annotation.__module__.startswith("pydantic."):
        return VALIDATED_TYPES[name]
    if config.get("use_enum_values") and isinstance(annotation, EnumType):
        return Literal[tuple(member.value for member in cast(type[Enum], annotation))]
    return annotation


def _constraint_check(info: Any) -> Callable[[Any], object] | None:
    """Return a check that rejects a new value that the model would reject when it is read."""
    if not info.metadata:
        return None
    from pydantic import TypeAdapter  # there is a model, so pydantic is installed

    constrained = info.annotation
    for constraint in info.metadata:
        constrained = Annotated[constrained, constraint]
    adapter: TypeAdapter[Any] = TypeAdapter(cast(Any, constrained))

    def check(value: Any) -> None:
        try:
            adapter.validate_python(value)
        except ValueError as error:
            raise ValueError("; ".join(text for _, text in _problems(error))) from None

    return check


def _mismatch(model: type[Any], error: ValueError) -> ItemMismatch:
    problems = "; ".join(f"{where or 'the item'}: {text}" for where, text in _problems(error))
    return ItemMismatch(
        f"expected an item that the model accepts, but it rejected {problems}. Correct the item, "
        "or let the model accept what older items contain.",
        model.__name__,
    )


def _problems(error: Any) -> list[tuple[str, str]]:
    """Return where pydantic found problems, and its messages."""
    return [
        (".".join(str(step) for step in problem["loc"]), problem["msg"])
        for problem in error.errors()
    ]
