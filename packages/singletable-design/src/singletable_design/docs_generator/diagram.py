"""Draw the item collections of a table or an index as SVG, with example items in sort order.

The diagram has a background of its own, so that it is readable on light and on dark pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dynamodb_engine.values import AttributeValue, content_of, key_bytes
from singletable.errors import InvalidValue
from singletable.patterns.requests import key_template
from singletable.schema import Index, Model, ResolvedKey, Table, model_of
from singletable.schema.examples import example_value, field_labels
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    RepeatedSegment,
    ShardSegment,
)
from singletable.schema.resolved_key import Column, TextColumn
from singletable_design.docs_generator.markdown import condition_text
from singletable_design.planning.svg import element, text_element

# Two examples show how the items of an entity are sorted.
EXAMPLES_PER_ENTITY = 2


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """An example item: its entity, its sort key and the names of its attributes."""

    entity: str
    # "marker of one_email", or empty for an item of the entity itself.
    marker: str
    sort_key: str
    attributes: tuple[str, ...]
    condition: str
    # Whether more items of this entity may follow.
    has_more: bool


@dataclass(frozen=True, slots=True)
class PartitionExample:
    """An item collection: an example of its partition key, the key templates and its rows."""

    example: str
    templates: tuple[str, ...]
    rows: tuple[ExampleRow, ...]


@dataclass(frozen=True, slots=True)
class TableOrIndex:
    """A table or one of its indexes, with the names of its key attributes."""

    table: Table
    index: Index | None

    @property
    def name(self) -> str:
        """The name of the table or the index."""
        return self.table.name if self.index is None else self.index.name

    @property
    def pk(self) -> str:
        """The names of the partition key's attributes."""
        keys = (self.table.pk,) if self.index is None else self.index.pk
        return " / ".join(key.name for key in keys)

    @property
    def sk(self) -> str:
        """The names of the sort key's attributes."""
        own = () if self.table.sk is None else (self.table.sk,)
        keys = own if self.index is None else self.index.sk
        return " / ".join(key.name for key in keys)


def table_and_indexes(table: Table) -> list[TableOrIndex]:
    """Return the table and each of its indexes."""
    return [TableOrIndex(table, None), *(TableOrIndex(table, index) for index in table.indexes)]


def example_partitions(source: TableOrIndex) -> list[PartitionExample]:
    """Return an example of each kind of partition, with the entities it may contain."""
    groups: dict[tuple[str, ...], list[tuple[Model, ResolvedKey, bool]]] = {}
    for model, access, is_marker in _accesses(source):
        shape = tuple(_shape(column) for column in access.pk)
        groups.setdefault(shape, []).append((model, access, is_marker))
    return [_example_partition(source, members) for members in groups.values()]


def _accesses(source: TableOrIndex) -> Iterator[tuple[Model, ResolvedKey, bool]]:
    models = [model_of(entity) for entity in source.table.entities]
    for model in models:
        if source.index is None:
            yield model, model.key, False
        for access in model.indexes.values():
            if source.index is not None and access.index is source.index:
                yield model, access, False
    if source.index is None:
        for model in models:
            for marker in model.uniques.values():
                yield model, marker.access, True


def _shape(column: Column) -> str:
    """Return the shape of a key; keys of the same shape may be in the same partition."""
    if not isinstance(column, TextColumn):
        return f"{{{column.attribute.type}}}"
    parts: list[str] = []
    for segment in column.template.segments:
        match segment:
            case FixedSegment(text):
                parts.append(text)
            case FieldSegment(_, form) | RepeatedSegment(FieldSegment(_, form)):
                parts.append(f"{{{form.name}}}")
            case ShardSegment(shards):
                parts.append(f"{{{shards.suffixes[0]} to {shards.suffixes[-1]}}}")
    return column.template.separator.join(parts)


def _example_partition(
    source: TableOrIndex, members: Sequence[tuple[Model, ResolvedKey, bool]]
) -> PartitionExample:
    sorted_rows: list[tuple[tuple[bytes, ...], ExampleRow]] = []
    first = ""
    for model, access, is_marker in members:
        has_more = not is_marker and bool(set(access.sk_fields) - set(access.pk_fields))
        for number in range(1, EXAMPLES_PER_ENTITY + 1 if has_more else 2):
            values = _values(model, access, number)
            pk, sk = _keys(access.pk, values), _keys(access.sk, values)
            first = first or _key_text(pk, access.pk)
            order = tuple(key_bytes(value) for value in sk if value is not None)
            last = has_more and number == EXAMPLES_PER_ENTITY
            row = _row(
                source, model, access, _key_text(sk, access.sk), marker=is_marker, has_more=last
            )
            sorted_rows.append((order, row))
    sorted_rows.sort(key=lambda pair: pair[0])
    templates = dict.fromkeys(
        " / ".join(key_template(column) for column in access.pk) for _, access, _ in members
    )
    return PartitionExample(first, tuple(templates), tuple(row for _, row in sorted_rows))


