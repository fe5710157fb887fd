"""Votes in ABIF become ballots.

Lines are `# comment`, `{key: value}`, `=token:[Name]` for a candidate, and `count:A>B=C` for
votes. The first draft's `ABIF 1.0` and `key: value` lines are passed over like other metadata.
"""

from __future__ import annotations

import re

from singletable_apps.counting.errors import CountingError, FormatError
from singletable_apps.counting.formats.abif.votes import Vote, quoted, vote_of
from singletable_apps.counting.formats.collecting import Asked, Collector
from singletable_apps.counting.formats.digits import shown, whole_number
from singletable_apps.counting.formats.reading import BallotFile
from singletable_apps.counting.formats.source import Source
from singletable_apps.counting.ranking import Ranking

_METADATA = re.compile(r"\{.*\}\s*(?:#.*)?|ABIF(?:\s.*)?|[A-Za-z_]\w*\s*:[^>=,]*")


def read_abif(source: Source, asked: Asked) -> BallotFile:
    """The ballots of an ABIF file."""
    lines = [(line, text.strip()) for line, text in enumerate(source.lines(), start=1)]
    names: dict[str, str] = {}
    title = ""
    for line, text in lines:
        if text.startswith("="):
            _take_candidate(text, line, names)
        else:
            title = title or _title(text) or ""
    collector = Collector(asked, list(names.values()))
    known: dict[str, Vote] = {}
    for line, text in lines:
        if not text or text.startswith(("#", "=")) or _METADATA.fullmatch(text):
            continue
        try:
            _take_vote(text, line, names, collector, known)
        except CountingError as error:
            collector.malformed(error, line)
    asked.told(len(source.data), len(source.data))
    return collector.reading("abif", title)


def _take_candidate(text: str, line: int, names: dict[str, str]) -> None:
    token, rest = quoted(text[1:].lstrip(), ":")
    name, after = quoted(rest[1:].lstrip(), "#")
    if not token or not name or not rest.startswith(":") or not (after + "#").startswith("#"):
        raise FormatError(
            f"a candidate's line is '=token:[Name]', and this is {shown(text)}.", line
        )
    if token in names:
        raise FormatError(f"the token '{token}' stands for '{names[token]}' already.", line)
    names[token] = name


def _title(text: str) -> str | None:
    """The title that a line of metadata has, if it has one."""
    key, colon, value = text.removeprefix("{").removesuffix("}").partition(":")
    if not (colon and text.startswith("{") and key.strip(" \t\"'") == "title"):
        return None
    return value.strip(" \t\"'")


def _take_vote(
    text: str, line: int, names: dict[str, str], collector: Collector, known: dict[str, Vote]
) -> None:
    number, colon, said = text.partition(":")
    if not colon:
        raise FormatError(f"a vote is 'count:A>B=C', and there is no colon in {shown(text)}.", line)
    count = whole_number(number, line, "The count before the colon")
    if said not in known:
        known[said] = vote_of(said, line)
    vote = known[said]
    # Who is named in full, or never declared, is a candidate of that name.
    levels = [[names.get(token, token) for token in level] for level in vote.levels]
    if not all(name for level in levels for name in level):
        raise FormatError(f"a name is empty in {shown(said)}.", line)
    ranking = Ranking.from_levels(levels)
    for name in (name for level in levels for name in level):
        collector.number(name)
    if vote.by_ratings:
        collector.change("ratings read as an order", count, line)
    if vote.with_ratings:
        collector.change("ratings beside an order left out", count, line)
    collector.add(ranking, count)
