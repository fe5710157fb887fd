"""Ballots in ABIF: a line for each candidate, and one for each ranking with its count."""

from __future__ import annotations

import re

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.formats.table import ABIF
from singletable_apps.counting.formats.writable import check_writable

_BARE = re.compile("[A-Za-z][A-Za-z0-9_]*")


def write_abif(ballots: Ballots, title: str) -> str:
    """The file; names that are no plain words get the tokens c1, c2 … in the votes."""
    counted = ballots.ranking_counts()
    check_writable(ABIF, ballots.candidates, counted)
    token = _tokens(ballots.candidates)
    lines = ['{version: "0.1"}']
    # Metadata has no way to say a quote or a brace.
    if title.strip() and not set(title) & set("\"'{}\n\r"):
        lines.append(f'{{title: "{title.strip()}"}}')
    lines += [f"={token[name]}:[{name}]" for name in ballots.candidates]
    lines += [
        f"{count}:" + ">".join("=".join(token[name] for name in level) for level in ranking.levels)
        for ranking, count in counted
    ]
    return "\n".join(lines) + "\n"


def _tokens(candidates: tuple[str, ...]) -> dict[str, str]:
    if all(_BARE.fullmatch(name) for name in candidates):
        return {name: name for name in candidates}
    return {name: f"c{number}" for number, name in enumerate(candidates, start=1)}
