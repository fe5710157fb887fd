"""A count as people read it: one file a part of the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, pairwise

from markupsafe import Markup

from singletable_apps.counting import (
    BeatPath,
    Ranking,
    Result,
    RunoffResult,
    SchulzeResult,
    TieBreak,
    describe_margin,
    format_number,
    join_names,
    pluralize,
)
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.pages.urls import election_url
from singletable_apps.elections.proofs import ClosingStatement, compute_tie_seed, hash_definition
from singletable_apps.elections.rules.elections import ResultDetail
from singletable_apps.elections.service import Elections, Tally
from singletable_apps.shared.results import (
    ROUNDS_FORMAT,
    Download,
    Headline,
    ballot_downloads,
    can_write_rounds,
    candidates_in_order,
    writable_formats,
)

# So many rankings are on the page itself; the rest is on pages of its own.
FIRST = 12


@dataclass(frozen=True, slots=True)
class Count:
    """The ballots counted by every method, and as much of them as is published.

    `alike` are the most frequent rankings, of `kinds` that there are; `formats` can hold all of
    them. `mark` is another if anything of it is.
    """

    tally: Tally
    results: dict[str, Result]
    alike: tuple[tuple[Ranking, int], ...]
    kinds: int
    formats: tuple[str, ...]
    mark: str

    @property
    def election(self) -> Election:
        """The election."""
        return self.tally.election

    @property
    def is_final(self) -> bool:
        """Whether no ballot can change it any more."""
        return not self.election.allow_vote

    @property
    def result(self) -> SchulzeResult:
        """The count that decides."""
        result = self.results["schulze"]
        assert isinstance(result, SchulzeResult)
        return result

    @property
    def runoff(self) -> RunoffResult:
        """The count in rounds, for comparison."""
        result = self.results["instant runoff"]
        assert isinstance(result, RunoffResult)
        return result

    def shows(self, what: str) -> bool:
        """Whether this is published of the ballots."""
        return what in self.tally.shown


def count_of(elections: Elections, viewer: User, name: str) -> Count:
    """The count as the viewer may see it now."""
    tallies = elections.results.tallies(viewer, name)
    tally = tallies["schulze"]
    alike: list[tuple[Ranking, int]] = []
    if ResultDetail.RANKINGS in tally.shown:
        alike = elections.results.rankings(viewer, name)
    results = {method: each.result for method, each in tallies.items()}
    first = tuple(alike[:FIRST])
    formats = (
        writable_formats(tally.result.candidates, alike)
        if ResultDetail.RANKINGS in tally.shown
        else ()
    )
    return Count(tally, results, first, len(alike), formats, _mark(tally, results, first))


def _mark(tally: Tally, results: dict[str, Result], alike: tuple[tuple[Ranking, int], ...]) -> str:
    said = [str(tally.election.revision), repr(alike)]
    said += [result.to_json() for result in results.values()]
    return sha256("\n".join(said).encode()).hexdigest()[:16]


# Up to so many candidates every pair is in the table; of more, the pairs that decide.
EVERY_PAIR = 6
MOST = 30


@dataclass(frozen=True, slots=True)
class Link:
    """One victory of a chain: over whom, by how much, and whether it makes the chain so weak."""

    strength: int
    to: str
    is_weakest: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """From whom it leads, by which victories, and how strong that makes it."""

    start: str
    links: tuple[Link, ...]
    strength: int


@dataclass(frozen=True, slots=True)
class Duel:
    """Two candidates, and the chain each has to the other; None if there is none."""

    a: str
    b: str
    there: Chain | None
    back: Chain | None

    @property
    def higher(self) -> str | None:
        """Who has the stronger chain; None if they are level."""
        there = self.there.strength if self.there else 0
        back = self.back.strength if self.back else 0
        return None if there == back else self.a if there > back else self.b


def duels(result: SchulzeResult) -> list[Duel]:
    """The pairs of the table, in the order of the result."""
    paths = {(path.names[0], path.names[-1]): path for path in result.paths}
    return [
        Duel(a, b, _chain(paths.get((a, b))), _chain(paths.get((b, a))))
        for a, b in _pairs(candidates_in_order(result))
    ]


def _pairs(names: list[str]) -> Iterator[tuple[str, str]]:
    if len(names) <= EVERY_PAIR:
        yield from combinations(names, 2)
        return
    shown = names[:MOST]
    yield from ((shown[0], other) for other in shown[1:])
    yield from pairwise(shown[1:])


def _chain(path: BeatPath | None) -> Chain | None:
    if path is None:
        return None
    links = zip(path.links, path.names[1:], strict=True)
    several = len(path.links) > 1
    steps = tuple(
        Link(strength, to, several and strength == path.strength) for strength, to in links
    )
    return Chain(path.names[0], steps, path.strength)


def files_of(count: Count) -> list[Download]:
    """Every file that there may be of the election now."""
    return [*_about(count), *_ballots(count)]


def _about(count: Count) -> list[Download]:
    election = count.election
    files = [
        Download(
            "The result",
            "All of this page as data: places, pairs, chains, and the sentences.",
            "json",
            election_url(election, "tally", "result.json"),
        )
    ]
    if count.tally.closing is not None:
        files.append(
            Download(
                "The signed publication",
                "What the checker reads: the signed close, all confirmations, and what else is "
                "published.",
                "json",
                election_url(election, "published", "publication.json"),
            )
        )
    return files


def _ballots(count: Count) -> list[Download]:
    rounds = {ROUNDS_FORMAT} if can_write_rounds(count.runoff, count.election.name) else set[str]()
    return ballot_downloads(
        {*rounds, *count.formats},
        lambda form: election_url(count.election, "tally", "ballots", form),
    )


def headline(count: Count) -> Headline:
    """What is said first about the count."""
    account = count.result.account
    eyebrow = "Result" if count.is_final else "So far"
    if account.cast == 0:
        return _nobody(count, eyebrow)
    if len(count.result.candidates) == 1:
        name = count.result.candidates[0]
        return Headline(eyebrow, f"{name} is the only candidate", f"Nobody stands beside {name}.")
    if account.blank == account.cast:
        why = f"{_ballots_headline(count)} cast, and every one is blank. {_lot(count)}"
        return Headline(eyebrow, "Everybody is tied", why)
    if len(count.result.winners) > 1:
        return Headline(eyebrow, _tie_title(count), f"{_level(count)} {_lot(count)}")
    return _won(count, eyebrow)


def _nobody(count: Count, eyebrow: str) -> Headline:
    if count.is_final:
        return Headline(eyebrow, "Nobody voted", f"It closed without a ballot. {_lot(count)}")
    return Headline(eyebrow, "Nobody has voted yet", "The count is here as soon as somebody has.")


def _won(count: Count, eyebrow: str) -> Headline:
    result = count.result
    name = result.winners[0]
    if result.condorcet_winner is not None:
        why = f"{name} beats every other candidate head to head."
    else:
        why = (
            f"Nobody beats everybody head to head, so chains of victories decide: to each of the "
            f"others, {name} has the stronger one."
        )
    verb = "wins" if count.is_final else "leads"
    margin = (
        "" if result.margin is None else describe_margin(result.margin, is_final=count.is_final)
    )
    return Headline(eyebrow, f"{name} {verb}", why, margin)


def _tie_title(count: Count) -> str:
    names = count.result.winners
    if count.result.final_order:
        return f"{count.result.final_order[0]} wins a tie"
    return (
        f"{join_names(names)} are tied" if len(names) < 4 else f"{len(names)} candidates are tied"
    )


def _level(count: Count) -> str:
    names = count.result.winners
    if len(names) > 2:
        why = "none has a stronger chain of victories to another of them than that one has back"
    else:
        why = "neither has a stronger chain of victories to the other than the other has back"
    return f"{join_names(names)} share the first place: {why}."


def _lot(count: Count) -> str:
    """How the tie at the top was broken, or would be."""
    if count.result.final_order:
        first = count.result.final_order[0]
        return f"Ties go by an order that nobody could choose or foresee, and {first} is first."
    return (
        "If it stays so, an order decides that nobody can choose or foresee: it is made at the "
        "close."
    )


def _ballots_headline(count: Count) -> str:
    cast = count.result.account.cast
    return f"{pluralize(cast, 'ballot')} {'was' if cast == 1 else 'were'}"


# A map of more is none: it would be a million cells.
_MIDDLE = 5

Row = tuple[str, list[tuple[Markup, int | None]]]


def pair_rows(result: SchulzeResult) -> list[Row]:
    """A row for each candidate, best first; at most so many as can be read."""
    names = candidates_in_order(result)[:MOST]
    at = {name: result.candidates.index(name) for name in names}
    return [
        (
            name,
            [
                (Markup("–"), None)
                if name == other
                else _cell(
                    result.preferences[at[name]][at[other]], result.preferences[at[other]][at[name]]
                )
                for other in names
            ],
        )
        for name in names
    ]


def _cell(votes: int, against: int) -> tuple[Markup, int]:
    """Both numbers, the larger one bold, and a step from 0 (lost by all) to 10 (won by all)."""
    kinds = ("strong", "span") if votes > against else ("span", "span")
    text = Markup("<{0}>{1}</{0}> : <{2}>{3}</{2}>").format(
        Markup(kinds[0]), format_number(votes), Markup(kinds[1]), format_number(against)
    )
    if votes == against:
        return text, _MIDDLE
    ahead = abs(votes - against) * _MIDDLE
    step = 1 + min(_MIDDLE - 1, ahead // (votes + against))
    return text, _MIDDLE + step if votes > against else _MIDDLE - step


@dataclass(frozen=True, slots=True)
class Standing:
    """A candidate in a place, and how many of the others it beats, equals, and loses to."""

    name: str
    won: int
    level: int
    lost: int


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """A place and those in it, in the order that ties go by if there is one."""

    place: int
    standings: tuple[Standing, ...]
    is_tied: bool
    is_broken: bool


def places(count: Count) -> list[SharedPlace]:
    """All places, the first one first."""
    result = count.result
    order = {name: at for at, name in enumerate(result.final_order)}
    return [
        SharedPlace(
            place.place,
            tuple(
                _standing(count, name)
                for name in sorted(place.candidates, key=lambda name: order.get(name, 0))
            ),
            len(place.candidates) > 1,
            bool(order),
        )
        for place in result.places
    ]


def _standing(count: Count, name: str) -> Standing:
    result = count.result
    at = result.candidates.index(name)
    pairs = [
        (result.preferences[at][other], result.preferences[other][at])
        for other in range(len(result.candidates))
        if other != at
    ]
    won = sum(votes > against for votes, against in pairs)
    lost = sum(votes < against for votes, against in pairs)
    return Standing(name, won, len(pairs) - won - lost, lost)


_LEVELS = {
    "totals": "the sums alone; no ranking",
    "anonymous": "all rankings, without confirmations and in an order that tells nothing",
    "confirmations": "all rankings, each beside its confirmation",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the statement: its word there, what it says, and what that means."""

    word: str
    said: str
    means: str
    is_code: bool = False


