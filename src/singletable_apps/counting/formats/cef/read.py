"""Votes in the Condorcet Election Format become ballots.

A line is `tags || A > B = C ^weight * quantity # comment`. Tags say nothing about the ranking. A
weight counts as so many ballots if the file allows weights, and is ignored if it does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from singletable_apps.counting.errors import CountingError, FormatError
from singletable_apps.counting.formats.cef.parameters import Parameters, take_parameter
from singletable_apps.counting.formats.collecting import Asked, Collector
from singletable_apps.counting.formats.digits import shown, whole_number
from singletable_apps.counting.formats.reading import BallotFile
from singletable_apps.counting.formats.source import Source
from singletable_apps.counting.ranking import Ranking

EMPTY = "/EMPTY/"
_VOTE = re.compile(r"([^*^]*)(?:\^([^*^]*))?(?:\*([^*^]*))?")


@dataclass(slots=True)
class _Vote:
    ranking: Ranking
    unknown: bool


def read_cef(source: Source, asked: Asked) -> BallotFile:
    """The ballots of a CEF file."""
    parameters = Parameters()
    votes: list[tuple[int, str]] = []
    title = ""
    for line, text in enumerate(source.lines(), start=1):
        if text.startswith("#/"):
            if votes:
                raise FormatError("parameters come before the first vote.", line)
            take_parameter(text, line, parameters)
            continue
        vote, _, comment = text.partition("#")
        if vote.strip():
            votes.append((line, vote))
        else:
            title = title or comment.strip()
    if not parameters.candidates:
        parameters.candidates = _named(votes)
    collector = Collector(asked, parameters.candidates)
    known: dict[str, _Vote] = {}
    for line, vote in votes:
        try:
            _take_vote(vote, line, parameters, collector, known)
        except CountingError as error:
            collector.malformed(error, line)
    asked.told(len(source.data), len(source.data))
    return collector.reading("cef", title)


def _named(votes: list[tuple[int, str]]) -> list[str]:
    """Who is named in the votes of a file that declares nobody."""
    names: dict[str, None] = {}
    for _, vote in votes:
        found = _VOTE.fullmatch(vote.rpartition("||")[2])
        if found is not None and found[1].strip().upper() != EMPTY:
            names |= dict.fromkeys(name.strip() for name in re.split("[>=]", found[1]))
    names.pop("", None)
    return list(names)


def _take_vote(
    text: str, line: int, parameters: Parameters, collector: Collector, known: dict[str, _Vote]
) -> None:
    found = _VOTE.fullmatch(text.rpartition("||")[2])
    if found is None:
        raise FormatError(
            f"a vote is 'A > B = C ^weight * quantity' in this order; this is {shown(text)}.", line
        )
    count = 1 if found[3] is None else whole_number(found[3], line, "The quantity after *")
    if found[2] is not None:
        weight = whole_number(found[2], line, "The weight after ^")
        if parameters.weights:
            count *= weight
            collector.change("weight counted as so many ballots", count, line)
        else:
            collector.change("weight ignored, as the file allows none", count, line)
    said = found[1].strip()
    if said not in known:
        known[said] = _vote(said, line, collector)
    vote = known[said]
    if vote.unknown:
        collector.change("unknown candidates ignored", count, line)
    collector.add(_completed(vote.ranking, parameters, collector, count, line), count)


def _vote(said: str, line: int, collector: Collector) -> _Vote:
    if said.upper() == EMPTY:
        return _Vote(Ranking(), False)
    if "<" in said or EMPTY in said.upper():
        raise FormatError(
            f"ranks are parted by '>', equals by '=', and {EMPTY} stands alone; this is "
            f"{shown(said)}.",
            line,
        )
    levels = [[name.strip() for name in level.split("=")] for level in said.split(">")]
    if not all(name for level in levels for name in level):
        raise FormatError(f"a rank is empty in {shown(said)}; name a candidate in each.", line)
    # Made of all names, so that one who is no candidate may not be ranked twice either.
    whole = Ranking.from_levels(levels)
    kept = [[name for name in level if name in collector.candidates] for level in levels]
    return _Vote(Ranking.from_levels(kept), len(whole.names) != sum(map(len, kept)))


def _completed(
    ranking: Ranking, parameters: Parameters, collector: Collector, count: int, line: int
) -> Ranking:
    """The ranking with everybody else on a last rank, if the file asks for it."""
    ranked = set(ranking.names)
    left = [name for name in collector.candidates if name not in ranked]
    if not parameters.implicit or not left or collector.asked.rules.unlisted == "leave out":
        return ranking
    collector.change("candidates not listed ranked last, as the file asks", count, line)
    return Ranking((*ranking.levels, tuple(left)))
