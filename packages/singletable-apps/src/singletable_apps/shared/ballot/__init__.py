"""A ranked ballot: a form with a number box per name, which scripts turn into a sortable list.

- `BallotForm(action, choices, …)` is the form; `render_ballot_form` returns its HTML, and
  `render_mark_form` that of a ballot with marks instead of ranks.
- `parse_ranks(form.values)` reads what was submitted: ranks by name, or an error per name.
- `render_ranking(levels, unranked)` shows a filled-in ballot, e.g. to review it before casting.
- `static_files()` are the scripts and styles for `Pages(…, generated_files=static_files())`; a page
  links `SCRIPT` and `STYLE` with `asset("APP/" + …)`.
"""

from __future__ import annotations

from singletable_apps.shared.ballot.form import (
    MAX_RANK,
    MODULES,
    RANK_PREFIX,
    SCRIPT,
    STYLE,
    BallotForm,
    BallotLabels,
    Choice,
    SubmittedRanks,
    group_by_rank,
    parse_ranks,
    render_ballot_form,
    render_mark_form,
    render_ranking,
    static_files,
)

__all__ = [
    "MAX_RANK",
    "MODULES",
    "RANK_PREFIX",
    "SCRIPT",
    "STYLE",
    "BallotForm",
    "BallotLabels",
    "Choice",
    "SubmittedRanks",
    "group_by_rank",
    "parse_ranks",
    "render_ballot_form",
    "render_mark_form",
    "render_ranking",
    "static_files",
]
