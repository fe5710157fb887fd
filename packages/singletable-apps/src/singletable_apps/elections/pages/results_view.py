"""The parts of a results page: headline, chart, pairs, downloads, and statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
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
    ScoreResult,
    StvResult,
    TieBreak,
    describe_margin,
    format_decimal,
    format_number,
    join_names,
    pluralize,
)
from ranked_ballots.pictures import Picture, draw_beat_paths, draw_pictures
from singletable_apps.elections.entities import Election
from singletable_apps.elections.proofs.documents import (
    ClosingStatement,
    compute_tie_seed,
    hash_definition,
)
from singletable_apps.elections.rules.elections import ResultDetail, shows_rounds
from singletable_apps.elections.rules.methods import METHODS, ProposalResult
from singletable_apps.elections.service import Elections
from singletable_apps.elections.service.results import Tally, Viewer
from singletable_apps.shared.results import (
    MAX_ROUNDS,
    ROUNDS_FORMAT,
    ChartRow,
    Download,
    Headline,
    ballot_downloads,
    can_write_rounds,
    compare_methods,
    full_tie,
    runoff_chart,
    runoff_headline,
    writable_formats,
)

# This many rankings are on the results page; none of many candidates, which are very long.
MAX_TOP_RANKINGS = 6
# With more candidates, only the pairs that decide are listed.
MAX_FULL_PAIRS = 6
# More candidates do not fit into the matrix and the comparison of methods.
MAX_MATRIX = 12
# More candidates make a graph that no one can read.
MAX_DRAWN = 8
# The matrix colors a cell from 0 (lost every ballot) to 10 (won every ballot).
EQUAL_STEP = 5


@dataclass(frozen=True, slots=True)
class Count:
    """The ballots counted by every method, the deciding one first, as far as they are published.

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
    def headline(self) -> Headline:
        """Return the headline."""
        noun = "vote" if self.election.is_weighted else "ballot"
        headline = make_headline(self.tally.result, is_final=self.is_final, noun=noun)
        if not self.is_final or self.tally.quorum is None or self.tally.quorum.is_valid:
            return headline
        counted = f"{headline.title}. {headline.why}".strip()
        why = f"The quorum was not met, so the count decides nothing: {counted}"
        return Headline(True, "No valid result", why)

    def shows(self, part: str) -> bool:
        """Return whether this part of the ballots is published."""
        return part in self.tally.shown


def load_count(service: Elections, viewer: Viewer, name: str) -> Count:
    """Count the ballots, as far as the viewer may see them now."""
    tallies = service.results.tallies(viewer, name)
    tally = next(iter(tallies.values()))
    rankings: list[tuple[Ranking, int]] = []
    formats: tuple[str, ...] = ()
    if ResultDetail.RANKINGS in tally.shown:
        rankings = service.results.rankings(viewer, name)
        formats = writable_formats(tally.result.candidates, rankings)
    results = {method: each.result for method, each in tallies.items()}
    is_long = len(tally.result.candidates) > MAX_MATRIX
    top = () if is_long else tuple(rankings[:MAX_TOP_RANKINGS])
    parts = [str(tally.election.revision), repr(top)]
    parts += [result.to_json() for result in results.values()]
    etag = sha256("\n".join(parts).encode()).hexdigest()[:16]
    return Count(tally, results, top, len(rankings), formats, etag)


def make_headline(result: Result, *, is_final: bool, noun: str = "ballot") -> Headline:
    """Return the winner or leader, the reason in at most two sentences, and the margin in one."""
    title, *why = _outcome(result, is_final)
    if result.account.cast and isinstance(result, ProposalResult):
        accept, reject = result.proposal
        answer = "accepted" if result.winners == (accept,) else "rejected"
        title = f"The proposal {'is' if is_final else 'would be'} {answer}"
        yes, no = result.scores[accept], result.scores[reject]
        if yes != no:
            why = [f"{pluralize(yes, 'vote')} for {accept} and {no:,} for {reject}."]
    margin = result.margin and describe_margin(result.margin, is_final=is_final, noun=noun)
    return Headline(is_final, title, " ".join(filter(None, why)), margin or "")


