"""Declare how items of older schema versions are upgraded, and the current one downgraded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from inspect import Parameter, iscoroutinefunction, signature
from typing import Any, TypeGuard, TypeVar, cast, get_type_hints

from singletable.errors import DeclarationError
from singletable.schema.checks import check_names, check_roles
from singletable.schema.codec import compile_codec
from singletable.schema.declaration import local_names, name_attributes, read_fields, stored_fields
from singletable.schema.declared_versions import Conversion, DeclaredVersions
from singletable.schema.fields import Attr, EntityInstance
from singletable.schema.item_encryption import encrypted_fields
from singletable.schema.key_encoding import type_name
from singletable.schema.model import MODELS, Model
from singletable.schema.schema_versions import NO_VERSIONS, OLD_VERSIONS, OldVersion, SchemaVersions

DEFAULT_ATTRIBUTE = "schema_version"

F = TypeVar("F", bound=Callable[[Any], Any])


def create_versions(
    entity: type[Any], declared: object, write: object, oldest: object
) -> SchemaVersions:
    """Return the versions that the class keywords declare."""
    name = entity.__name__
    if declared is None:
        for keyword, value in (("write_version", write), ("oldest_version", oldest)):
            if value is not None:
                raise DeclarationError(
                    f"{name}: {keyword}={value!r} needs a schema_version: class {name}(Entity, "
                    "table=…, schema_version=2, …)."
                )
        return NO_VERSIONS
    pair: tuple[object, ...] = (DEFAULT_ATTRIBUTE, declared)
    if isinstance(declared, tuple) and len(cast("tuple[object, ...]", declared)) == 2:
        pair = cast("tuple[object, ...]", declared)
    attribute, current = pair
    if not isinstance(attribute, str) or not attribute or not _is_number(current):
        raise DeclarationError(
            f"{name}: schema_version={declared!r}: expected a whole number, 1 or more, or the name "
            "of its attribute and the number, such as ('v', 2)."
        )
    first = 1 if oldest is None else oldest
    if not _is_number(first) or first > current:
        raise DeclarationError(
            f"{name}: oldest_version={oldest!r}: expected a whole number from 1 to {current}."
        )
    if write is not None and (not _is_number(write) or not first <= write <= current):
        raise DeclarationError(
            f"{name}: write_version={write!r}: expected a schema version from {first} to {current}."
        )
    return DeclaredVersions(entity, attribute, current, None if write == current else write, first)


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def add_upgrade(entity: type, number: object, function: F) -> F:
    """Declare how items of a version become those of a later one, as the annotations say."""
    model, versions = _versioned(entity, "upgrade")
    where = f"@{model.name}.upgrade(from_={number!r})"
    _check_number(where, number, versions)
    conversion = _conversion(model, where, function)
    if conversion.source is model.entity:
        raise DeclarationError(
            f"{where}: {conversion.name} takes {model.name}, the current version. Declare a class "
            f"with the fields of version {number}, without a table, and take that."
        )
    _add(model, where, versions.upgrades, cast(int, number), conversion)
    return function


def add_downgrade(entity: type, number: object, function: F) -> F:
    """Declare how items are stored in an older version, as the annotations say."""
    model, versions = _versioned(entity, "downgrade")
    where = f"@{model.name}.downgrade(to={number!r})"
    _check_number(where, number, versions)
    conversion = _conversion(model, where, function)
    if conversion.target is model.entity:
        raise DeclarationError(
            f"{where}: {conversion.name} returns {model.name}, the current version. Return the "
            f"class that the upgrade from version {number} takes."
        )
    _add(model, where, versions.downgrades, cast(int, number), conversion)
    return function


def add_renames(entity: type, number: object, names: Mapping[str, str]) -> None:
    """Declare a version that differs in the names of attributes: an upgrade and a downgrade."""
    model, versions = _versioned(entity, "renamed")
    listed = "".join(f", {name}={old!r}" for name, old in names.items())
    where = f"{model.name}.renamed(from_={number!r}{listed})"
    _check_number(where, number, versions)
    for name in names:
        if name not in model.fields:
            raise DeclarationError(
                f"{where}: {model.name} has no field {name}. Fields: {', '.join(model.fields)}."
            )
    fields: dict[str, Attr[Any]] = {}
    for name, field in model.fields.items():
        fields[name] = copy(field)
        fields[name].attribute = names.get(name, field.attribute)
    kind = type(f"{model.name}V{number}", (), {})
    old = versions.classes[kind] = _old_version(model, kind, fields)

    def upgrade(item: object) -> object:
        return model.create({**vars(item)})

    def downgrade(item: object) -> object:
        return old.instance({**vars(item)})

    upgrade.__qualname__ = downgrade.__qualname__ = where
    upgraded, downgraded = (upgrade, kind, model.entity), (downgrade, model.entity, kind)
    _add(model, where, versions.upgrades, cast(int, number), Conversion(*upgraded))
    _add(model, where, versions.downgrades, cast(int, number), Conversion(*downgraded))


def _versioned(entity: type, method: str) -> tuple[Model, DeclaredVersions]:
    model = MODELS.get(entity)
    if model is None:
        raise DeclarationError(
            f"{entity.__name__}.{method}: {entity.__name__} has no table. Upgrades belong to the "
            "current class, which has one."
        )
    if not isinstance(model.versions, DeclaredVersions):
        raise DeclarationError(
            f"{model.name}.{method}: {model.name} has no schema version. Declare it: class "
            f"{model.name}(Entity, table=…, schema_version=2)."
        )
    return model, model.versions


def _check_number(where: str, number: object, versions: DeclaredVersions) -> None:
    if not isinstance(number, int) or isinstance(number, bool):
        raise DeclarationError(f"{where}: expected the number of a schema version.")
    if not versions.oldest <= number < versions.current:
        expected = (
            f"a version from {versions.oldest} to {versions.current - 1}"
            if versions.oldest < versions.current
            else "no such function, because there is no older version"
        )
        raise DeclarationError(
            f"{where}: the schema version is {versions.current}, so expected {expected}."
        )


def _conversion(model: Model, where: str, function: Callable[[Any], Any]) -> Conversion:
    """Return the conversion that a function declares by its annotations."""
    advice = f"Write def …(old: {model.name}V1) -> {model.name}."
    if not callable(function):
        raise DeclarationError(f"{where}: expected a function, but got {function!r}.")
    name = getattr(function, "__qualname__", repr(function))
    if iscoroutinefunction(function):
        raise DeclarationError(f"{where}: {name} must not be async: it is called between requests.")
    parameters = list(signature(function).parameters.values())
    required = [one for one in parameters if one.default is Parameter.empty]
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    if len(required) != 1 or parameters[0].kind not in positional:
        raise DeclarationError(f"{where}: {name} must take one item. {advice}")
    try:
        hints = get_type_hints(function, localns=local_names(function))
    except NameError as error:
        raise DeclarationError(
            f"{where}: the type {error.name!r} is not defined where {name} is. Define the classes "
            "of all versions before the functions that convert them."
        ) from None
    source, target = hints.get(parameters[0].name), hints.get("return")
    for kind, what in ((source, "parameter"), (target, "result")):
        if kind is not model.entity and not _is_old_version(kind):
            came = "has no type" if kind is None else f"has the type {type_name(kind)}"
            raise DeclarationError(
                f"{where}: the {what} of {name} {came}, but expected {model.name}, or a subclass "
                f"of Entity without a table that has the fields of another version. {advice}"
            )
    return Conversion(function, cast("type[Any]", source), cast("type[Any]", target))


def _is_old_version(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, EntityInstance) and kind not in MODELS


def _add(
    model: Model,
    where: str,
    declared: dict[int, Conversion],
    number: int,
    conversion: Conversion,
) -> None:
    other = declared.get(number)
    if other is not None and not _is_same_function(other.function, conversion.function):
        raise DeclarationError(
            f"{where}: both {other.name} and {conversion.name} convert version {number} of "
            f"{model.name}. Remove one of them."
        )
    versions = cast(DeclaredVersions, model.versions)
    for kind in (conversion.source, conversion.target):
        if kind is not model.entity and kind not in versions.classes:
            fields = read_fields(kind)
            name_attributes(model.table, fields)
            old = _old_version(model, kind, fields)
            versions.classes[kind] = OLD_VERSIONS[kind] = old
    declared[number] = conversion
    versions.changed()


def _is_same_function(one: Callable[[Any], Any], other: Callable[[Any], Any]) -> bool:
    """Return whether both are one function, because a notebook cell was run again."""
    return _place(one) == _place(other)


def _place(function: Callable[[Any], Any]) -> object:
    code = getattr(function, "__code__", None)
    line = getattr(code, "co_firstlineno", id(function))
    return function.__module__, getattr(function, "__qualname__", ""), line


def _old_version(model: Model, kind: type, fields: dict[str, Attr[Any]]) -> OldVersion:
    """Return the older version with these fields; raise unless its items can be read."""
    check_roles(kind, model.table, fields)
    check_names(fields)
    in_key = [
        name
        for name, field in fields.items()
        if not field.stored or (name in model.key_only_fields and name not in model.index_only)
    ]
    for name in in_key:
        if name not in model.key.recoverable_fields:
            raise DeclarationError(
                f"{kind.__name__}.{name} has key_only=True, but it cannot be read from "
                f"{model.key}. Name it as there, or store it."
            )
    for role, field in model.roles.items():
        former = next((one for one in fields.values() if one.role == role), None)
        is_tested = role not in ("created", "updated")
        if is_tested and former is not None and former.attribute != field.attribute:
            raise DeclarationError(
                f"{former} is stored as {former.attribute!r} and {field} as {field.attribute!r}, "
                "but the store needs it under one name in all versions. Use the same: "
                f"{role}(name={former.attribute!r})."
            )
    stored = {name: field for name, field in fields.items() if name not in in_key}
    return OldVersion(
        kind,
        fields,
        compile_codec(kind.__name__, stored_fields(stored), frozenset()),
        tuple(in_key),
        encrypted_fields(stored),
    )
