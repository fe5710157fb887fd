"""The parts of a results page: headline, chart, pairs, downloads, and statement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, pairwise
from typing import NamedTuple

from markupsafe import Markup

from ranked_ballots import (
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
from ranked_ballots.pictures import Picture, draw_beat_paths
from singletable_apps.elections.entities import Election
from singletable_apps.elections.proofs.documents import (
    ClosingStatement,
    compute_tie_seed,
    hash_definition,
)
from singletable_apps.elections.rules.elections import ResultDetail
from singletable_apps.elections.rules.methods import METHOD
from singletable_apps.elections.service import Elections
from singletable_apps.elections.service.results import Tally, Viewer
from singletable_apps.shared.results import (
    ROUNDS_FORMAT,
    ChartRow,
    Download,
    Headline,
    ballot_downloads,
    can_write_rounds,
    writable_formats,
)

# This many rankings are on the results page; there is a page with all of them.
MAX_TOP_RANKINGS = 6
# With more candidates, only the pairs that decide are listed.
MAX_FULL_PAIRS = 6
# More candidates do not fit into the matrix.
MAX_MATRIX = 30
# More candidates make a graph that no one can read.
MAX_DRAWN = 8
# The matrix colors a cell from 0 (lost every ballot) to 10 (won every ballot).
EQUAL_STEP = 5


@dataclass(frozen=True, slots=True)
class Count:
    """The ballots counted by every method, with as much of them as is published.

    `top_rankings` are the most frequent of `ranking_count` different rankings. `formats` can hold
    all of them. `etag` changes whenever anything else does.
    """

    tally: Tally
    results: dict[str, Result]
    top_rankings: tuple[tuple[Ranking, int], ...]
    ranking_count: int
    formats: tuple[str, ...]
    etag: str

    @property
    def election(self) -> Election:
        """Return the election."""
        return self.tally.election

    @property
    def is_final(self) -> bool:
        """Return whether the election has closed."""
        return not self.election.allow_vote

    @property
    def result(self) -> SchulzeResult:
        """Return the result that decides."""
        result = self.results[METHOD.key]
        assert isinstance(result, SchulzeResult)
        return result

    @property
    def runoff(self) -> RunoffResult:
        """Return the instant runoff, for comparison."""
        result = self.results["instant runoff"]
        assert isinstance(result, RunoffResult)
        return result

    def shows(self, part: str) -> bool:
        """Return whether this part of the ballots is published."""
        return part in self.tally.shown


def load_count(service: Elections, viewer: Viewer, name: str) -> Count:
    """Count the ballots, as far as the viewer may see them now."""
    tallies = service.results.tallies(viewer, name)
    tally = tallies[METHOD.key]
    rankings: list[tuple[Ranking, int]] = []
    formats: tuple[str, ...] = ()
    if ResultDetail.RANKINGS in tally.shown:
        rankings = service.results.rankings(viewer, name)
        formats = writable_formats(tally.result.candidates, rankings)
    results = {method: each.result for method, each in tallies.items()}
    top = tuple(rankings[:MAX_TOP_RANKINGS])
    parts = [str(tally.election.revision), repr(top)]
    parts += [result.to_json() for result in results.values()]
    etag = sha256("\n".join(parts).encode()).hexdigest()[:16]
    return Count(tally, results, top, len(rankings), formats, etag)


def make_headline(count: Count) -> Headline:
    """Return the winner or leader, the reason in at most two sentences, and the margin in one."""
    account, result = count.result.account, count.result
    if account.cast == 0 and not count.is_final:
        return _headline(count, "No one has voted yet", "Results appear with the first ballot.")
    if account.cast == 0:
        return _headline(count, "No one voted", "It closed without a ballot.", _tie(count))
    if len(result.candidates) == 1:
        name = result.candidates[0]
        return _headline(count, f"{name} is the only candidate", "There was no one to beat.")
    if account.blank == account.cast:
        ballots = "The only ballot is" if account.cast == 1 else f"All {account.cast} ballots are"
        return _headline(count, "Everyone is tied", f"{ballots} blank.", _tie(count))
    name, *others = result.winners
    if others:
        return _headline(count, _tie_title(count), _why_tied(result.winners), _tie(count))
    verb = "wins" if count.is_final else "leads"
    return _headline(count, f"{name} {verb}", *_why_won(result))


def _headline(count: Count, title: str, *why: str) -> Headline:
    margin, noun = count.result.margin, "vote" if count.election.is_weighted else "ballot"
    how_close = (
        "" if margin is None else describe_margin(margin, is_final=count.is_final, noun=noun)
    )
    return Headline(count.is_final, title, " ".join(why), how_close)


def _why_won(result: SchulzeResult) -> tuple[str, str]:
    name = result.winners[0]
    if result.condorcet_winner is None:
        return (
            "No candidate beats all others head to head, so chains of wins decide.",
            f"{name} has the stronger chain to each of the others.",
        )
    at = result.candidates.index(name)
    others = [each for each in range(len(result.candidates)) if each != at]
    rival = min(
        others, key=lambda each: result.preferences[at][each] - result.preferences[each][at]
    )
    votes = [result.preferences[at][rival], result.preferences[rival][at]]
    score = " to ".join(map(format_number, votes))
    closest = f"The closest is {result.candidates[rival]}, with {score}."
    return f"{name} beats every other candidate head to head.", closest if others[1:] else ""


def _tie_title(count: Count) -> str:
    if count.result.final_order:
        return f"{count.result.final_order[0]} wins a tie"
    return f"{_name_some(count.result.winners)} are tied"


def _why_tied(names: Sequence[str]) -> str:
    why = "neither has a stronger chain of wins to the other"
    if len(names) > 2:
        why = "none has a stronger chain of wins to another than that one has back"
    return f"{_name_some(names)} are tied for first: {why}."


def _name_some(names: Sequence[str]) -> str:
    return join_names(names) if len(names) < 4 else f"{len(names)} candidates"


def _tie(count: Count) -> str:
    """Explain the tie-break for the first place."""
    if count.result.final_order:
        first = count.result.final_order[0]
        return f"The tie is broken by an order that no one could choose or predict: {first} first."
    return "If it stays a tie, an order that no one can choose or predict decides at the close."


def describe_turnout(tally: Tally) -> str:
    """Return the turnout as a sentence."""
    cast, voters = tally.ballots_cast, tally.election.voter_count
    if voters:
        verb = "have voted" if tally.election.allow_vote else "voted"
        return f"{format_number(cast)} of {format_number(voters)} {verb}"
    return pluralize(cast, "ballot")


def make_chart(count: Count) -> list[ChartRow]:
    """Return all candidates, best first, with how many of the others each is ahead of."""
    result = count.result
    places = result.place_numbers
    shared = {name for place in result.places if place.candidates[1:] for name in place.candidates}
    # A tie for the first place has one winner once it is broken.
    winner = result.winner
    rows: list[ChartRow] = []
    for name in result.ranked_candidates:
        ahead = sum(place > places[name] for place in places.values())
        label = f"ahead of {ahead} of {len(places) - 1}"
        note = "tied" if name in shared else ""
        if note and name == winner:
            note = "tied; first by the tie-break"
        lost = places[name] == 1 and winner not in (None, name)
        rows.append(ChartRow(places[name], name, ahead, len(places) - 1, label, note, lost))
    return rows


class CandidatePair(NamedTuple):
    """Two candidates and the strongest chain in each direction, if there is one."""

    a: str
    b: str
    forward: BeatPath | None
    backward: BeatPath | None

    @property
    def higher(self) -> str | None:
        """Return the candidate with the stronger chain, or None if they are tied."""
        forward = self.forward.strength if self.forward else 0
        backward = self.backward.strength if self.backward else 0
        return None if forward == backward else self.a if forward > backward else self.b


def list_pairs(result: SchulzeResult) -> list[CandidatePair]:
    """Return all pairs of candidates, or of many candidates those that decide."""
    paths = {(path.names[0], path.names[-1]): path for path in result.paths}
    names = result.ranked_candidates
    pairs = list(combinations(names, 2))
    if len(names) > MAX_FULL_PAIRS:
        first, *others = names[:MAX_MATRIX]
        pairs = [*((first, other) for other in others), *pairwise(others)]
    return [CandidatePair(a, b, paths.get((a, b)), paths.get((b, a))) for a, b in pairs]


def draw_graph(count: Count, pair: tuple[str, str]) -> Picture | None:
    """Draw the wins of the best candidates as arrows, and mark the chains between two of all."""
    candidates = set(count.result.candidates)
    if len(candidates) < 2:
        return None
    chosen = pair if pair[0] != pair[1] and candidates >= set(pair) else None
    return draw_beat_paths(count.result, chosen, most=MAX_DRAWN)


MatrixRow = tuple[str, list[tuple[Markup, int | None]]]


def make_matrix(result: SchulzeResult) -> list[MatrixRow]:
    """Return a row per candidate, best first, with a cell per opponent: text and color step."""
    names = result.ranked_candidates[:MAX_MATRIX]
    at = {name: result.candidates.index(name) for name in names}
    return [
        (
            name,
            [
                (Markup("–"), None)
                if name == other
                else _matrix_cell(
                    result.preferences[at[name]][at[other]], result.preferences[at[other]][at[name]]
                )
                for other in names
            ],
        )
        for name in names
    ]


def _matrix_cell(votes: int, against: int) -> tuple[Markup, int]:
    first = Markup("<strong>{}</strong>") if votes > against else Markup("<span>{}</span>")
    text = Markup("{} : <span>{}</span>").format(
        first.format(format_number(votes)), format_number(against)
    )
    if votes == against:
        return text, EQUAL_STEP
    lead = abs(votes - against) * EQUAL_STEP
    step = 1 + min(EQUAL_STEP - 1, lead // (votes + against))
    return text, EQUAL_STEP + step if votes > against else EQUAL_STEP - step


def list_downloads(count: Count, url: Callable[..., str]) -> list[Download]:
    """Return every file that can be downloaded now; `url` returns the URL of a page."""
    election = count.election
    files = [
        Download(
            "Results",
            "Everything on this page as data.",
            "json",
            url("tally", "result.json"),
        )
    ]
    if count.tally.closing is not None:
        files.append(
            Download(
                "Signed publication",
                "For the checker: the signed statement and all tracking codes.",
                "json",
                url("published", "publication.json"),
            )
        )
    formats = {*count.formats}
    if can_write_rounds(count.runoff, election.name):
        formats.add(ROUNDS_FORMAT)
    return files + ballot_downloads(formats, lambda name: url("tally", "ballots", name))


class StatementLine(NamedTuple):
    """A field of the signed statement, its value, and what it means."""

    field: str
    value: str
    meaning: str
    is_code: bool = False


_PUBLICATION_LEVELS = {
    "totals": "totals only",
    "anonymous": "all rankings, without tracking codes and in an order that reveals nothing",
    "confirmations": "all rankings, each with its tracking code",
}


def describe_statement(statement: ClosingStatement) -> list[StatementLine]:
    """Explain every field of the signed statement."""
    definition = statement["definition"]
    seed = compute_tie_seed(statement["root"], bytes.fromhex(statement["secret"]))
    tie_order = join_names(TieBreak.from_seed(definition["candidates"], seed).order)
    what = (
        f"What people voted on: election {definition['election_id']}, the candidates "
        f"{join_names(definition['candidates'])}, "
        f"{'secret' if definition['secret'] else 'open'} ballots, and what is published: "
        f"{_PUBLICATION_LEVELS[definition['level']]}. Every tracking code depends on it."
    )
    changed = (
        f"{pluralize(len(statement['earlier']), 'earlier definition')}: the candidates changed "
        "after people had voted."
    )
    codes = "The root hash of all tracking codes. Adding, removing or changing one changes it."
    ranking_hash = statement["rankings"]
    rankings = "The hash of all rankings as they were cast."
    if ranking_hash is None:
        rankings = "Rankings are not published."
    commitment = "The hash, published at the launch, of the secret that breaks ties."
    secret = f"That secret. Together with the root hash it breaks ties in this order: {tie_order}."
    rules = "; ".join(f"{about}: {choice}" for about, choice in statement["rules"].items())
    lines = [
        StatementLine("format", statement["format"], "How to read this statement."),
        StatementLine("name", statement["name"], "The name of the election at the close."),
        StatementLine("definition", hash_definition(definition), what, True),
        StatementLine("earlier", ", ".join(statement["earlier"]), changed, True),
        StatementLine("ballots", f"{statement['ballots']:,}", "How many ballots were counted."),
        StatementLine("root", statement["root"], codes, True),
        StatementLine("rankings", ranking_hash or "none", rankings, ranking_hash is not None),
        StatementLine("commitment", definition["commitment"], commitment, True),
        StatementLine("secret", statement["secret"], secret, True),
        StatementLine("rules", rules, "How the ballots were counted, so that anyone can recount."),
        StatementLine("closed_at", statement["closed_at"], "When the election closed."),
    ]
    return [line for line in lines if line.value]