def describe_decision(result: Result, method: str) -> str:
    """Return the outcome and its reason in sentences for the minutes."""
    headline = make_headline(result, is_final=True)
    if isinstance(result, ScoreResult) and len(result.winners) == 1 < len(result.candidates):
        name, noun = result.winners[0], "approvals" if result.method == "Approval" else "votes"
        score, counted = map(format_number, (result.scores[name], result.account.counted))
        decided = f"{headline.title}: " if isinstance(result, ProposalResult) else ""
        return f"{decided}{name} received the most {noun} ({score} of {counted})."
    return f"{headline.title} ({method}). {headline.why}"


def _outcome(result: Result, is_final: bool) -> tuple[str, ...]:
    """Return the title, and the reason in sentences."""
    cast, candidates = result.account.cast, result.candidates
    if cast == 0:
        if not is_final:
            return "No one has voted yet", "Results appear with the first ballot."
        return "No one voted", "It closed without a ballot.", _tie(result, is_final)
    if len(candidates) == 1:
        return f"{candidates[0]} is the only candidate", "There was no one to beat."
    if result.account.blank == cast:
        ballots = "The only ballot is" if cast == 1 else f"All {cast:,} ballots are"
        return "Everyone is tied", f"{ballots} blank.", _tie(result, is_final)
    if isinstance(result, StvResult):
        return _outcome_of_seats(result, is_final)
    if isinstance(result, RunoffResult):
        headline = runoff_headline(result, is_final=is_final)
        if is_final and full_tie(result) is not None:
            return f"{result.winner} wins a tie", headline.why
        return headline.title, headline.why
    name, *others = result.winners
    if others:
        first = result.final_order[:1]
        title = f"{first[0]} wins a tie" if first else f"{_name_some(result.winners)} are tied"
        return title, _why_tied(result), _tie(result, is_final)
    # The first sentence is the turnout, the second the winner, and the third the closest rival.
    why = _why_won(result) if isinstance(result, SchulzeResult) else result.explanation[1:3]
    return f"{name} {'wins' if is_final else 'leads'}", *why


def _outcome_of_seats(result: StvResult, is_final: bool) -> tuple[str, ...]:
    elected, tied = result.elected, f"{_name_some(result.tied)} are tied" if result.tied else ""
    verb = ("are" if len(elected) > 1 else "is") if is_final else "would be"
    title = f"{join_names(elected)} {verb} elected" if elected else tied
    rest = f"{tied} for the rest." if elected and tied else ""
    return title, result.explanation[1], rest, _describe_lots(result)


def _describe_lots(result: StvResult) -> str:
    """Name the ties that were decided by lot and could have elected someone else."""
    lots = [
        (each, each.tie.tied)
        for each in result.rounds
        if each.tie and each.tie.broken_by == "seed" and each.tie.mattered != "no"
    ]
    if len(lots) > 2:
        numbers = join_names([str(each.number) for each, _ in lots])
        return f"The order that breaks ties, drawn by lot, decided in rounds {numbers}."
    sentences: list[str] = []
    for each, tied in lots:
        about, choice = "the largest surplus", f"put {each.surplus_of} first"
        if each.eliminated is not None:
            about, choice = "the fewest votes", f"decided against {each.eliminated}"
            if len(tied) == 2:
                choice = f"decided for {tied[tied[0] == each.eliminated]}"
        sentences.append(
            f"In round {each.number}, {_name_some(tied)} were tied for {about}; the order that "
            f"breaks ties, drawn by lot, {choice}."
        )
    return " ".join(sentences)


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


