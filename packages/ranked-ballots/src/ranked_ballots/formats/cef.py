"""The Condorcet Election Format, version 1.

A vote is `tags || A > B = C ^weight * quantity # comment`. Tags do not affect the ranking. A weight
counts as that many ballots if the file allows weights, and is ignored otherwise. Parameters start
with #/ and come before the first vote.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ranked_ballots.ballots import Ballots
from ranked_ballots.errors import CountingError, FormatError
from ranked_ballots.formats.collector import BallotCollector, BallotFile, ReadOptions
from ranked_ballots.formats.numbers import parse_number, quote
from ranked_ballots.formats.registry import CEF, check_writable
from ranked_ballots.formats.source import Source
from ranked_ballots.ranking import Ranking

EMPTY = "/EMPTY/"
_VOTE = re.compile(r"([^*^]*)(?:\^([^*^]*))?(?:\*([^*^]*))?")
_PARAMETER = re.compile(r"#/([^:]*\S):(.*)")
_BOOLEANS = {"true": True, "false": False}


@dataclass(slots=True)
class Parameters:
    """The standard parameters; others are ignored, as the format requires."""

    candidates: list[str] = field(default_factory=list[str])
    implicit_ranking: bool = True
    weight_allowed: bool = False


@dataclass(slots=True)
class _CefVote:
    ranking: Ranking
    has_unknown: bool


def read_cef(source: Source, options: ReadOptions) -> BallotFile:
    """Read the ballots of a CEF file."""
    parameters = Parameters()
    votes: list[tuple[int, str]] = []
    title = ""
    for line, text in enumerate(source.lines(), start=1):
        if text.startswith("#/"):
            if votes:
                raise FormatError("parameters must come before the first vote.", line)
            _read_parameter(text, line, parameters)
            continue
        vote, _, comment = text.partition("#")
        if vote.strip():
            votes.append((line, vote))
        else:
            title = title or comment.strip()
    if not parameters.candidates:
        parameters.candidates = _find_candidates(votes)
    collector = BallotCollector(options, parameters.candidates)
    known: dict[str, _CefVote] = {}
    for line, vote in votes:
        try:
            _read_vote(vote, line, parameters, collector, known)
        except CountingError as error:
            collector.handle_malformed(error, line)
    options.on_progress(len(source.data), len(source.data))
    return collector.finish("cef", title)


def _read_parameter(text: str, line: int, parameters: Parameters) -> None:
    match_ = _PARAMETER.fullmatch(text)
    if match_ is None:
        raise FormatError(
            f"expected a parameter as '#/Name: value' without a space before the colon, found "
            f"{quote(text)}.",
            line,
        )
    value = match_[2].strip()
    if "#" in value:
        raise FormatError("a parameter's line must not contain a comment.", line)
    match match_[1].strip().lower():
        case "candidates":
            parameters.candidates = [name.strip() for name in value.split(";") if name.strip()]
        case "implicit ranking":
            parameters.implicit_ranking = _parse_boolean(value, line)
        case "weight allowed":
            parameters.weight_allowed = _parse_boolean(value, line)
        case _:
            pass


def _parse_boolean(value: str, line: int) -> bool:
    if value.lower() not in _BOOLEANS:
        raise FormatError(f"expected true or false, found {quote(value)}.", line)
    return _BOOLEANS[value.lower()]


def _find_candidates(votes: list[tuple[int, str]]) -> list[str]:
    """Return the names in the votes, for files that declare no candidates."""
    names: dict[str, None] = {}
    for _, vote in votes:
        match = _VOTE.fullmatch(vote.rpartition("||")[2])
        if match is not None and match[1].strip().upper() != EMPTY:
            names |= dict.fromkeys(name.strip() for name in re.split("[>=]", match[1]))
    names.pop("", None)
    return list(names)


def _read_vote(
    text: str,
    line: int,
    parameters: Parameters,
    collector: BallotCollector,
    known: dict[str, _CefVote],
) -> None:
    match = _VOTE.fullmatch(text.rpartition("||")[2])
    if match is None:
        raise FormatError(
            f"expected a vote as 'A > B = C ^weight * quantity', found {quote(text)}.", line
        )
    count = 1 if match[3] is None else parse_number(match[3], line, "The quantity after *")
    if match[2] is not None:
        weight = parse_number(match[2], line, "The weight after ^")
        if parameters.weight_allowed:
            count *= weight
            collector.change("weight counted as a number of ballots", count, line)
        else:
            collector.change("weight ignored, as the file does not allow weights", count, line)
    order = match[1].strip()
    if order not in known:
        known[order] = _parse_order(order, line, collector)
    vote = known[order]
    if vote.has_unknown:
        collector.change("unknown candidates ignored", count, line)
    collector.add(_add_unlisted(vote.ranking, parameters, collector, count, line), count)


def _parse_order(order: str, line: int, collector: BallotCollector) -> _CefVote:
    if order.upper() == EMPTY:
        return _CefVote(Ranking(), has_unknown=False)
    if "<" in order or EMPTY in order.upper():
        raise FormatError(
            f"expected ranks separated by '>' and '=', or {EMPTY} alone, found {quote(order)}.",
            line,
        )
    levels = [[name.strip() for name in level.split("=")] for level in order.split(">")]
    if not all(name for level in levels for name in level):
        raise FormatError(f"a rank is empty in {quote(order)}; name a candidate in each.", line)
    # Made from all names, so that an unknown candidate must not be repeated either.
    whole = Ranking.from_levels(levels)
    kept = [[name for name in level if name in collector.candidates] for level in levels]
    has_unknown = len(whole.names) != sum(map(len, kept))
    return _CefVote(Ranking.from_levels(kept), has_unknown)


def _add_unlisted(
    ranking: Ranking, parameters: Parameters, collector: BallotCollector, count: int, line: int
) -> Ranking:
    """Rank all unlisted candidates last if the file says so."""
    ranked = set(ranking.names)
    unlisted = [name for name in collector.candidates if name not in ranked]
    leave_out = collector.options.rules.unlisted == "leave out"
    if not parameters.implicit_ranking or not unlisted or leave_out:
        return ranking
    collector.change("unlisted candidates ranked last, as the file says", count, line)
    return Ranking((*ranking.levels, tuple(unlisted)))


def write_cef(ballots: Ballots, title: str) -> str:
    """Write a CEF file without implicit ranking, so that unranked candidates stay unranked."""
    rankings = ballots.ranking_counts()
    check_writable(CEF, ballots.candidates, rankings)
    lines = [f"# {' '.join(title.split())}"] if title.split() else []
    lines += [
        f"#/Candidates: {' ; '.join(ballots.candidates)}",
        "#/Implicit Ranking: false",
        "#/Weight Allowed: false",
        "",
    ]
    lines += [f"{EMPTY if ranking.is_blank else ranking} * {count}" for ranking, count in rankings]
    return "\n".join(lines) + "\n"
