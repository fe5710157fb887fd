"""The Aggregated Ballot Information Format of the Electorama project.

Lines are `# comment`, `{key: value}`, `=token:[Name]` for a candidate, and `count:A>B=C` for votes.
The lines `ABIF 1.0` and `key: value` of the first draft are ignored like other metadata.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ranked_ballots.ballots import Ballots
from ranked_ballots.errors import CountingError, FormatError
from ranked_ballots.formats.collector import BallotCollector, BallotFile, ReadOptions
from ranked_ballots.formats.numbers import parse_number, quote
from ranked_ballots.formats.registry import ABIF, check_writable
from ranked_ballots.formats.source import Source
from ranked_ballots.ranking import Ranking

_METADATA = re.compile(r"\{.*\}\s*(?:#.*)?|ABIF(?:\s.*)?|[A-Za-z_]\w*\s*:[^>=,]*")
_TOKEN = re.compile(
    r"""\s*(?:\[(?P<bracketed>[^\[\]]*)\]|"(?P<quoted>[^"]*)"|(?P<bare>[\w.'-]+))
        \s*(?:/\s*(?P<rating>[0-9]+)\s*)?""",
    re.VERBOSE,
)
_BARE_NAME = re.compile("[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class AbifVote:
    """Levels of tokens, best first, and whether ratings made the order or were beside it."""

    levels: tuple[tuple[str, ...], ...]
    by_ratings: bool = False
    with_ratings: bool = False


def read_abif(source: Source, options: ReadOptions) -> BallotFile:
    """Read the ballots of an ABIF file."""
    lines = [(line, text.strip()) for line, text in enumerate(source.lines(), start=1)]
    names: dict[str, str] = {}
    title = ""
    for line, text in lines:
        if text.startswith("="):
            _read_candidate(text, line, names)
        else:
            title = title or _parse_title(text) or ""
    collector = BallotCollector(options, list(names.values()))
    known: dict[str, AbifVote] = {}
    for line, text in lines:
        if not text or text.startswith(("#", "=")) or _METADATA.fullmatch(text):
            continue
        try:
            _read_vote(text, line, names, collector, known)
        except CountingError as error:
            collector.handle_malformed(error, line)
    options.on_progress(len(source.data), len(source.data))
    return collector.finish("abif", title)


def _read_candidate(text: str, line: int, names: dict[str, str]) -> None:
    token, rest = _split_quoted(text[1:].lstrip(), ":")
    name, after = _split_quoted(rest[1:].lstrip(), "#")
    if not token or not name or not rest.startswith(":") or not (after + "#").startswith("#"):
        raise FormatError(f"expected a candidate as '=token:[Name]', found {quote(text)}.", line)
    if token in names:
        raise FormatError(f"the token '{token}' already stands for '{names[token]}'.", line)
    names[token] = name


def _parse_title(text: str) -> str | None:
    """Return the title in a line of metadata, or None."""
    key, colon, value = text.removeprefix("{").removesuffix("}").partition(":")
    if not (colon and text.startswith("{") and key.strip(" \t\"'") == "title"):
        return None
    return value.strip(" \t\"'")


def _split_quoted(text: str, end: str) -> tuple[str, str]:
    """Split off text in brackets or quotes, or up to `end`; empty if a bracket is not closed."""
    for opening, closing in ("[]", '""'):
        if text.startswith(opening):
            inside, closed, rest = text[1:].partition(closing)
            return inside.strip() if closed else "", rest.lstrip()
    at = text.find(end)
    at = len(text) if at < 0 else at
    return text[:at].strip(), text[at:]


def _read_vote(
    text: str,
    line: int,
    names: dict[str, str],
    collector: BallotCollector,
    known: dict[str, AbifVote],
) -> None:
    number, colon, order = text.partition(":")
    if not colon:
        raise FormatError(
            f"expected a vote as 'count:A>B=C', found no colon in {quote(text)}.", line
        )
    count = parse_number(number, line, "The count before the colon")
    if order not in known:
        known[order] = _parse_vote(order, line)
    vote = known[order]
    # A token that is not declared is the name of a candidate.
    levels = [[names.get(token, token) for token in level] for level in vote.levels]
    if not all(name for level in levels for name in level):
        raise FormatError(f"a name is empty in {quote(order)}.", line)
    ranking = Ranking.from_levels(levels)
    for name in (name for level in levels for name in level):
        collector.number(name)
    if vote.by_ratings:
        collector.change("ratings read as an order", count, line)
    if vote.with_ratings:
        collector.change("ratings beside an order ignored", count, line)
    collector.add(ranking, count)


def _parse_vote(text: str, line: int) -> AbifVote:
    """Parse candidates separated by `>`, `=` or `,`, with optional ratings; empty is blank."""
    tokens: list[str] = []
    ratings: list[int | None] = []
    marks: list[str] = []
    text = text.strip()
    has_data = text.endswith("}")
    at = 0
    while True:
        if not tokens and _is_end(text, at, has_data):
            return AbifVote(())
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormatError(
                'expected a candidate as a word or a name in [brackets] or "quotes", found '
                f"{quote(text[at : at + 61])}.",
                line,
            )
        bracketed, quoted, bare, rating = match.group("bracketed", "quoted", "bare", "rating")
        tokens.append(next(name.strip() for name in (bracketed, quoted, bare) if name is not None))
        ratings.append(None if rating is None else parse_number(rating, line, "A rating"))
        at = match.end()
        if _is_end(text, at, has_data):
            return _make_vote(tokens, ratings, marks, line)
        if text[at] not in ">=,":
            raise FormatError(
                f"expected '>', '=' or ',' between candidates, found {quote(text[at : at + 61])}.",
                line,
            )
        marks.append(text[at])
        at += 1


def _is_end(text: str, at: int, has_data: bool) -> bool:
    """Return whether no candidate follows, only a comment, or a colon and data about voters."""
    return at == len(text) or text[at] == "#" or (has_data and text[at] == ":")


def _make_vote(
    tokens: list[str], ratings: list[int | None], marks: list[str], line: int
) -> AbifVote:
    rated = [rating for rating in ratings if rating is not None]
    if not rated or ">" in marks or "=" in marks:
        levels: list[list[str]] = [[tokens[0]]]
        for mark, token in zip(marks, tokens[1:], strict=True):
            if mark == ">":
                levels.append([])
            levels[-1].append(token)
        return AbifVote(tuple(map(tuple, levels)), with_ratings=bool(rated))
    if len(rated) < len(tokens):
        raise FormatError(
            "only some candidates have a rating; rate all of them, or separate them with '>' and "
            "'='.",
            line,
        )
    by_rating: dict[int, list[str]] = {}
    for token, rating in zip(tokens, rated, strict=True):
        by_rating.setdefault(rating, []).append(token)
    best_first = sorted(by_rating, reverse=True)
    return AbifVote(tuple(tuple(by_rating[rating]) for rating in best_first), by_ratings=True)


def write_abif(ballots: Ballots, title: str) -> str:
    """Write a line per candidate and per ranking; names that are not words get tokens c1, c2 …"""
    rankings = ballots.ranking_counts()
    check_writable(ABIF, ballots.candidates, rankings)
    tokens = _make_tokens(ballots.candidates)
    lines = ['{version: "0.1"}']
    # Metadata cannot contain quotes or braces.
    if title.strip() and not set(title) & set("\"'{}\n\r"):
        lines.append(f'{{title: "{title.strip()}"}}')
    lines += [f"={tokens[name]}:[{name}]" for name in ballots.candidates]
    lines += [
        f"{count}:" + ">".join("=".join(tokens[name] for name in level) for level in ranking.levels)
        for ranking, count in rankings
    ]
    return "\n".join(lines) + "\n"


def _make_tokens(candidates: tuple[str, ...]) -> dict[str, str]:
    if all(_BARE_NAME.fullmatch(name) for name in candidates):
        return {name: name for name in candidates}
    return {name: f"c{number}" for number, name in enumerate(candidates, start=1)}
