"""Design the keys, indexes and access patterns of a new entity from a few answers.

The answers are those of the usual decision tree: Is it owned by another entity? Can an owner have
several? Is it queried across owners, by which fields, in which order?
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from singletable.errors import DeclarationError, InvalidValue
from singletable.migration.schema_diff.old_declaration import double_quoted
from singletable.migration.schema_diff.type_text import TypeTexts
from singletable.patterns import PatternCatalog, Rate
from singletable.patterns.pattern import ReadPattern
from singletable.schema import Index, Model, Number, Selection, Table, model_of
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    RepeatedSegment,
    ShardSegment,
)
from singletable.schema.resolved_key import Column, TextColumn
from singletable.schema.source import quoted
from singletable.schema.table import MAX_GLOBAL_INDEXES, MOST_ATTRIBUTES, KeyAttribute, KeyType
from singletable_design.cli.new.fields import TYPES, NewField, check_field_name, choice_type
from singletable_design.introspection.names import RESERVED, pascal_case, plural, snake_case

# Typical bytes of one key: its attributes and their names.
KEY_SIZE = 60


@dataclass(frozen=True, slots=True)
class EntityAnswers:
    """What a developer says about a new entity.

    `id` is the field that identifies an item, and `several` says whether an owner can have several.
    `across` are the fields by which items of all owners are queried; `is_listed` says that all
    items are, without a field; `order` is how these are sorted. A list reads up to `page_size`
    items. `code` is how the codes of its patterns begin.
    """

    name: str
    id: str
    fields: tuple[NewField, ...] = ()
    several: bool = True
    across: tuple[str, ...] = ()
    is_listed: bool = False
    order: tuple[str, ...] = ()
    read_rate: Rate | None = None
    write_rate: Rate | None = None
    items: int | None = None
    size: int | None = None
    page_size: int = 20
    code: str | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key of the new entity: the parts of `pk` and `sk` as source, and its index."""

    name: str
    pk: tuple[str, ...]
    sk: tuple[str, ...] | None
    index: Index | None = None


@dataclass(frozen=True, slots=True)
class EntityDesign:
    """The proposal: fields and keys of a new entity, and notes about them."""

    name: str
    summary: str
    table: Table
    tag: tuple[str, str] | None
    fields: tuple[NewField, ...]
    # The fields in the primary key, and those to query and sort by across owners.
    identity: tuple[NewField, ...]
    across: tuple[NewField, ...]
    order: tuple[NewField, ...]
    key: NewKey
    index_key: NewKey | None
    # The index of `index_key`, unless the table has it already.
    new_index: Index | None
    size: int
    items: int | None
    notes: tuple[str, ...]

    @property
    def changeable_fields(self) -> list[NewField]:
        """The fields that an update can change."""
        return [one for one in self.fields if one not in self.identity and not one.is_set_by_store]


def design_entity(
    answers: EntityAnswers,
    table: Table,
    catalog: PatternCatalog,
    owner: Model | None,
    names: Mapping[str, object],
) -> EntityDesign:
    """Return the design of an entity; raise InvalidValue for answers that do not fit together.

    `names` are those that the module of the entity has already.
    """
    return _Designer(answers, table, catalog, owner, names).design()


