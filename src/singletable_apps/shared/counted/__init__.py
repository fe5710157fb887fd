"""A count on a page, whatever it is a count of: rounds, methods side by side, files, and live.

- `rounds_of(runoff)` is a table of rounds, and `comparison(results, deciding, …)` one of methods.
- `formats_for(…)` are the formats that can hold the ballots; `offered(…)` says what each is for.
- `Latest` makes what many look at once.
- `files()` are the scripts and styles, `counted.css`, `pictures.css` and `live.js`; the macros are
  in `counted/macros.html`: `Pages(…, made=files(), templates=[TEMPLATES])`.
"""

from __future__ import annotations

from pathlib import Path

from singletable_apps.counting.pictures import STYLESHEET
from singletable_apps.shared.counted.closeness import margin_words
from singletable_apps.shared.counted.comparing import Comparison, comparison, could_win, in_order
from singletable_apps.shared.counted.formats import can_write_rounds, formats_for
from singletable_apps.shared.counted.headline import Headline
from singletable_apps.shared.counted.latest import Latest
from singletable_apps.shared.counted.offering import ROUNDS, File, offered
from singletable_apps.shared.counted.rounds import MOST_ROUNDS, Cell, Rounds, rounds_of

__all__ = [
    "MOST_ROUNDS",
    "ROUNDS",
    "TEMPLATES",
    "Cell",
    "Comparison",
    "File",
    "Headline",
    "Latest",
    "Rounds",
    "can_write_rounds",
    "comparison",
    "could_win",
    "files",
    "formats_for",
    "in_order",
    "margin_words",
    "offered",
    "rounds_of",
]

TEMPLATES = Path(__file__).parent / "templates"


def files() -> dict[str, str]:
    """The scripts and styles by their names."""
    found = sorted((Path(__file__).parent / "static").iterdir())
    return {"pictures.css": STYLESHEET} | {
        path.name: path.read_text(encoding="utf-8") for path in found
    }
