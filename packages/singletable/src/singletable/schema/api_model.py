"""Pydantic models with fields of an entity, for responses that differ from the entity itself.

class Profile(ApiModel, of=User, omit="credentials", rename={"name": "full_name"}):
    teams: list[str] = Field(description="The names of the teams.")

Profile.from_object(user, teams=["web"])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import get_annotations
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self, TypeAlias, Unpack

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from singletable.errors import DeclarationError
from singletable.schema.model import Model, model_of
from singletable.schema.pydantic_schema import JSON_TYPES, annotation_of

# Names of fields: a sequence, or one text with spaces between them.
FieldNames: TypeAlias = str | Sequence[str]
_NOTHING: Mapping[Any, Any] = MappingProxyType({})


class ApiModel(BaseModel):
    """A pydantic model that takes fields from an entity; `of` is the entity.

    `only` lists the fields in their order, `omit` those to leave out, and `rename` has new names by
    name, which `only` and `omit` use. What the class declares itself is added, or replaces the
    field of that name; `only` may list it too. Hidden fields are left out. `json_types` replaces
    types of the entity's fields, as in {datetime: UnixSeconds}, here and in subclasses. Type
    checkers know what the class declares.
    """

    _types: ClassVar[Mapping[Any, Any]] = JSON_TYPES
    # The names of renamed fields in the entity.
    _sources: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(
        cls,
        *,
        of: type | None = None,
        only: FieldNames = (),
        omit: FieldNames = (),
        rename: Mapping[str, str] = _NOTHING,
        json_types: Mapping[Any, Any] = _NOTHING,
        **config: Unpack[ConfigDict],
    ) -> None:
        super().__init_subclass__(**config)
        cls._types = {**cls._types, **json_types}
        if of is not None:
            cls._sources = {**cls._sources, **{new: old for old, new in rename.items()}}
            # Pydantic collects the fields from the annotations after this.
            cls.__annotations__ = _annotations(
                cls, model_of(of), _split(only), _split(omit), rename
            )

    @classmethod
    def from_object(cls, source: object, /, **computed: Any) -> Self:
        """Return a model with the computed fields, and all others copied from an object.

        Fields that the object does not have keep their default.
        """
        copied = [name for name in cls.model_fields if name not in computed]
        names = {name: cls._sources.get(name, name) for name in copied}
        values = {new: getattr(source, old) for new, old in names.items() if hasattr(source, old)}
        return cls.model_validate(
            {**values, **computed}, from_attributes=True, by_alias=True, by_name=True
        )


def _split(names: FieldNames) -> Sequence[str]:
    return names.split() if isinstance(names, str) else names


def _annotations(
    cls: type[ApiModel],
    model: Model,
    only: Sequence[str],
    omit: Sequence[str],
    rename: Mapping[str, str],
) -> dict[str, Any]:
    """Return the annotations of the entity's fields and of the class's own, in their order."""
    own = get_annotations(cls)
    shown = {name: field for name, field in model.fields.items() if not field.hidden}
    fields: dict[str, Any] = {}
    for name, field in shown.items():
        annotation = annotation_of(field, cls._types)
        if new := rename.get(name):
            if new in model.fields or new in fields:
                raise DeclarationError(
                    f"{cls.__name__}: {model.name} already has a field {new}, so {name} cannot be "
                    "renamed to it. Choose another name."
                )
            names = AliasChoices(new, name)
            annotation = Annotated[annotation, Field(validation_alias=names)]
        fields[new or name] = annotation
    known = {**fields, **own}
    unknown = [name for name in (*only, *omit) if name not in known]
    unknown += [name for name in rename if name not in shown]
    if unknown:
        raise DeclarationError(
            f"{cls.__name__}: {model.name} has no field {' or '.join(unknown)} for responses. "
            f"Fields: {', '.join(fields)}."
        )
    chosen = [name for name in only or fields if name not in omit]
    return {name: known[name] for name in (*chosen, *own)}