class _Designer:
    def __init__(
        self,
        answers: EntityAnswers,
        table: Table,
        catalog: PatternCatalog,
        owner: Model | None,
        names: Mapping[str, object],
    ) -> None:
        self._answers = answers
        self._table = table
        self._catalog = catalog
        self._owner = owner
        self._names = names
        self._words = words_of(answers.name)
        self._constant = snake_case(answers.name).upper()
        self._models = [model_of(entity) for entity in table.entities]
        self._notes: list[str] = []

    def design(self) -> EntityDesign:
        """Return the whole design."""
        answers = self._answers
        check_entity_name(answers.name, [model.name for model in self._models])
        self._check_table()
        if self._owner is None and not answers.several:
            raise InvalidValue(f"Only one {self._words} for each owner: say which entity owns it.")
        id_ = self._find_id() if self._owner is None or answers.several else None
        own = [one for one in answers.fields if id_ is None or one.name != id_.name]
        taken = [*(one.name for one in own), *([id_.name] if id_ else [])]
        if twice := [name for name in taken if taken.count(name) > 1]:
            raise InvalidValue(f"The field {twice[0]!r} is declared twice.")
        if hidden := [name for name in taken if isinstance(self._names.get(name), Index)]:
            raise InvalidValue(
                f"A field cannot be named {hidden[0]!r}, which is the variable of an index."
            )
        owner_fields = self._owner_fields(taken)
        key = self._primary_key(owner_fields, id_)
        identity = [*owner_fields.values(), *([id_] if id_ else [])]
        fields = {one.name: one for one in [*identity, *map(self._styled, own)]}
        index_key, new_index = self._index_key(fields, identity)
        size = answers.size or _estimate_size(fields.values(), 2 if index_key else 1)
        tags = {model.tag[0] for model in self._models if model.tag is not None}
        return EntityDesign(
            name=answers.name,
            summary=self._summary(),
            table=self._table,
            tag=(tags.pop(), answers.name) if len(tags) == 1 else None,
            fields=tuple(fields.values()),
            identity=tuple(identity),
            across=tuple(fields[name] for name in answers.across),
            order=tuple(fields[name] for name in answers.order),
            key=key,
            index_key=index_key,
            new_index=new_index,
            size=size,
            items=answers.items,
            notes=tuple(self._notes),
        )

    def _check_table(self) -> None:
        for attribute in self._table.key_attributes:
            if attribute.type != "S":
                raise DeclarationError(
                    f"{attribute.name}, a key attribute of the table {self._table.name!r}, is not "
                    f"a string, so it cannot contain keys such as {self._constant}#1. Declare the "
                    "entity by hand."
                )
        if self._table.sk is None and self._owner is not None:
            raise DeclarationError(
                f"The table {self._table.name!r} has no sort key, so items of "
                f"{self._answers.name} cannot be beside their {self._owner.name}. Leave out the "
                "owner, or use a table with a sort key."
            )

    def _summary(self) -> str:
        text = f"{article(self._words).capitalize()} {self._words}"
        owner = "" if self._owner is None else words_of(self._owner.name)
        return f"{text} of {article(owner)} {owner}" if owner else text

    # Fields

    def _find_id(self) -> NewField:
        name = self._answers.id
        found = next((one for one in self._answers.fields if one.name == name), None)
        if found is None:
            check_field_name(name)
            return self._styled(NewField(name, TYPES["str"]))
        if found.in_key is None or found.optional or found.role is not None or found.choices:
            raise InvalidValue(
                f"{name!r} cannot identify {article(self._words)} {self._words}: expected a field "
                "that always has a value, such as one of type str, int or UUID."
            )
        return self._styled(found)

    def _styled(self, one: NewField) -> NewField:
        """Return the field with an attribute name like those of the other entities."""
        if one.role == "expires":
            if self._table.ttl is None:
                raise InvalidValue(
                    f"{one.name}:expires needs a table with a TTL attribute: "
                    f'Table("{self._table.name}", …, ttl="expires_at").'
                )
            return one
        attribute = attribute_name(one.name, self._models)
        if attribute == one.name:
            return one
        return replace(one, arguments=(f"name={quoted(attribute)}",))

    def _owner_fields(self, taken: Sequence[str]) -> dict[str, NewField]:
        """Return the fields for the key of the owner, by their names in the owner."""
        if self._owner is None:
            return {}
        fields: dict[str, NewField] = {}
        encodings = {
            segment.field: segment.encoding.declared
            for column in self._owner.key.columns
            if isinstance(column, TextColumn)
            for segment in column.template.field_segments
        }
        for name in self._owner.key.fields:
            declared = self._owner.fields[name]
            texts = TypeTexts()
            text = double_quoted(texts.text(declared.annotation))
            if declared.field_codec is not None or texts.classes:
                raise DeclarationError(
                    f"{declared} has the type {text}, which is not one of the types that a new "
                    f"entity can copy. Declare {self._answers.name} by hand."
                )
            known = next((one for one in TYPES.values() if one.text == text), None)
            choices = tuple(re.findall('"([^"]*)"', text)) if known is None else ()
            type_ = choice_type(choices) if known is None else known
            type_ = replace(type_, in_key=double_quoted(encodings.get(name, "{}")))
            is_vague = name in _VAGUE_NAMES or name in taken
            new = f"{snake_case(self._owner.name)}_{name}" if is_vague else name
            attribute = declared.attribute
            if is_vague and attribute not in [one.name for one in self._table.key_attributes]:
                attribute = attribute_name(new, self._models)
            arguments = [f"name={quoted(attribute)}"] if attribute != new else []
            if declared.time_format is not None:
                arguments.append(f"time_format=TimeFormat.{declared.time_format.name}")
            fields[name] = NewField(new, type_, choices, arguments=tuple(arguments))
        return fields

    # Keys

    def _primary_key(self, owner_fields: Mapping[str, NewField], id_: NewField | None) -> NewKey:
        constant = quoted(self._constant)
        if self._owner is None:
            assert id_ is not None
            only = None if self._table.sk is None else (constant,)
            return NewKey("key", (constant, _in_key(id_)), only)
        sk = (constant,) if id_ is None else (constant, _in_key(id_))
        key = self._owner.key
        if not key.sk_fields and key.shards is None:
            self._note_partition_readers()
            return NewKey("key", _parts(key.pk[0], owner_fields), sk)
        # Below an owner with values in its sort key, a list of owners would read these items, too.
        self._notes.append(
            f"Each {self._owner.name} has a partition of its own for its {plural(self._words)}, "
            f"so that lists of {plural(words_of(self._owner.name))} do not read them."
        )
        pk = quoted(snake_case(self._owner.name).upper())
        return NewKey("key", (pk, *map(_in_key, owner_fields.values())), sk)

    def _note_partition_readers(self) -> None:
        """Say which patterns read the whole partition of an owner, and now the new items, too."""
        assert self._owner is not None
        owner = words_of(self._owner.name)
        for pattern in self._catalog:
            if not isinstance(pattern, ReadPattern) or pattern.collection is None:
                continue
            selection = pattern.sample
            if isinstance(selection, Selection) and selection.access is self._owner.key:
                self._notes.append(
                    f"{pattern.code} ({pattern.description}) reads the partition of "
                    f"{article(owner)} {owner}, and now these items, too. Add them to "
                    f"{pattern.collection.__name__}, and to items=… of the pattern."
                )

    def _index_key(
        self, fields: Mapping[str, NewField], identity: Sequence[NewField]
    ) -> tuple[NewKey | None, Index | None]:
        """Return the key for queries across owners, and its index if that is new."""
        answers = self._answers
        if not answers.across and not answers.is_listed:
            if answers.order:
                raise InvalidValue(
                    f"An order ({', '.join(answers.order)}) is for queries across owners. Say by "
                    "which field they are, or that all items are listed."
                )
            return None, None
        across = [self._key_field(fields, name) for name in answers.across]
        order = [self._key_field(fields, name) for name in answers.order]
        if both := {one.name for one in across} & {one.name for one in order}:
            raise InvalidValue(
                f"{', '.join(sorted(both))}: items with the same value cannot be sorted by it."
            )
        if len(across) > MOST_ATTRIBUTES or len(order) > MOST_ATTRIBUTES:
            raise InvalidValue(
                f"An index key has at most {MOST_ATTRIBUTES} fields to query by, and "
                f"{MOST_ATTRIBUTES} to sort by."
            )
        for one in [*across, *order]:
            if one.optional:
                self._notes.append(f"Items without {one.name} are not in the index.")
        # Items with the same values are sorted by what identifies them.
        last = [identity[-1]] if identity[-1] not in [*across, *order] else []
        sort = [*order, *(last if len(order) < MOST_ATTRIBUTES else [])]
        if not sort:
            raise InvalidValue(
                f"Items with the same {answers.across[-1]} have nothing to sort by. Say in which "
                "order they are."
            )
        name = f"by_{'_and_'.join(answers.across)}" if across else "listed"
        if name in self._names:  # an index, which the class refers to
            name = f"of_{'_and_'.join(answers.across)}" if across else "in_list"
        is_plain = all(one.type.key is not None for one in [*across, *sort])
        if len(across) > 1 and is_plain and not any(one.choices for one in order):
            return self._multi_attribute_key(name, across, sort)
        if len(across) > 1:
            self._notes.append(
                "The index key is one text, because the attributes of a multi-attribute key sort "
                f"as they are stored: {', '.join(one.name for one in order)} would not sort in "
                "its own order."
            )
        constant = "#".join([self._constant, *(one.name.upper() for one in across)])
        pk = (quoted(constant), *map(_in_key, across))
        if not across:
            pk = (quoted(plural(snake_case(self._answers.name)).upper()),)
        index, is_new = self._overloaded_index()
        key = NewKey(name, pk, tuple(map(_sorted_in_key, sort)), index)
        return key, index if is_new else None

    def _key_field(self, fields: Mapping[str, NewField], name: str) -> NewField:
        found = fields.get(name)
        if found is None:
            raise InvalidValue(
                f"{self._answers.name} has no field {name!r} to query or sort by. Its fields: "
                f"{', '.join(fields)}. Add it: {name}:TYPE."
            )
        if found.in_key is None:
            raise InvalidValue(
                f"{name} is a {found.type.text}, which cannot be part of a key. Query and sort by "
                "fields of type str, int, Decimal, bool, date, datetime or UUID, or by choices."
            )
        return found

    def _multi_attribute_key(
        self, name: str, across: Sequence[NewField], sort: Sequence[NewField]
    ) -> tuple[NewKey, Index | None]:
        pk, sk = ([_key_attribute(one) for one in side] for side in (across, sort))
        parts = tuple(one.name for one in across), tuple(one.name for one in sort)
        for index in self._table.indexes:
            if (index.pk, index.sk) == tuple(
                tuple(map(KeyAttribute.of, side)) for side in (pk, sk)
            ):
                return NewKey(name, *parts, index), None
        attributes = {KeyAttribute.of(one).name for one in [*pk, *sk]}
        for model in self._models:
            if attributes <= {one.attribute for one in model.fields.values()}:
                self._notes.append(
                    f"{model.name} has the attributes {', '.join(sorted(attributes))}, too, so "
                    "its items will be in the new index, and their writes cost more."
                )
        index = self._new_index(pk, sk)
        return NewKey(name, *parts, index), index

    def _overloaded_index(self) -> tuple[Index, bool]:
        """Return an index with key attributes that belong to no field, and whether it is new.

        One that projects all attributes is preferred. From another one, items are read from the
        table, which costs less than the writes of one more index.
        """
        stored = {one.attribute for model in self._models for one in model.fields.values()}
        for index in sorted(self._table.indexes, key=lambda one: one.projection != "ALL"):
            keys = [*index.pk, *index.sk]
            has_texts = len(index.pk) == len(index.sk) == 1 and all(one.type == "S" for one in keys)
            is_generic = not any(one.name in stored for one in keys)
            if not index.local and has_texts and is_generic:
                if index.projection != "ALL":
                    self._notes.append(
                        f"{index.name} does not project all attributes, so items that are found in "
                        "it are read from the table. If a list needs only projected attributes, "
                        "use hydrate=False."
                    )
                return index, False
        number = self._next_index_number()
        return self._new_index([f"GSI{number}PK"], [f"GSI{number}SK"]), True

    def _next_index_number(self) -> int:
        names = {re.sub(r"\W", "", index.name).upper() for index in self._table.indexes}
        return next(one for one in range(1, 100) if f"GSI{one}" not in names)

    def _new_index(self, pk: Sequence[KeyType], sk: Sequence[KeyType]) -> Index:
        count = sum(not index.local for index in self._table.indexes)
        if count >= MAX_GLOBAL_INDEXES:
            raise DeclarationError(
                f"The table {self._table.name!r} has {count} global indexes, and DynamoDB allows "
                f"{MAX_GLOBAL_INDEXES}. Query by a key that an existing index can have."
            )
        return Index(f"GSI{self._next_index_number()}", pk=pk, sk=sk)


