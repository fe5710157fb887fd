"""Design the keys of a new entity from the answers of the usual decision tree.

Is it owned by another entity? Can an owner have several? Is it queried across owners, by which
fields, in which order? Other errors, such as a key of floats, are found when the module is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from singletable.errors import DeclarationError, InvalidValue
from singletable.migration.schema_diff.old_declaration import double_quoted
from singletable.migration.schema_diff.type_text import TypeTexts
from singletable.patterns import PatternCatalog, Rate, ReadPattern
from singletable.schema import Index, Model, Number, Selection, Table, model_of
from singletable.schema.key_template import FieldSegment, FixedSegment
from singletable.schema.resolved_key import TextColumn
from singletable.schema.source import quoted
from singletable.schema.table import KeyAttribute, KeyType
from singletable_design.cli.new.fields import TYPES, NewField, parse_field
from singletable_design.introspection.names import RESERVED, pascal_case, plural, snake_case

# Names of key fields that say nothing without their entity.
_VAGUE_NAMES = frozenset({"id", "name", "number", "code", "key_id", "slug", "title", "uuid"})
_BY_HAND = "Declare the new entity by hand."


@dataclass(frozen=True, slots=True)
class EntityAnswers:
    """What a developer says about a new entity; None where it is not said.

    `id` is the field that identifies an item, and `several` says whether an owner can have several.
    `across` are the fields by which items of all owners are queried; `is_listed` says that all
    items are, without a field; `order` is how these are sorted. `page_size` is for lists.
    """

    name: str
    owner: str | None = None
    several: bool | None = None
    fields: tuple[NewField, ...] | None = None
    id: str | None = None
    across: tuple[str, ...] | None = None
    is_listed: bool = False
    order: tuple[str, ...] | None = None
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
    sk: tuple[str, ...]
    index: Index | None = None


@dataclass(frozen=True, slots=True)
class EntityDesign:
    """The proposal: the fields, those in the primary key, all keys, and notes about them."""

    name: str
    table: Table
    tag: tuple[str, str] | None
    fields: tuple[NewField, ...]
    identity: tuple[NewField, ...]
    keys: tuple[NewKey, ...]
    # The index of the second key, unless the table has it already.
    new_index: Index | None
    notes: tuple[str, ...]


def words_of(name: str) -> str:
    """Return a class name as words: `user skill`."""
    return snake_case(name).replace("_", " ")


def with_article(words: str) -> str:
    """Return words after their indefinite article: `an order`."""
    is_vowel = words[:1] in "aeiou" and not words.startswith(("use", "uni", "eu", "one"))
    return f"{'an' if is_vowel else 'a'} {words}"


def check_entity_name(name: str, known: Container[str]) -> None:
    """Raise InvalidValue unless a new entity can have this name."""
    if not re.fullmatch("[A-Z][A-Za-z0-9]*", name) or name in RESERVED:
        likely = pascal_case(name) if name not in RESERVED else f"{name}Item"
        raise InvalidValue(f"{name!r} is not a name for a class, such as {likely}.")
    if name in known:
        raise InvalidValue(f"There is an entity {name} already. Choose another name.")


class EntityDesigner:
    """Designs an entity; `catalogs` are the access patterns of the app."""

    def __init__(
        self,
        answers: EntityAnswers,
        table: Table,
        owner: Model | None,
        catalogs: Sequence[PatternCatalog] = (),
    ) -> None:
        self._answers = answers
        self._table = table
        self._owner = owner
        self._catalogs = catalogs
        self._constant = snake_case(answers.name).upper()
        self._models = [model_of(entity) for entity in table.entities]
        self._notes: list[str] = []

    def design(self) -> EntityDesign:
        """Return the whole design; raise InvalidValue for answers that do not fit together."""
        answers = self._answers
        if self._owner is None and answers.several is False:
            raise InvalidValue("Only one for each owner: say which entity owns it.")
        own = {one.name: self._styled(one) for one in answers.fields or ()}
        if len(own) < len(answers.fields or ()):
            raise InvalidValue(f"A field is declared twice: {', '.join(own)}.")
        roles = [one.role for one in own.values() if one.role]
        if len(set(roles)) < len(roles):
            raise InvalidValue(f"The store sets one field of a kind, but got {', '.join(roles)}.")
        name = answers.id or f"{snake_case(answers.name)}_id"
        id_ = own.get(name) or self._styled(parse_field(name))
        ids = [] if answers.several is False else [id_]
        taken = [*own, *(one.name for one in ids)]
        owner_fields = {} if self._owner is None else self._owner_fields(self._owner, taken)
        identity = [*owner_fields.values(), *ids]
        fields = {one.name: one for one in identity} | own
        keys = [self._primary_key(owner_fields, ids)]
        if answers.across or answers.is_listed:
            keys.append(self._index_key(fields, identity))
        elif answers.order:
            raise InvalidValue(
                f"An order ({', '.join(answers.order)}) is for queries across owners. Say by which "
                "field they are, or that all items are listed."
            )
        index = keys[-1].index
        tags = {model.tag[0] for model in self._models if model.tag is not None}
        return EntityDesign(
            answers.name,
            self._table,
            (tags.pop(), answers.name) if len(tags) == 1 else None,
            tuple(fields.values()),
            tuple(identity),
            tuple(keys),
            None if index in self._table.indexes else index,
            tuple(self._notes),
        )

    def _styled(self, one: NewField) -> NewField:
        return one if one.role == "expires" else replace(one, attribute=self._attribute(one.name))

    def _attribute(self, name: str) -> str:
        """Return the attribute for a field in the style of the table: like_this, likeThis, …."""
        stored = [field for model in self._models for field in model.fields.values()]
        styles: tuple[Callable[[str], str], ...] = (str, _camel_case, pascal_case)
        return max(styles, key=lambda one: sum(one(f.name) == f.attribute for f in stored))(name)

    def _owner_fields(self, owner: Model, taken: Sequence[str]) -> dict[str, NewField]:
        """Return the fields for the key of the owner, by their names in the owner."""
        encodings = {
            segment.field: double_quoted(segment.encoding.declared)
            for column in owner.key.columns
            if isinstance(column, TextColumn)
            for segment in column.template.field_segments
        }
        fields: dict[str, NewField] = {}
        for name in owner.key.fields:
            declared, texts = owner.fields[name], TypeTexts()
            text = double_quoted(texts.text(declared.annotation))
            choices = tuple(re.findall('"([^"]*)"', text))
            is_usual = declared.field_codec is None and declared.time_format is None
            if not is_usual or texts.classes or not (choices or text in TYPES):
                raise DeclarationError(f"{declared}: {text} cannot be copied. {_BY_HAND}")
            is_vague = name in _VAGUE_NAMES or name in taken
            new = f"{snake_case(owner.name)}_{name}" if is_vague else name
            attribute = self._attribute(new) if is_vague else declared.attribute
            encoding = encodings.get(name, "")
            fields[name] = NewField(new, text, choices, attribute=attribute, encoding=encoding)
        return fields

    def _primary_key(self, owner_fields: Mapping[str, NewField], ids: list[NewField]) -> NewKey:
        constant, owner = quoted(self._constant), self._owner
        sort = (constant, *(one.in_key for one in ids))
        if owner is None:
            return NewKey("key", sort, () if self._table.sk is None else (constant,))
        words = words_of(owner.name)
        if not owner.key.sk_fields and owner.key.shards is None:
            self._notes += [
                f"{one.code} ({one.description}) reads the partition of {with_article(words)}, and "
                f"now these items, too. Add them to {one.collection.__name__}, and to items=… of "
                "the pattern."
                for catalog in self._catalogs
                for one in catalog
                if isinstance(one, ReadPattern) and one.collection is not None
                if isinstance(sample := one.sample, Selection) and sample.access is owner.key
            ]
            return NewKey("key", tuple(self._owner_parts(owner, owner_fields)), sort)
        # Below an owner with values in its sort key, a list of owners would read these items, too.
        self._notes.append(
            f"Each {owner.name} has a partition of its own for its "
            f"{plural(words_of(self._answers.name))}, so that lists of {plural(words)} do not read "
            "them."
        )
        first = quoted(snake_case(owner.name).upper())
        return NewKey("key", (first, *(one.in_key for one in owner_fields.values())), sort)

    def _owner_parts(self, owner: Model, fields: Mapping[str, NewField]) -> Iterable[str]:
        """Yield the parts of the owner's partition key, with the fields of the new entity."""
        column = owner.key.pk[0]
        if not isinstance(column, TextColumn):
            yield fields[column.field].in_key
            return
        for segment in column.template.segments:
            match segment:
                case FixedSegment(text):
                    yield quoted(text)
                case FieldSegment(name) if column.template.separator:
                    yield fields[name].in_key
                case _:
                    raise DeclarationError(f"{owner.key} cannot be copied. {_BY_HAND}")

    def _index_key(self, fields: Mapping[str, NewField], identity: Sequence[NewField]) -> NewKey:
        """Return the key for queries across owners."""
        by, order_by = self._answers.across or (), self._answers.order or ()
        if unknown := [name for name in (*by, *order_by) if name not in fields]:
            raise InvalidValue(
                f"{self._answers.name} has no field {unknown[0]!r} to query or sort by. Its "
                f"fields: {', '.join(fields)}. Add it: {unknown[0]}:TYPE."
            )
        # Items with the same values are sorted by what identifies them.
        last = [] if identity[-1].name in (*by, *order_by) else [identity[-1]]
        across, order = [fields[one] for one in by], [fields[one] for one in order_by]
        sort = [*order, *last]
        if not sort or set(by) & set(order_by):
            raise InvalidValue(
                f"Items with the same value of {', '.join(by)} have nothing to sort by. Say in "
                "which other order they are."
            )
        optional = [one.name for one in (*across, *order) if one.optional]
        self._notes += [f"Items without {one} are not in the index." for one in optional]
        name = f"by_{'_and_'.join(by)}" if by else "listed"
        if len(across) > 1:
            if not any(one.choices or one.type == "bool" for one in order):
                pk, sk = ([_key_attribute(one) for one in side] for side in (across, sort))
                index = self._multi_attribute_index(pk, sk)
                return NewKey(name, by, tuple(one.name for one in sort), index)
            self._notes.append(
                "The index key is one text, because the attributes of a multi-attribute key sort "
                f"as they are stored: {', '.join(order_by)} would not sort in its own order."
            )
        constant = quoted("#".join([self._constant, *(one.upper() for one in by)]))
        everything = quoted(plural(snake_case(self._answers.name)).upper())
        pk_parts = (constant, *(one.in_key for one in across)) if across else (everything,)
        sk_parts = [f"ordered({one.name})" if one.choices else one.in_key for one in sort]
        return NewKey(name, pk_parts, tuple(sk_parts), self._overloaded_index())

    def _multi_attribute_index(self, pk: Sequence[KeyType], sk: Sequence[KeyType]) -> Index:
        wanted = tuple(tuple(map(KeyAttribute.of, side)) for side in (pk, sk))
        found = (one for one in self._table.indexes if (one.pk, one.sk) == wanted)
        return next(found, None) or Index(self._new_index_name(), pk=pk, sk=sk)

    def _overloaded_index(self) -> Index:
        """Return an index with key attributes that belong to no field, or a new one.

        One that projects all attributes is preferred. From another one, items are read from the
        table, which costs less than the writes of one more index.
        """
        stored = {one.attribute for model in self._models for one in model.fields.values()}
        for index in sorted(self._table.indexes, key=lambda one: one.projection != "ALL"):
            keys = [*index.pk, *index.sk]
            has_texts = len(index.pk) == len(index.sk) == 1 and all(one.type == "S" for one in keys)
            if not index.local and has_texts and not stored & {one.name for one in keys}:
                if index.projection != "ALL":
                    self._notes.append(
                        f"{index.name} does not project all attributes, so items that are found in "
                        "it are read from the table. If a list needs only projected attributes, "
                        "use hydrate=False."
                    )
                return index
        name = self._new_index_name()
        return Index(name, pk=f"{name}PK", sk=f"{name}SK")

    def _new_index_name(self) -> str:
        names = {re.sub(r"\W", "", index.name).upper() for index in self._table.indexes}
        return next(one for number in range(1, 100) if (one := f"GSI{number}") not in names)


def _camel_case(name: str) -> str:
    text = pascal_case(name)
    return text[:1].lower() + text[1:]


def _key_attribute(field: NewField) -> KeyType:
    name = field.attribute or field.name
    return Number(name) if field.type in ("int", "Decimal") else name