def _row(
    source: TableOrIndex,
    model: Model,
    access: ResolvedKey,
    sort: str,
    *,
    marker: bool,
    has_more: bool,
) -> ExampleRow:
    if marker:
        holds: tuple[str, ...] = ("the key of its owner",)
    elif source.index is not None and source.index.projection != "ALL":
        some = source.index.projection
        holds = ("keys only",) if some == "KEYS_ONLY" else ("keys", *some)
    else:
        in_key = set(access.fields)
        holds = tuple(
            field.attribute
            for name, field in model.fields.items()
            if field.stored and name not in in_key
        )
    only = "" if access.condition is None else condition_text(access.condition)
    return ExampleRow(
        model.name, f"marker of {access.name}" if marker else "", sort, holds, only, has_more
    )


def _values(model: Model, access: ResolvedKey, number: int) -> dict[str, object]:
    """Return example values of a key's fields; those of the partition key do not vary."""
    labels = field_labels(access.pk)
    values: dict[str, object] = {}
    for name in access.fields:
        at = 1 if name in access.pk_fields else number
        try:
            values[name] = example_value(model.fields[name].annotation, labels.get(name, name), at)
        except TypeError:
            continue
    return values


def _keys(columns: Sequence[Column], values: dict[str, object]) -> list[AttributeValue | None]:
    """Return the key attributes for the values; None without an example."""
    keys: list[AttributeValue | None] = []
    for column in columns:
        shards = column.template.shards if isinstance(column, TextColumn) else None
        try:
            keys.append(column.value(values, None if shards is None else shards.suffixes[0]))
        except InvalidValue:
            keys.append(None)
    return keys


def _key_text(keys: Sequence[AttributeValue | None], columns: Sequence[Column]) -> str:
    texts = (
        key_template(column) if value is None else str(content_of(value))
        for value, column in zip(keys, columns, strict=True)
    )
    return " / ".join(texts)


# A character of the fonts below is 0.6 of their size wide; the rest is a margin for other fonts.
_CHAR_WIDTH = 7.4
_ROW_HEIGHT = 26
_GAP = 14
_MARGIN = 20
_HEADER_HEIGHT = 34
_MAX_WIDTH = 1000
_NAMESPACE = "http://www.w3.org/2000/svg"

# Text and background on a light page; on a dark one they are swapped.
_COLORS = (
    ("#1e40af", "#dbeafe"),
    ("#166534", "#dcfce7"),
    ("#92400e", "#fef3c7"),
    ("#9d174d", "#fce7f3"),
    ("#5b21b6", "#ede9fe"),
    ("#155e75", "#cffafe"),
    ("#9f1239", "#ffe4e6"),
    ("#3f6212", "#ecfccb"),
)

_STYLE = """\
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
.card { fill: #ffffff; stroke: #d0d7de }
.box { fill: none; stroke: #d0d7de }
.key { fill: #1f2328; font-weight: 600 }
.sort { fill: #1f2328 }
.dim { fill: #59636e }
.chip { font-weight: 600 }
"""

_DARK = """\
.card { fill: #0d1117; stroke: #3d444d }
.box { stroke: #3d444d }
.key, .sort { fill: #f0f6fc }
.dim { fill: #9198a1 }
"""


def render_diagram(source: TableOrIndex, partitions: Sequence[PartitionExample], mark: str) -> str:
    """Return the diagram as SVG; `mark` is a comment that names the generator."""
    rows = [row for partition in partitions for row in partition.rows]
    widths = _Widths.of(source, partitions, rows)
    colors = [entity.__name__ for entity in source.table.entities]
    lines: list[str] = []
    top = _HEADER_HEIGHT
    for partition in partitions:
        height = max(len(partition.rows) * _ROW_HEIGHT, 12 + 17 * len(_key_lines(partition))) + 8
        lines += _partition(partition, top, height, widths, colors)
        top += height + _GAP
    total = top - _GAP + _MARGIN - 8
    width = round(widths.total)
    styles = (
        f"\n{_STYLE}{_chip_styles(dark=False)}"
        f"@media (prefers-color-scheme: dark) {{\n{_DARK}{_chip_styles(dark=True)}}}\n"
    )
    content = [
        f"<!-- {mark} -->",
        text_element("title", diagram_caption(source, partitions)),
        element("style", styles),
        element("rect", class_="card", x="0.5", y="0.5", width=width - 1, height=total - 1, rx=8),
        _text(_MARGIN, 22, "dim", source.pk),
        _text(widths.sort, 22, "dim", source.sk),
        _text(widths.holds, 22, "dim", "holds"),
        *lines,
    ]
    size = {"width": width, "height": total, "viewBox": f"0 0 {width} {total}"}
    body = "\n".join(content)
    return element("svg", f"\n{body}\n", xmlns=_NAMESPACE, **size, role="img") + "\n"


