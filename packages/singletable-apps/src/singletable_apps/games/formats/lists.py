"""Questions as plain lists, which people type or paste.

    Capital of Peru?
    Quito
    * Lima

    Which is your favorite season?
    Spring
    Fall

A block is a question and its options; a star marks a correct one. Without blank lines, each line is
a question.
"""

from __future__ import annotations

import re

from singletable_apps.games.formats.parsed_questions import QuestionList, ReadSet, SetFormat
from singletable_apps.games.questions import (
    OPTION_IDS,
    Question,
    QuestionType,
    make_options,
)

_STARRED = re.compile(r"^\s*\*\s*(?=\S)")
# What people write before a question or an option.
_MARK = re.compile(r"^\s*(?:\*|[-•]|\d{1,3}[.)]|[A-Ha-h][.)])\s*")


def read_list(text: str, name: str, written: QuestionType) -> ReadSet:
    """Read a list. Questions without options have the type `written`."""
    found = QuestionList()
    lines = text.splitlines()
    blocks: list[list[tuple[int, str]]] = [[]]
    has_gaps = not all(map(str.strip, text.strip().splitlines()))
    is_flat = not has_gaps and not any(map(_STARRED.match, lines))
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
        kind = written
        if texts:
            kind = QuestionType.TRIVIA if starred else QuestionType.CHOICE
        correct = tuple(OPTION_IDS[at] for at in starred)
        title = _MARK.sub("", title).strip()
        found.add(row, Question(kind, title, options=make_options(texts), correct=correct))
    return found.finish(SetFormat.CSV, name)