def _why_tied(result: Result) -> str:
    names = result.winners
    if isinstance(result, ScoreResult):
        return result.explanation[1]
    why = "neither has a stronger chain of wins to the other"
    if len(names) > 2:
        why = "none has a stronger chain of wins to another than that one has back"
    return f"{_name_some(names)} are tied for first: {why}."


def _name_some(names: Sequence[str]) -> str:
    return join_names(names) if len(names) < 4 else f"{len(names)} candidates"


def _tie(result: Result, is_final: bool) -> str:
    """Explain the tie-break for the first place."""
    if isinstance(result, ProposalResult):
        accept, reject = result.proposal
        return f"Without more votes for {accept} than for {reject}, the proposal is rejected."
    if result.final_order:
        first = result.final_order[0]
        return f"The tie is broken by an order that no one could choose or predict: {first} first."
    later = "If it stays a tie, an order that no one can choose or predict decides at the close."
    return "" if is_final else later  # final without an order: in the sandbox


def describe_turnout(tally: Tally) -> str:
    """Return the turnout as a sentence."""
    cast, voters = tally.ballots_cast, tally.election.voter_count
    if voters:
        verb = "have voted" if tally.election.allow_vote else "voted"
        return f"{format_number(cast)} of {format_number(voters)} {verb}"
    return pluralize(cast, "ballot")


def make_chart(result: Result) -> list[ChartRow]:
    """Return all candidates, best first: their votes, or how many others each is ahead of."""
    if isinstance(result, RunoffResult):
        return runoff_chart(result)
    if isinstance(result, StvResult):
        return _chart_of_seats(result)
    places = result.place_numbers
    shared = {name for place in result.places if place.candidates[1:] for name in place.candidates}
    # A tie for the first place has one winner once it is broken.
    winner, last = result.winner, len(places) - 1
    rows: list[ChartRow] = []
    for name in result.ranked_candidates:
        if isinstance(result, ScoreResult):
            value, most = result.scores[name], max(result.scores.values())
            label = pluralize(value, "approval" if result.method == "Approval" else "vote")
        else:
            value, most = sum(place > places[name] for place in places.values()), last
            label = f"ahead of {value} of {last}"
        note = "tied" if name in shared else ""
        if note and name == winner and result.tie_break is not None:
            note = "tied; first by the tie-break"
        lost = places[name] == 1 and winner not in (None, name)
        rows.append(ChartRow(places[name], name, value, most, label, note, lost))
    return rows


def _chart_of_seats(result: StvResult) -> list[ChartRow]:
    """Return the votes of each candidate in the round of their election, or the last they had."""
    order = {name: at for at, name in enumerate(result.elected, 1)}
    places, last = result.place_numbers | order, result.rounds[-1]
    rounds = {name: each for each in result.rounds for name in each.tally}
    elected = {name: each for each in result.rounds for name in each.elected}
    rounds |= elected
    votes = {name: rounds[name].tally[name] for name in result.ranked_candidates}

    def note(name: str) -> str:
        if name in elected:
            return f"elected in round {elected[name].number}"
        if name in result.tied:
            return "tied"
        return "" if rounds[name] is last else f"out in round {rounds[name].number}"

    most = max(votes.values())
    return [
        ChartRow(
            places[name],
            name,
            count,
            most,
            f"{format_decimal(round(Fraction(count), 2))} {'vote' if count == 1 else 'votes'}",
            note(name),
            lost_tie=name not in result.elected,
            is_elected=name in order,
        )
        for name, count in votes.items()
    ]