def diagram_caption(source: TableOrIndex, partitions: Sequence[PartitionExample]) -> str:
    """Describe the diagram, for its title and alternative text."""
    described: list[str] = []
    for partition in partitions:
        names = dict.fromkeys(_row_name(row) for row in partition.rows)
        described.append(f"{partition.templates[0]}: {', '.join(names)}")
    what = f"index {source.name}" if source.index is not None else f"table {source.name}"
    return f"Partitions of {what}. {'; '.join(described) or 'No entity is in it'}."


class _Widths:
    """The position of each column, and its width in characters."""

    def __init__(self, key: int, chip: int, sort: int, holds: int) -> None:
        self.letters = (key, chip, sort, holds)
        self.chip = _MARGIN + key * _CHAR_WIDTH + 28
        self.sort = self.chip + chip * _CHAR_WIDTH + 34
        self.holds = self.sort + sort * _CHAR_WIDTH + 20
        self.total = self.holds + holds * _CHAR_WIDTH + _MARGIN

    @classmethod
    def of(
        cls,
        source: TableOrIndex,
        partitions: Sequence[PartitionExample],
        rows: Sequence[ExampleRow],
    ) -> _Widths:
        keys = [
            text for partition in partitions for text in (partition.example, *partition.templates)
        ]
        key = _clamped_width([source.pk, *keys], 10, 44)
        chip = _clamped_width([row.entity for row in rows], 6, 24)
        sort = _clamped_width([source.sk, *(_sort_text(row) for row in rows)], 6, 44)
        left = int((_MAX_WIDTH - _MARGIN - cls(key, chip, sort, 0).total) / _CHAR_WIDTH)
        return cls(
            key,
            chip,
            sort,
            _clamped_width([_attributes_text(row) for row in rows], 8, max(left, 20)),
        )


def _clamped_width(texts: Sequence[str], least: int, most: int) -> int:
    return min(max([least, *map(len, texts)]), most)


def _partition(
    partition: PartitionExample, top: int, height: int, widths: _Widths, colors: Sequence[str]
) -> list[str]:
    width = widths.total - 2 * _MARGIN + 16
    key, chip, sort, holds = widths.letters
    box = {"x": _MARGIN - 8, "y": top, "width": round(width), "height": height}
    lines = [element("rect", class_="box", **box, rx=6)]
    for at, text in enumerate(_key_lines(partition)):
        kind = "dim" if at else "key"
        lines.append(_text(_MARGIN, top + 21 + at * 17, kind, _truncate(text, key)))
    for at, row in enumerate(partition.rows):
        y = top + 4 + at * _ROW_HEIGHT
        lines += _chip(row, widths.chip, y, chip, colors)
        lines.append(_text(widths.sort, y + 17, "sort", _truncate(_sort_text(row), sort)))
        lines.append(_text(widths.holds, y + 17, "dim", _truncate(_attributes_text(row), holds)))
    return lines


def _key_lines(partition: PartitionExample) -> list[str]:
    """Return an example of the key and its templates, without duplicates."""
    return list(dict.fromkeys((partition.example, *partition.templates)))


def _chip(row: ExampleRow, x: float, y: int, letters: int, colors: Sequence[str]) -> list[str]:
    color = colors.index(row.entity) % len(_COLORS)
    name = _truncate(row.entity, letters)
    box = {"x": x, "y": y + 3, "width": len(name) * _CHAR_WIDTH + 16, "height": 20, "rx": 10}
    dashes = "3 3" if row.marker else None
    return [
        element("rect", class_=f"c{color}", **box, stroke_dasharray=dashes),
        _text(x + 8, y + 17, f"chip t{color}", name),
    ]


def _chip_styles(*, dark: bool) -> str:
    rules: list[str] = []
    for at, (text, tint) in enumerate(_COLORS):
        front, back = (tint, text) if dark else (text, tint)
        rules.append(f".c{at} {{ fill: {back}; stroke: {front} }}\n.t{at} {{ fill: {front} }}\n")
    return "".join(rules)


def _text(x: float, y: int, kind: str, text: str) -> str:
    return text_element("text", text, class_=kind, x=float(x), y=y)


def _sort_text(row: ExampleRow) -> str:
    return f"{row.sort_key} …" if row.has_more else row.sort_key


def _attributes_text(row: ExampleRow) -> str:
    only = f"only if {row.condition}: " if row.condition else ""
    marker = f"{row.marker}: " if row.marker else ""
    return f"{marker}{only}{', '.join(row.attributes)}"


def _row_name(row: ExampleRow) -> str:
    return f"{row.marker} of {row.entity}" if row.marker else row.entity


def _truncate(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"
