"""A ballot to rank on: a form that everybody can fill in, and with scripts a list that moves.

- `Paper(to, choices, …)` is the form; `drawn(paper)` its HTML, for a template to show.
- `said(levels, rest)` is a ballot in words, to look at once more before it counts.
- `read(form.values)` is what was sent: ranks by name, or what is wrong with each.
- `files()` are the scripts and styles, for `Pages(…, made=files())`; a page links `SCRIPT` and
  `STYLE` by `asset("NAME/" + …)`.
"""

from __future__ import annotations

from singletable_apps.shared.ballot.drawing import MODULES, SCRIPT, STYLE, drawn, files, said
from singletable_apps.shared.ballot.paper import Choice, Paper, Words, levels_of
from singletable_apps.shared.ballot.reading import LARGEST, RANK, Typed, read

__all__ = [
    "LARGEST",
    "MODULES",
    "RANK",
    "SCRIPT",
    "STYLE",
    "Choice",
    "Paper",
    "Typed",
    "Words",
    "drawn",
    "files",
    "levels_of",
    "read",
    "said",
]