def explain_count(results: Mapping[str, Result], pair: tuple[str, str]) -> dict[str, object]:
    """Return what "How it was counted" shows: reasons, pairs, pictures, and other methods.

    The first of `results` decides. `pair` are the two candidates whose chains are marked.
    """
    key, result = next(iter(results.items()))
    method = METHODS[key]
    context: dict[str, object] = {
        "result": result,
        "method": method,
        "is_tied": _is_tied(result),
        "names": result.ranked_candidates,
        "pair": pair,
        "matrix": [],
        "pictures": [],
        "comparison": compare_methods(
            results, f"The method that decides here: {method.title}.", most=MAX_MATRIX
        )
        if len(results) > 1 and len(result.candidates) > 1
        else None,
    }
    if isinstance(result, SchulzeResult):
        return context | {
            "matrix": make_matrix(result),
            "max_matrix": MAX_MATRIX,
            "pairs": list_pairs(result),
            "every_pair": len(result.candidates) <= MAX_FULL_PAIRS,
            "graph": draw_graph(result, pair),
        }
    if len(getattr(result, "rounds", ())) <= MAX_ROUNDS and result.account.cast:
        context["pictures"] = list(draw_pictures(result).values())
    return context


def _is_tied(result: Result) -> bool:
    """Return whether an order that breaks ties decides, or would at the close."""
    if isinstance(result, RunoffResult | StvResult):
        return result.ties_mattered in ("yes", "not known")
    return len(result.winners) > 1 and not isinstance(result, ProposalResult)


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


def draw_graph(result: SchulzeResult, pair: tuple[str, str]) -> Picture | None:
    """Draw the wins of the best candidates as arrows, and mark the chains between two of all."""
    candidates = set(result.candidates)
    if len(candidates) < 2:
        return None
    chosen = pair if pair[0] != pair[1] and candidates >= set(pair) else None
    return draw_beat_paths(result, chosen, most=MAX_DRAWN)


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
    data, signed = url("tally", "result.json"), url("published", "publication.json")
    files = [Download("Results", "Everything on this page as data.", "json", data)]
    if count.tally.closing is not None:
        what = "For the checker: the signed statement and all tracking codes."
        files.append(Download("Signed publication", what, "json", signed))
    formats, runoff = {*count.formats}, count.results.get("instant runoff")
    if (
        isinstance(runoff, RunoffResult)
        and shows_rounds(count.election, count.tally.shown)
        and can_write_rounds(runoff, count.election.name)
    ):
        formats.add(ROUNDS_FORMAT)
    return files + ballot_downloads(formats, lambda name: url("tally", "ballots", name))


_PUBLICATION_LEVELS = {
    "totals": "totals only",
    "anonymous": "all rankings, without tracking codes and in an order that reveals nothing",
    "confirmations": "all rankings, each with its tracking code",
}


def describe_statement(statement: ClosingStatement) -> list[tuple[str, str, str, bool]]:
    """Return the fields of the signed statement: value, meaning, and whether it is a code."""
    definition, rankings = statement["definition"], statement["rankings"]
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
    renamed = join_names(statement.get("earlier_names", []))
    codes = "The root hash of all tracking codes. Adding, removing or changing one changes it."
    hashed = "The hash of all rankings as they were cast." if rankings else ""
    commitment = "The hash, published at the launch, of the secret that breaks ties."
    secret = f"That secret. Together with the root hash it breaks ties in this order: {tie_order}."
    rules = "; ".join(f"{about}: {choice}" for about, choice in statement["rules"].items())
    lines = [
        ("format", statement["format"], "How to read this statement.", False),
        ("name", statement["name"], "The name of the election at the close.", False),
        ("definition", hash_definition(definition), what, True),
        ("earlier", ", ".join(statement["earlier"]), changed, True),
        ("earlier_names", renamed, "Its names while people voted, as on their receipts.", False),
        ("ballots", f"{statement['ballots']:,}", "How many ballots were counted.", False),
        ("root", statement["root"], codes, True),
        ("rankings", rankings or "none", hashed or "Rankings are not published.", bool(rankings)),
        ("commitment", definition["commitment"], commitment, True),
        ("secret", statement["secret"], secret, True),
        ("rules", rules, "How the ballots were counted, so that anyone can recount.", False),
        ("closed_at", statement["closed_at"], "When the election closed.", False),
    ]
    return [line for line in lines if line[1]]
