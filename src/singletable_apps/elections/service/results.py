"""Results: the count, who voted, and what is published of the ballots."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, defaultdict
from dataclasses import dataclass, field, replace
from datetime import datetime

from singletable_apps.counting import METHODS, Ballots, Ranking, Result, explain, instant_runoff
from singletable_apps.counting.formats import FORMATS, WriteError, write_ballots, write_rounds
from singletable_apps.elections.entities import Ballot, Election, User
from singletable_apps.elections.errors import InvalidInput, NotFound, NotPermitted, WrongState
from singletable_apps.elections.proofs import (
    BallotContent,
    Closing,
    InclusionProofJson,
    MerkleTree,
    MerkleTreeError,
    PublishedElection,
    compute_tie_seed,
    create_publication,
)
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.elections import (
    ResultDetail,
    check_view_tally,
    has_ended,
    visible_details,
)
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.rules.voting import drop_removed_candidates
from singletable_apps.elections.service.closing import get_closing, open_ballot
from singletable_apps.elections.service.context import Context
from singletable_apps.elections.service.lifecycle import Lifecycle

# So many counted elections are kept in mind.
KEPT = 32
# A file of rounds, which is made of totals alone.
ROUNDS = "rctab"


@dataclass(frozen=True, slots=True)
class RevealedBallot:
    """A ballot as far as it may be seen; what may not is None."""

    ranking: Ranking
    confirmation: str | None = None
    voter_name: str | None = None
    when_cast: str | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """How an election stands, or has ended."""

    election: Election
    result: Result
    shown: frozenset[ResultDetail]
    ballots_cast: int
    unique_share: float
    closing: Closing | None


@dataclass(frozen=True, slots=True)
class _Opened:
    """The ballots of an election, opened once: as they were cast, as they count, and counted."""

    kept: list[Ballot]
    said: list[BallotContent]
    counting: Ballots
    tree: MerkleTree
    unique_share: float
    results: dict[str, Result] = field(default_factory=dict[str, Result])
    alike: list[tuple[Ranking, int]] = field(default_factory=list[tuple[Ranking, int]])


class Results:
    """What an election came to."""

    def __init__(self, context: Context, conducting: Lifecycle) -> None:
        self._context = context
        self._conducting = conducting
        self._opened: OrderedDict[tuple[int, int], _Opened] = OrderedDict()
        self._lock = threading.Lock()
        self._reading: defaultdict[int, threading.Lock] = defaultdict(threading.Lock)

    def tally(self, viewer: User, name: str, method: str = "schulze") -> Tally:
        """The count by a method, with its explanation."""
        if method not in METHODS:
            raise InvalidInput(
                f"There is no method '{method}'. There are: {', '.join(METHODS)}.", field="method"
            )
        election = self._visible(viewer, name)
        known = self._open(election)
        return self._tally(election, known, method)

    def tallies(self, viewer: User, name: str) -> dict[str, Tally]:
        """The same ballots counted by every method there is."""
        election = self._visible(viewer, name)
        known = self._open(election)
        return {method: self._tally(election, known, method) for method in METHODS}

    def rankings(self, viewer: User, name: str) -> list[tuple[Ranking, int]]:
        """Each ranking as it counts, and on how many ballots it is, the most frequent first."""
        election = self._visible(viewer, name)
        self._check_rankings(election)
        known = self._open(election)
        if not known.alike:
            known.alike[:] = known.counting.ranking_counts()
        return known.alike

    def ballots(self, viewer: User, name: str) -> list[RevealedBallot]:
        """All ballots as far as the election publishes them, in an order that tells nothing."""
        election = self._visible(viewer, name)
        shown = self._check_rankings(election)
        known = self._open(election)
        pairs = zip(known.kept, known.said, strict=True)
        revealed = [_revealed(ballot, said, shown) for ballot, said in pairs]
        return sorted(revealed, key=_order)

    def unique_share(self, viewer: User, name: str) -> float:
        """The share of ballots that nobody else cast alike: whoever knows one knows its voter."""
        return self._open(self._visible(viewer, name)).unique_share

    def export_ballots(self, viewer: User, name: str, form: str) -> bytes:
        """The ballots in a format of the counting library, or the rounds of a count, for RCVis."""
        if form not in FORMATS:
            raise InvalidInput(
                f"There is no format '{form}'. There are: {', '.join(FORMATS)}.", field="format"
            )
        election = self._visible(viewer, name)
        only_totals = ResultDetail.RANKINGS not in visible_details(election, self._context.clock())
        if only_totals and form != ROUNDS:
            raise NotPermitted(
                f"Of the election '{election.name}' only totals are published: take the tally, or "
                f"the format {ROUNDS}, which has rounds and no ballots."
            )
        known, when = self._open(election), self._moment(election)
        try:
            if form == ROUNDS:
                rounds = instant_runoff(known.counting, seed=self._seed(election))
                return write_rounds(rounds, contest=election.name, day=when.date())
            return write_ballots(known.counting, form, title=election.name, when=when)
        except WriteError as refusal:
            raise InvalidInput(str(refusal), field="format") from refusal

    def published(self, viewer: User, name: str) -> PublishedElection:
        """The signed file that everybody may check, after the close."""
        election, closing = self._closed(viewer, name)
        return create_publication(closing, self._open(election).said)

    def proof(
        self, viewer: User, name: str, confirmation: str
    ) -> tuple[InclusionProofJson, Closing]:
        """That a confirmation is among those that were signed."""
        election, closing = self._closed(viewer, name)
        try:
            proof = self._open(election).tree.prove(confirmation)
        except MerkleTreeError as refusal:
            raise NotFound(str(refusal), field="confirmation") from refusal
        return {"index": proof.index, "size": proof.size, "path": list(proof.path)}, closing

    def tree(self, election: Election) -> MerkleTree:
        """The tree of confirmations, made once as long as the ballots are the same."""
        return self._open(election).tree

    def _tally(self, election: Election, known: _Opened, method: str) -> Tally:
        if method not in known.results:
            result = METHODS[method](known.counting, seed=self._seed(election))
            if election.allow_vote:
                result = replace(result, explanation=explain(result, is_final=False))
            known.results[method] = result
        shown = visible_details(election, self._context.clock())
        closing = get_closing(election, self._context.keys)
        cast, share = len(known.kept), known.unique_share
        return Tally(election, known.results[method], shown, cast, share, closing)

    def _check_rankings(self, election: Election) -> frozenset[ResultDetail]:
        """What may be shown, if the rankings may."""
        shown = visible_details(election, self._context.clock())
        if ResultDetail.RANKINGS not in shown:
            raise NotPermitted(
                f"Of the election '{election.name}' only totals are published. Look at the tally."
            )
        return shown

    def _closed(self, viewer: User, name: str) -> tuple[Election, Closing]:
        election = self._visible(viewer, name)
        closing = get_closing(election, self._context.keys)
        if closing is None:
            raise WrongState(
                f"The election '{election.name}' has not been finalized, so nothing is signed "
                "yet. Ask again when it has closed."
            )
        return election, closing

    def _visible(self, viewer: User, name: str) -> Election:
        """The election, if its tally may be seen; closed first, if its time is up."""
        check_permission(viewer, Permission.VIEW_APPLICATION)
        election = self.close_if_due(name)
        check_view_tally(viewer, election, self._context.clock())
        return election

    def close_if_due(self, name: str) -> Election:
        """The election, closed first if its time is up: nobody has to press a button for it."""
        election = self._context.read.get_election(name)
        if not election.allow_vote or not has_ended(election, self._context.clock()):
            return election
        try:
            return self._conducting.close(None, election.name)
        except WrongState:  # somebody else has just closed it
            return self._context.read.get_election(name)

    def _seed(self, election: Election) -> str | None:
        """What orders ties, which nobody knows before the close."""
        closing = get_closing(election, self._context.keys)
        if closing is None:
            return None
        said = closing["statement"]
        return compute_tie_seed(said["root"], bytes.fromhex(said["secret"]))

    def _moment(self, election: Election) -> datetime:
        """Of when the ballots are: the close, or now."""
        closing = get_closing(election, self._context.keys)
        if closing is None:
            return self._context.clock()
        return datetime.fromisoformat(closing["statement"]["closed_at"])

    def _open(self, election: Election) -> _Opened:
        sync = self._context.read.get_sync()
        moved = sync.last_event_id if sync is not None else 0
        # Of a closed election only names can change, where they are shown beside ballots.
        shows_names = ResultDetail.NAMES in visible_details(election, self._context.clock())
        lasts = not election.allow_vote and not shows_names
        key = election.election_id, election.revision if lasts else moved
        # Whoever asks while another reads the ballots waits, and has them read.
        with self._reading[election.election_id]:
            with self._lock:
                if (known := self._opened.get(key)) is not None:
                    self._opened.move_to_end(key)
                    return known
            known = self._read(election)
            with self._lock:
                self._opened[key] = known
                while len(self._opened) > KEPT:
                    self._opened.popitem(last=False)
        return known

    def _read(self, election: Election) -> _Opened:
        view = self._context.read
        candidates = {one.candidate_name: one.since for one in view.list_candidates(election.name)}
        kept = list(view.list_ballots(election.name))
        said = [open_ballot(election, ballot, self._context.keys) for ballot in kept]
        rankings = [
            drop_removed_candidates(one.ranking, ballot.revision, candidates)
            for ballot, one in zip(kept, said, strict=True)
        ]
        tree = MerkleTree(one.confirmation for one in said)
        counting = Ballots.from_rankings(sorted(candidates), rankings)
        return _Opened(kept, said, counting, tree, _unique_share(said))


def _revealed(
    ballot: Ballot, said: BallotContent, shown: frozenset[ResultDetail]
) -> RevealedBallot:
    if ResultDetail.CONFIRMATIONS not in shown:
        return RevealedBallot(said.ranking)
    if ResultDetail.NAMES not in shown:
        return RevealedBallot(said.ranking, said.confirmation)
    when = ballot.when_cast.isoformat()
    return RevealedBallot(said.ranking, said.confirmation, ballot.voter_name, when)


def _order(ballot: RevealedBallot) -> tuple[str, str, str]:
    return (ballot.voter_name or "", ballot.confirmation or "", str(ballot.ranking))


def _unique_share(ballots: list[BallotContent]) -> float:
    """The share of ballots that nobody else cast alike: whoever knows one knows its voter."""
    alike = Counter(ballot.ranking for ballot in ballots)
    lone = sum(1 for count in alike.values() if count == 1)
    return lone / len(ballots) if ballots else 0.0
