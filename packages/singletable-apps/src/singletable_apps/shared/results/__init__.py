"""Show the results of a ranked vote: headline, places, rounds, other methods, and downloads.

- `Headline`, `compare_methods` and `round_table` put a count into words and
  tables; the macros in `results/macros.html` draw them.
- `runoff_headline`, `runoff_chart`, `round_bars` and `describe_ties` do the same for the rounds of
  an instant runoff.
- `writable_formats` and `ballot_downloads` list the files that these ballots can be exported to.
- `ResultCache` computes a result once for everyone who watches it.

An app declares `AppSpec(parts=[results])`; its pages link
`asset("APP/results/results.css")`, `…/pictures.css` and, for live updates, `…/live.js`.
"""

from __future__ import annotations

from pathlib import Path

from ranked_ballots.pictures import STYLESHEET
from singletable_apps.shared.results.cache import ResultCache as ResultCache
from singletable_apps.shared.results.downloads import ROUNDS_FORMAT as ROUNDS_FORMAT
from singletable_apps.shared.results.downloads import Download as Download
from singletable_apps.shared.results.downloads import ballot_downloads as ballot_downloads
from singletable_apps.shared.results.downloads import can_write_rounds as can_write_rounds
from singletable_apps.shared.results.downloads import writable_formats as writable_formats
from singletable_apps.shared.results.runoff import RoundBars as RoundBars
from singletable_apps.shared.results.runoff import Ties as Ties
from singletable_apps.shared.results.runoff import describe_ties as describe_ties
from singletable_apps.shared.results.runoff import full_tie as full_tie
from singletable_apps.shared.results.runoff import round_bars as round_bars
from singletable_apps.shared.results.runoff import runoff_chart as runoff_chart
from singletable_apps.shared.results.runoff import runoff_headline as runoff_headline
from singletable_apps.shared.results.views import MAX_ROUNDS as MAX_ROUNDS
from singletable_apps.shared.results.views import ChartRow as ChartRow
from singletable_apps.shared.results.views import Headline as Headline
from singletable_apps.shared.results.views import MethodComparison as MethodComparison
from singletable_apps.shared.results.views import RoundTable as RoundTable
from singletable_apps.shared.results.views import compare_methods as compare_methods
from singletable_apps.shared.results.views import possible_winners as possible_winners
from singletable_apps.shared.results.views import round_table as round_table

TEMPLATES = Path(__file__).parent / "templates"


def static_files() -> dict[str, str]:
    """Return the scripts and style sheets by file name."""
    paths = sorted((Path(__file__).parent / "static").iterdir())
    return {"results/pictures.css": STYLESHEET} | {
        f"results/{path.name}": path.read_text(encoding="utf-8") for path in paths
    }
