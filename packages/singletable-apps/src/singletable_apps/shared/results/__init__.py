"""Show the results of a ranked vote: headline, places, rounds, other methods, and downloads.

- `Headline`, `compare_methods` and `round_table` put a count into words and
  tables; the macros in `results/macros.html` draw them.
- `runoff_headline`, `runoff_chart`, `round_bars` and `describe_ties` do the same for the rounds of
  an instant runoff.
- `writable_formats` and `ballot_downloads` list the files that these ballots can be exported to.
- `ResultCache` computes a result once for everyone who watches it.

An app passes `Pages(…, generated_files=static_files(), templates=[TEMPLATES])`; its pages link
`asset("APP/results/results.css")`, `…/pictures.css` and, for live updates, `…/live.js`.
"""

from __future__ import annotations

from pathlib import Path

from ranked_ballots.pictures import STYLESHEET
from singletable_apps.shared.results.cache import ResultCache
from singletable_apps.shared.results.downloads import (
    ROUNDS_FORMAT,
    Download,
    ballot_downloads,
    can_write_rounds,
    writable_formats,
)
from singletable_apps.shared.results.runoff import (
    RoundBars,
    Ties,
    describe_ties,
    full_tie,
    round_bars,
    runoff_chart,
    runoff_headline,
)
from singletable_apps.shared.results.views import (
    MAX_ROUNDS,
    ChartRow,
    Headline,
    MethodComparison,
    RoundCell,
    RoundTable,
    compare_methods,
    possible_winners,
    round_table,
)

__all__ = [
    "MAX_ROUNDS",
    "ROUNDS_FORMAT",
    "TEMPLATES",
    "ChartRow",
    "Download",
    "Headline",
    "MethodComparison",
    "ResultCache",
    "RoundBars",
    "RoundCell",
    "RoundTable",
    "Ties",
    "ballot_downloads",
    "can_write_rounds",
    "compare_methods",
    "describe_ties",
    "full_tie",
    "possible_winners",
    "round_bars",
    "round_table",
    "runoff_chart",
    "runoff_headline",
    "static_files",
    "writable_formats",
]

TEMPLATES = Path(__file__).parent / "templates"


def static_files() -> dict[str, str]:
    """Return the scripts and style sheets by file name."""
    paths = sorted((Path(__file__).parent / "static").iterdir())
    return {"results/pictures.css": STYLESHEET} | {
        f"results/{path.name}": path.read_text(encoding="utf-8") for path in paths
    }
