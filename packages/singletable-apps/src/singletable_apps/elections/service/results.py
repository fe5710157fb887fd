"""Results: tallies by every counting method, and published ballots.

They come from the event log through the poll book, not from the table.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeAlias

from ranked_ballots import (
    METHODS,
    STV_METHODS,
    Ballots,
    QuorumCheck,
    Ranking,
    Result,
    StvResult,
    approval,
    explain,
    instant_runoff,
    set_apart,
)
from ranked_ballots.formats import FORMATS, WriteError, write_ballots, write_rounds
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import CorruptLog, WrongState
from singletable_apps.elections.log_state import ElectionRecord
from singletable_apps.elections.poll_book import CountedBallot, LinkVoter
from singletable_apps.elections.proofs import documents
from singletable_apps.elections.proofs.merkle import MerkleTree
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules import elections as rules
from singletable_apps.elections.rules.methods import (
    PROPOSAL,
    CountingMethod,
    Proposal,
    check_quorum,
    choice_apart,
    count_proposal,
    explain_method,
    method_of,
    proposal_of,
)
from singletable_apps.elections.rules.names import quote
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.rules.voting import drop_removed_candidates
from singletable_apps.elections.service.closing import count_eligible, get_closing
from singletable_apps.elections.service.context import Context
from singletable_apps.elections.service.lifecycle import Lifecycle
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.results import ResultCache

# How many elections are kept in memory with their ballots and tallies.
CACHE_SIZE = 32
# The only format that can be written from totals.
ROUNDS_FORMAT = "rctab"
_RUNOFF = "instant runoff"


# Someone with an account or a personal link, or None: anyone.
Viewer: TypeAlias = User | LinkVoter | None
ReceiptOutcome: TypeAlias = Literal["open", "counted since", "not counted", "deleted", "unknown"]


@dataclass(frozen=True, slots=True)
class RevealedBallot:
    """A published ballot, with None for what is not published."""

    ranking: Ranking
    confirmation: str | None = None
    voter_name: str | None = None
    when_cast: datetime | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """The result of an election so far, or its final result.

    `abstained` ballots chose none of the candidates. `quorum` says whether enough people voted;
    None if any number is enough.
    """

    election: Election
    result: Result
    shown: frozenset[rules.ResultDetail]
    ballots_cast: int
    unique_share: float | None
    closing: documents.Closing | None
    is_unanimous: bool = False
    abstained: int = 0
    quorum: QuorumCheck | None = None

    @property
    def method(self) -> CountingMethod:
        """Return the method that decides the election, which may not be that of the result."""
        return explain_method(self.election, proposal_of(self.election, self.result.candidates))

    @property
    def blank(self) -> int:
        """Return how many ballots rank no one and do not choose "None of these" either."""
        return self.result.account.blank - self.abstained

    @property
    def elected(self) -> tuple[str, ...]:
        """Return the winners; empty if no one voted, or a tie is not broken yet."""
        if not self.result.account.cast:
            return ()
        if isinstance(self.result, StvResult):
            return self.result.elected
        return () if self.result.winner is None else (self.result.winner,)


@dataclass(frozen=True, slots=True)
class _OpenedElection:
    """The ballots of an election, unsealed: as they were cast, as they count, and tallied."""

    ballots: list[CountedBallot]
    counting: Ballots
    abstained: int
    quorum: QuorumCheck | None
    tree: MerkleTree
    unique_share: float
    results: dict[str, Result] = field(default_factory=dict[str, Result])
    ranking_counts: list[tuple[Ranking, int]] = field(default_factory=list[tuple[Ranking, int]])


class Results:
    """The results of elections, cached as long as nothing changes."""

    def __init__(self, context: Context, lifecycle: Lifecycle) -> None:
        self._context = context
        self._lifecycle = lifecycle
        # Concurrent requests wait for the first one to read the ballots.
        self._opened = ResultCache[_OpenedElection](size=CACHE_SIZE)

    def tally(self, viewer: User | LinkVoter, name: str, method: str | None = None) -> Tally:
        """Count the ballots by the method that decides, or by another one to compare."""
        election = self._visible(viewer, name)
        methods = _methods(election)
        if method is not None and method not in methods:
            message = f"Unknown counting method {quote(method)}. Use one of: {', '.join(methods)}."
            raise InvalidInput({"method": message})
        if method == _RUNOFF != election.method:
            self._check_rounds(election)
        return self._tally(election, self._open(election), method or election.method)

    def tallies(self, viewer: Viewer, name: str) -> dict[str, Tally]:
        """Count the same ballots by every method that makes sense, the deciding one first."""
        election = self._visible(viewer, name)
        opened = self._open(election)
        return {method: self._tally(election, opened, method) for method in _methods(election)}

    def rankings(self, viewer: Viewer, name: str) -> list[tuple[Ranking, int]]:
        """Return the different rankings with their numbers of ballots, the most frequent first."""
        election = self._visible(viewer, name)
        self._check_rankings(election)
        opened = self._open(election)
        if not opened.ranking_counts:
            opened.ranking_counts[:] = opened.counting.ranking_counts()
        return opened.ranking_counts

    def ballots(self, viewer: User | LinkVoter, name: str) -> list[RevealedBallot]:
        """Return the published ballots, in an order that reveals nothing."""
        election = self._visible(viewer, name)
        shown = self._check_rankings(election)
        opened = self._open(election)
        revealed = [_reveal(ballot, shown) for ballot in opened.ballots]
        return sorted(
            revealed,
            key=lambda one: (one.voter_name or "", one.confirmation or "", str(one.ranking)),
        )

    def export_ballots(self, viewer: User | LinkVoter, name: str, form: str) -> bytes:
        """Return the ballots in a file format, or the rounds of instant runoff for RCVis."""
        if form not in FORMATS:
            raise InvalidInput(
                {"format": f"Unknown format {quote(form)}. Use one of: {', '.join(FORMATS)}."}
            )
        election = self._visible(viewer, name)
        if form == ROUNDS_FORMAT:
            self._check_rounds(election)
        else:
            self._check_rankings(election)
        opened, when = self._open(election), self._counted_at(election)
        try:
            if form == ROUNDS_FORMAT:
                rounds = instant_runoff(opened.counting, seed=self._seed(election))
                return write_rounds(rounds, contest=election.name, day=when.date())
            return write_ballots(opened.counting, form, title=election.name, when=when)
        except WriteError as error:
            raise InvalidInput({"format": str(error)}) from error

    def published(self, viewer: User | LinkVoter, name: str) -> documents.PublishedElection:
        """Return the signed publication of a closed election, which anyone can check."""
        election, closing = self._closed(viewer, name)
        contents = [ballot.content for ballot in self._open(election).ballots]
        return documents.create_publication(closing, contents)

    def find_outcome(self, election_id: int, confirmation: str) -> ReceiptOutcome:
        """Return the outcome of a ballot with a receipt from before the close."""
        found = self._context.read.find_election_by_id(election_id)
        if found is None:
            deleted = {each.election_id for each in self._context.book.deleted_elections()}
            return "deleted" if election_id in deleted else "unknown"
        election = self.close_if_due(found.name)
        if election.allow_vote:
            return "open"
        return "counted since" if confirmation in self._open(election).tree else "not counted"

    def add_proof(self, receipt: documents.Receipt) -> documents.Receipt | None:
        """Return a counted receipt from before the close with its proof, or None.

        Someone who votes with a link gets the receipt only once, when the proof does not exist yet.
        None if the election never had the name on the receipt while people voted.
        """
        found = self._context.read.find_election_by_id(receipt["definition"]["election_id"])
        closing = get_closing(found, self._context.keys) if found is not None else None
        if found is None or closing is None:
            return None
        names = self._context.book.record(found).earlier_names | {closing["statement"]["name"]}
        if receipt["name"] not in names:
            return None
        proof = self.tree(found).prove(receipt["confirmation"])
        return documents.add_proof(receipt, closing, proof)

    def tree(self, election: Election) -> MerkleTree:
        """Return the Merkle tree of the confirmations."""
        return self._open(election).tree

    def _tally(self, election: Election, opened: _OpenedElection, method: str) -> Tally:
        if method not in opened.results:
            counting, seed = opened.counting, self._seed(election)
            proposal = proposal_of(election, counting.candidates)
            result = count_ballots(method, counting, election.seats, seed, proposal)
            if election.allow_vote:
                result = replace(result, explanation=explain(result, is_final=False))
            opened.results[method] = result
        shown = rules.visible_details(election, self._context.clock())
        closing = get_closing(election, self._context.keys)
        cast = len(opened.ballots)
        # It tells more about single ballots than totals do.
        share = opened.unique_share if rules.ResultDetail.RANKINGS in shown else None
        is_unanimous = cast > 1 and len({each.content.ranking for each in opened.ballots}) == 1
        return Tally(
            election,
            opened.results[method],
            shown,
            cast,
            share,
            closing,
            is_unanimous,
            opened.abstained,
            opened.quorum,
        )

    def _check_rounds(self, election: Election) -> None:
        """Raise NotPermitted if rounds are more than totals: transfers show parts of ballots."""
        if not rules.shows_rounds(election, rules.visible_details(election, self._context.clock())):
            raise NotPermitted(
                "This election publishes totals only. Rounds are not among them: where votes go "
                "shows the next choices of single voters."
            )

    def _check_rankings(self, election: Election) -> frozenset[rules.ResultDetail]:
        """Return what is visible. Raise NotPermitted if the rankings are not."""
        shown = rules.visible_details(election, self._context.clock())
        if rules.ResultDetail.RANKINGS not in shown:
            raise NotPermitted("This election publishes totals only. See the results.")
        return shown

    def _closed(self, viewer: User | LinkVoter, name: str) -> tuple[Election, documents.Closing]:
        election = self.close_if_due(name)
        self.check_visible(viewer, election)
        closing = get_closing(election, self._context.keys)
        if closing is None:
            raise WrongState(
                "This election isn’t closed yet, so its results aren’t signed. Try again after the "
                "close."
            )
        return election, closing

    def _visible(self, viewer: Viewer, name: str) -> Election:
        """Return the election if its tally is visible. Close it first if that is due."""
        if isinstance(viewer, User):
            check_permission(viewer, Permission.VIEW_APPLICATION)
        election = self.close_if_due(name)
        self.check_visible(viewer, election)
        return election

    def check_visible(self, viewer: Viewer, election: Election) -> None:
        """Raise unless the viewer may see the current count. None sees public final results."""
        if viewer is None and (election.statement is None or not election.is_public):
            raise NotPermitted("This result is not public.")
        if isinstance(viewer, LinkVoter):
            self._context.book.owner_of_ballot(election, viewer)  # raises unless the link is valid
        user = None if isinstance(viewer, LinkVoter) else viewer
        rules.check_view_tally(user, election, self._context.clock())

    def close_if_due(self, name: str) -> Election:
        """Return the election, and close it first if its closing time has passed."""
        election = self._context.read.get_election(name)
        if not election.allow_vote or not rules.has_ended(election, self._context.clock()):
            return election
        # Another request may have just closed it.
        with suppress(WrongState):
            self._lifecycle.close(None, election.name)
        return self._context.read.get_election(election.name)

    def _seed(self, election: Election) -> str | None:
        """Return the seed that breaks ties, which no one knows before the close."""
        closing = get_closing(election, self._context.keys)
        if closing is None:
            return None
        statement = closing["statement"]
        return documents.compute_tie_seed(statement["root"], bytes.fromhex(statement["secret"]))

    def _counted_at(self, election: Election) -> datetime:
        """Return the time of the close, or now."""
        closing = get_closing(election, self._context.keys)
        if closing is None:
            return self._context.clock()
        return datetime.fromisoformat(closing["statement"]["closed_at"])

    def _open(self, election: Election) -> _OpenedElection:
        # In a closed election only the names shown beside ballots can change.
        shows_names = rules.ResultDetail.NAMES in rules.visible_details(
            election, self._context.clock()
        )
        is_final = not election.allow_vote and not shows_names
        version = election.revision if is_final else self._context.book.position
        return self._opened.get(
            election.election_id, lambda: self._load(election), self._context.clock, version
        )

    def _load(self, election: Election) -> _OpenedElection:
        record = self._context.book.record(election)
        ballots = self._context.book.ballots(record)
        rankings = [
            (
                drop_removed_candidates(
                    ballot.content.ranking, ballot.event.event_id, record.choices
                ),
                ballot.content.weight or 1,
            )
            for ballot in ballots
        ]
        tree = MerkleTree(ballot.content.confirmation for ballot in ballots)
        closing = get_closing(record.election, self._context.keys)
        if closing is not None and closing["statement"]["root"] != tree.root:
            raise CorruptLog(
                f"The ballots of the election {quote(election.name)} in the log differ from the "
                "signed statement. An operator should run: singletable elections verify"
            )
        counting, abstained = Ballots.from_counts(list(record.choices), rankings), 0
        if none := choice_apart(election):
            apart = set_apart(counting, none)
            counting, abstained = apart.ballots, apart.abstained
        quorum = self._check_quorum(record, len(ballots))
        share = _unique_share(ballots)
        return _OpenedElection(ballots, counting, abstained, quorum, tree, share)

    def _check_quorum(self, record: ElectionRecord, cast: int) -> QuorumCheck | None:
        if not record.election.quorum:
            return None
        closing = get_closing(record.election, self._context.keys)
        signed = closing["statement"].get("eligible") if closing is not None else None
        eligible = signed or count_eligible(self._context.book, record)
        return check_quorum(record.election.quorum, cast, eligible)


def _methods(election: Election) -> list[str]:
    """Return the methods that can count these ballots, the deciding one first."""
    others = METHODS if method_of(election).is_compared else ()
    return list(dict.fromkeys([election.method, *others]))


def count_ballots(
    method: str,
    ballots: Ballots,
    seats: int,
    seed: str | None,
    proposal: Proposal | None = None,
) -> Result:
    """Return the result by a method; an old `proposal` is not known by its method."""
    if method == PROPOSAL:
        proposal = Proposal(*ballots.candidates)
    if proposal is not None:
        return count_proposal(ballots, proposal, is_final=seed is not None)
    if method in STV_METHODS:
        return STV_METHODS[method](ballots, seats=seats, seed=seed)
    return METHODS.get(method, approval)(ballots, seed=seed)


def _reveal(ballot: CountedBallot, visible: frozenset[rules.ResultDetail]) -> RevealedBallot:
    content = ballot.content
    if rules.ResultDetail.CONFIRMATIONS not in visible:
        return RevealedBallot(content.ranking)
    if rules.ResultDetail.NAMES not in visible:
        return RevealedBallot(content.ranking, content.confirmation)
    when = ballot.event.when_occurred
    return RevealedBallot(content.ranking, content.confirmation, ballot.voter_name, when)


def _unique_share(ballots: list[CountedBallot]) -> float:
    counts = Counter(ballot.content.ranking for ballot in ballots)
    unique = sum(1 for count in counts.values() if count == 1)
    return unique / len(ballots) if ballots else 0.0