# Names of key fields that say nothing without their entity.
_VAGUE_NAMES = frozenset({"id", "name", "number", "code", "key_id", "slug", "title", "uuid"})


def check_entity_name(name: str, taken: Iterable[str]) -> None:
    """Raise InvalidValue unless a new entity can have this name."""
    if not re.fullmatch("[A-Z][A-Za-z0-9]*", name) or name in RESERVED:
        likely = pascal_case(name) if name not in RESERVED else f"{name}Item"
        raise InvalidValue(
            f"{name!r} is not a name for an entity: expected one as classes have it, such as "
            f"{likely}."
        )
    if name in taken:
        raise InvalidValue(f"There is an entity {name} already. Choose another name.")


def attribute_name(field_name: str, models: Sequence[Model]) -> str:
    """Return the attribute for a field in the style of the table: like_this, likeThis, LikeThis."""
    stored = [(one.name, one.attribute) for model in models for one in model.fields.values()]
    styles: tuple[Callable[[str], str], ...] = (str, _camel_case, pascal_case)
    best = max(styles, key=lambda style: sum(style(name) == other for name, other in stored))
    return best(field_name)


def _camel_case(name: str) -> str:
    text = pascal_case(name)
    return text[:1].lower() + text[1:]


def words_of(name: str) -> str:
    """Return a class name as words: `user skill`."""
    return snake_case(name).replace("_", " ")


