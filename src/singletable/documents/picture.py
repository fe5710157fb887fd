"""A picture of a table or an index: its partitions, and the items that lie in them in order.

It is drawn on a card of its own, so that it can be read on a light page and on a dark one.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from singletable.documents.partitions import Lying, Place, Row

# A character of the fonts below is 0.6 of their size wide; a little more is room for others.
_LETTER = 7.4
_LINE = 26
_GAP = 14
_MARGIN = 20
_HEAD = 34
_WIDEST = 1000

# Text on tint, for a light page; on a dark one they change places.
_COLOURS = (
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


def picture(place: Place, partitions: Sequence[Lying], mark: str) -> str:
    """The picture as SVG; `mark` says what wrote it."""
    rows = [row for one in partitions for row in one.rows]
    widths = _Widths.of(place, partitions, rows)
    colours = [entity.__name__ for entity in place.table.entities]
    lines: list[str] = []
    top = _HEAD
    for one in partitions:
        height = max(len(one.rows) * _LINE, 12 + 17 * len(_key_lines(one))) + 8
        lines += _partition(one, top, height, widths, colours)
        top += height + _GAP
    total = top - _GAP + _MARGIN - 8
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{widths.total:.0f}" height="{total}" '
            f'viewBox="0 0 {widths.total:.0f} {total}" role="img">',
            f"<!-- {mark} -->",
            f"<title>{escape(caption(place, partitions))}</title>",
            f"<style>\n{_STYLE}{_chips(dark=False)}"
            f"@media (prefers-color-scheme: dark) {{\n{_DARK}{_chips(dark=True)}}}\n</style>",
            f'<rect class="card" x="0.5" y="0.5" width="{widths.total - 1:.0f}" '
            f'height="{total - 1}" rx="8"/>',
            _text(_MARGIN, 22, "dim", place.pk),
            _text(widths.sort, 22, "dim", place.sk),
            _text(widths.holds, 22, "dim", "holds"),
            *lines,
            "</svg>",
            "",
        ]
    )


def caption(place: Place, partitions: Sequence[Lying]) -> str:
    """What the picture shows, for those who cannot see it."""
    said: list[str] = []
    for one in partitions:
        names = dict.fromkeys(_named(row) for row in one.rows)
        said.append(f"{one.templates[0]}: {', '.join(names)}")
    what = f"index {place.name}" if place.index is not None else f"table {place.name}"
    return f"Partitions of {what}. {'; '.join(said) or 'No entity is in it'}."


class _Widths:
    """Where each column begins, and how wide it is in letters."""

    def __init__(self, key: int, chip: int, sort: int, holds: int) -> None:
        self.letters = (key, chip, sort, holds)
        self.chip = _MARGIN + key * _LETTER + 28
        self.sort = self.chip + chip * _LETTER + 34
        self.holds = self.sort + sort * _LETTER + 20
        self.total = self.holds + holds * _LETTER + _MARGIN

    @classmethod
    def of(cls, place: Place, partitions: Sequence[Lying], rows: Sequence[Row]) -> _Widths:
        keys = [text for one in partitions for text in (one.example, *one.templates)]
        key = _longest([place.pk, *keys], 10, 44)
        chip = _longest([row.entity for row in rows], 6, 24)
        sort = _longest([place.sk, *(_sorted(row) for row in rows)], 6, 44)
        left = int((_WIDEST - _MARGIN - cls(key, chip, sort, 0).total) / _LETTER)
        return cls(key, chip, sort, _longest([_holds(row) for row in rows], 8, max(left, 20)))


def _longest(texts: Sequence[str], least: int, most: int) -> int:
    return min(max([least, *map(len, texts)]), most)


def _partition(
    one: Lying, top: int, height: int, widths: _Widths, colours: Sequence[str]
) -> list[str]:
    width = widths.total - 2 * _MARGIN + 16
    key, chip, sort, holds = widths.letters
    lines = [
        f'<rect class="box" x="{_MARGIN - 8}" y="{top}" width="{width:.0f}" height="{height}" '
        'rx="6"/>'
    ]
    for at, text in enumerate(_key_lines(one)):
        kind = "dim" if at else "key"
        lines.append(_text(_MARGIN, top + 21 + at * 17, kind, _cut(text, key)))
    for at, row in enumerate(one.rows):
        y = top + 4 + at * _LINE
        lines += _chip(row, widths.chip, y, chip, colours)
        lines.append(_text(widths.sort, y + 17, "sort", _cut(_sorted(row), sort)))
        lines.append(_text(widths.holds, y + 17, "dim", _cut(_holds(row), holds)))
    return lines


def _key_lines(one: Lying) -> list[str]:
    """An example of the key, and what it is made of; not twice the same."""
    return list(dict.fromkeys((one.example, *one.templates)))


def _chip(row: Row, x: float, y: int, letters: int, colours: Sequence[str]) -> list[str]:
    colour = colours.index(row.entity) % len(_COLOURS)
    dashes = ' stroke-dasharray="3 3"' if row.marker else ""
    name = _cut(row.entity, letters)
    return [
        f'<rect class="c{colour}" x="{x:.1f}" y="{y + 3}" width="{len(name) * _LETTER + 16:.1f}" '
        f'height="20" rx="10"{dashes}/>',
        f'<text class="chip t{colour}" x="{x + 8:.1f}" y="{y + 17}">{escape(name)}</text>',
    ]


def _chips(*, dark: bool) -> str:
    rules: list[str] = []
    for at, (text, tint) in enumerate(_COLOURS):
        front, back = (tint, text) if dark else (text, tint)
        rules.append(f".c{at} {{ fill: {back}; stroke: {front} }}\n.t{at} {{ fill: {front} }}\n")
    return "".join(rules)


def _text(x: float, y: int, kind: str, text: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y}">{escape(text)}</text>'


def _sorted(row: Row) -> str:
    return f"{row.sort} …" if row.many else row.sort


def _holds(row: Row) -> str:
    only = f"only if {row.only}: " if row.only else ""
    marker = f"{row.marker}: " if row.marker else ""
    return f"{marker}{only}{', '.join(row.holds)}"


def _named(row: Row) -> str:
    return f"{row.marker} of {row.entity}" if row.marker else row.entity


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"