def lines_of(said: ClosingStatement) -> list[Line]:
    """Every line, in an order in which one builds on the other."""
    asked = said["definition"]
    order = TieBreak.from_seed(
        asked["candidates"], compute_tie_seed(said["root"], bytes.fromhex(said["secret"]))
    ).order
    return [
        Line("format", said["format"], "How to read the rest."),
        Line("name", said["name"], "The name of the election when it closed."),
        Line(
            "definition",
            hash_definition(asked),
            f"What voters were asked: number {asked['election_id']}, the candidates "
            f"{join_names(asked['candidates'])}, {'secret' if asked['secret'] else 'open'} "
            "ballots, "
            f"and that this would be published: {_LEVELS[asked['level']]}. Every confirmation "
            "holds it.",
            True,
        ),
        *_earlier(said),
        Line("ballots", f"{said['ballots']:,}", "So many were counted: no more, and no fewer."),
        Line(
            "root",
            said["root"],
            "One digest over all confirmations. Take one away, add one, or change one, and it is "
            "another.",
            True,
        ),
        _rankings(said),
        Line(
            "commitment",
            asked["commitment"],
            "The promise, given at launch, of the secret that ties are broken with.",
            True,
        ),
        Line(
            "secret",
            said["secret"],
            "That secret. With the root it gives the seed, and ties go in the order "
            f"{join_names(order)}.",
            True,
        ),
        Line(
            "rules",
            "; ".join(f"{about}: {choice}" for about, choice in said["rules"].items()),
            "How it was counted, and how anybody can count it again.",
        ),
        Line("closed_at", said["closed_at"], "When it closed."),
    ]


def _earlier(said: ClosingStatement) -> list[Line]:
    if not said["earlier"]:
        return []
    digests = pluralize(len(said["earlier"]), "definition")
    return [
        Line(
            "earlier",
            ", ".join(said["earlier"]),
            f"{digests} before: candidates changed while ballots were there already.",
            True,
        )
    ]


def _rankings(said: ClosingStatement) -> Line:
    if said["rankings"] is None:
        return Line(
            "rankings",
            "none",
            "Rankings are not published; a digest of few of them could be found out by trying.",
        )
    return Line(
        "rankings", said["rankings"], "One digest over all rankings as they were cast.", True
    )