def article(words: str) -> str:
    """Return the indefinite article for some words."""
    is_vowel = words[:1] in "aeiou" and not words.startswith(("use", "uni", "eu", "one"))
    return "an" if is_vowel else "a"


def _estimate_size(fields: Iterable[NewField], keys: int) -> int:
    """Return the bytes of an item with typical values, rounded up."""
    size = KEY_SIZE * keys + sum(len(one.name) + one.type.size for one in fields)
    return -(-size // 50) * 50


def _in_key(field: NewField) -> str:
    assert field.in_key is not None
    return field.in_key


def _sorted_in_key(field: NewField) -> str:
    """Return the field in a sort key; choices sort in the order in which they are declared."""
    return f"ordered({field.name})" if field.choices else _in_key(field)


def _parts(column: Column, fields: Mapping[str, NewField]) -> tuple[str, ...]:
    """Return the parts of a key attribute of the owner, with the fields of the new entity."""
    if not isinstance(column, TextColumn):
        return (fields[column.field].name,)
    parts: list[str] = []
    template = column.template
    for segment in template.segments:
        match segment:
            case FixedSegment(text) if parts and parts[-1].startswith('"'):
                parts[-1] = f'{parts[-1][:-1]}#{text}"'
            case FixedSegment(text):
                parts.append(quoted(text))
            case FieldSegment(name):
                parts.append(_in_key(fields[name]))
            case RepeatedSegment(FieldSegment(name)):
                parts.append(f"repeated({fields[name].name})")
            case ShardSegment():  # the caller uses another partition key
                raise AssertionError(column)
    return tuple(parts) if template.separator else (f"concat({', '.join(parts)})",)


def _key_attribute(field: NewField) -> KeyType:
    attribute = next((one[6:-1] for one in field.arguments if one.startswith("name=")), field.name)
    return Number(attribute) if field.type.key == "N" else attribute
