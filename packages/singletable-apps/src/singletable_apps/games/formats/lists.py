"""Questions as plain lists, which people type or paste.

    Capital of Peru?
    Quito
    * Lima

    Which is your favorite season?
    Spring
    Fall

A block is a question and its options; a star marks a correct one. `= Lima` is an accepted answer to
type, `> First` an option of an order, and `0 to 100 by 5: 37 ± 5` a slider, its true value and
tolerance. Without blank lines and marks, each line is a question.
"""

from __future__ import annotations

import re
from typing import Any

from singletable_apps.games.formats.parsed_questions import QuestionList, ReadSet, SetFormat
from singletable_apps.games.questions import OPTION_IDS, Question, QuestionType, make_options

_STARRED = re.compile(r"^\s*\*\s*(?=\S)")
# What people write before a question or an option.
_MARK = re.compile(r"^\s*(?:[*=>]|[-•]|\d{1,3}[.)]|[A-Ha-h][.)])\s*")
_SIGNS = {"=": QuestionType.TYPED, ">": QuestionType.ORDER}
_SLIDER = re.compile(
    r"\s*(?P<low>-?\d{1,10}) ?(?:to|–|…|\.\.) ?(?P<high>-?\d{1,10})(?: by (?P<step>\d{1,10}))?"
    r" ?[:=] ?(?P<target>-?\d{1,10})(?: ?(?:±|\+-|\+/-) ?(?P<tolerance>\d{1,10}))?\s*"
)


def read_list(text: str, name: str, written: QuestionType) -> ReadSet:
    """Read a list. Questions without options have the type `written`."""
    found = QuestionList()
    lines = text.splitlines()
    blocks: list[list[tuple[int, str]]] = [[]]
    has_gaps = not all(map(str.strip, text.strip().splitlines()))
    marked = re.compile(rf"{_STARRED.pattern}|^\s*[=>]|{_SLIDER.pattern}$")
    is_flat = not has_gaps and not any(map(marked.match, lines))
    for row, line in enumerate(lines, 1):
        if is_flat or not line.strip():
            blocks.append([])
        if line.strip():
            blocks[-1].append((row, line))
    for block in filter(None, blocks):
        (row, title), *options = block
        texts = [_MARK.sub("", line).strip() for _, line in options]
        starred = [at for at, (_, line) in enumerate(options) if _STARRED.match(line)]
        if len(texts) > len(OPTION_IDS):
            found.reject(row, "", f"Use at most {len(OPTION_IDS)} options.")
            continue
        kind = QuestionType.TRIVIA if starred else QuestionType.CHOICE if texts else written
        signs = {line.strip()[0] for _, line in options}
        kind = _SIGNS.get(signs.pop(), kind) if len(signs) == 1 else kind
        title = _MARK.sub("", title).strip()
        if len(options) == 1 and (slider := _SLIDER.fullmatch(options[0][1])):
            given: dict[str, Any] = {name: int(n) for name, n in slider.groupdict().items() if n}
            found.add(row, Question(QuestionType.SLIDER, title, **given))
            continue
        correct = tuple(OPTION_IDS[at] for at in starred)
        found.add(row, Question(kind, title, options=make_options(texts), correct=correct))
    return found.finish(SetFormat.CSV, name)
