"""Voting: casting a ballot, taking it back, and the receipt that a voter takes home."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from singletable_apps.counting import Ranking
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Ballot, CastRequest, Definition, Election, User
from singletable_apps.elections.errors import IdempotencyKeyReused, InvalidInput, NotFound
from singletable_apps.elections.events import (
    BallotCast,
    BallotWithdrawn,
    Event,
    EventData,
    parse_event_data,
)
from singletable_apps.elections.proofs import (
    BallotContent,
    Receipt,
    add_proof,
    compute_confirmation,
    padded_size,
)
from singletable_apps.elections.proofs import create_receipt as receipt_of
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.rules.elections import check_view_ballot
from singletable_apps.elections.rules.names import is_valid_text
from singletable_apps.elections.rules.voting import check_cast, check_withdraw, parse_ranking
from singletable_apps.elections.service.closing import ballot_definition, get_closing, open_ballot
from singletable_apps.elections.service.context import Context, reload_actor
from singletable_apps.elections.service.results import Results

Lines = Sequence[tuple[str, int | None]]


@dataclass(frozen=True, slots=True)
class CastBallot:
    """A ballot as its voter may see it; `again` if it had been cast by the same request before."""

    election_name: str
    voter_name: str
    when_cast: datetime
    receipt: Receipt
    again: bool = False


class Voting:
    """Commands of voters, and what they may see of their own."""

    def __init__(self, context: Context, results: Results) -> None:
        self._context = context
        self._results = results

    def cast(self, actor: User, election_name: str, lines: Lines, key: str) -> CastBallot:
        """Cast a ballot, or another one in its place. The same key again gives the same answer."""
        nonce, iv = self._context.random(16), self._context.random(12)
        before: list[CastBallot] = []
        about: list[tuple[Election, Definition]] = []

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = reload_actor(view, actor), view.get_election(election_name)
            ballot = view.find_ballot(election.name, me.name)
            request, fingerprint = self._marks(me, election, lines, key)
            asked = _asked(view, me, election, ballot, request)
            if asked is not None:
                if asked.fingerprint != fingerprint:
                    raise IdempotencyKeyReused(
                        "This idempotency key was used for another ballot. Take a new key for "
                        "each ballot, and the same one only to send the same ballot again."
                    )
                event = self._event(asked.event_id)
                before[:] = [self._cast(election, None, event, again=True)]
                return []
            now = self._context.clock()
            listed = election.voter_count > 0 and view.is_listed_voter(election.name, me.name)
            check_cast(me, election, listed=listed, ballot=ballot, now=now)
            names = [one.candidate_name for one in view.list_candidates(election.name)]
            said = BallotContent(nonce, "", parse_ranking(lines, names))
            about[:] = [(election, _definition(election, names))]
            return [self._fact(me, election, names, said, (request, fingerprint), iv)]

        # What one voter casts does not concern what another does at the same moment.
        events = self._context.execute(actor, decide, batch_key=actor.user_id)
        # Answered by what it was decided on: the election may have another name by now.
        return self._cast(*about[0], events[0], again=False) if events else before[0]

    def withdraw(self, actor: User, election_name: str) -> None:
        """Take one's ballot back, as if it had never been cast; its key casts nothing again."""

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = reload_actor(view, actor), view.get_election(election_name)
            ballot = view.find_ballot(election.name, me.name)
            check_withdraw(me, election, ballot=ballot, now=self._context.clock())
            return [BallotWithdrawn(voter=me.name, election=election.name)]

        self._context.execute(actor, decide)

    def ballot(self, viewer: User, election_name: str, voter_name: str) -> CastBallot:
        """The ballot of a voter, for whoever may see it; after the close with its proof."""
        view = self._context.read
        election = view.get_election(election_name)
        voter = view.find_user(voter_name)
        name = voter.name if voter is not None else voter_name
        check_view_ballot(viewer, name, election, self._context.clock())
        ballot = view.find_ballot(election.name, name)
        if ballot is None:
            raise NotFound(
                f"'{name}' has no ballot in the election '{election.name}'.", field="ballot"
            )
        return self._shown(election, ballot)

    def _marks(self, me: User, election: Election, lines: Lines, key: str) -> tuple[str, str]:
        """What a request is known by, and what it said: neither can be guessed from the table."""
        ballots = self._context.keys.ballot_key
        if not all(is_valid_text(text) for text in (key, *(name for name, _ in lines))):
            raise InvalidInput(
                "A name in the rankings, or the key, holds half a surrogate pair, which is no "
                "text. Write whole characters.",
                field="rankings",
            )
        whose = (str(me.user_id), str(election.election_id), key)
        said = [f"{name}\n{rank}" for name, rank in sorted(lines, key=repr)]
        return ballots.hmac("request", *whose)[:32], ballots.hmac("said", *whose, *said)[:32]

    def _fact(
        self,
        me: User,
        election: Election,
        candidates: list[str],
        said: BallotContent,
        marks: tuple[str, str],
        iv: bytes,
    ) -> BallotCast:
        number, definition = election.election_id, election.definition or ""
        code = compute_confirmation(number, definition, said.nonce, said.ranking)
        request, fingerprint = marks
        if not election.secret_ballot:
            return BallotCast(
                voter=me.name,
                election=election.name,
                definition=definition,
                request=request,
                fingerprint=fingerprint,
                confirmation=code,
                nonce=said.nonce.hex(),
                levels=said.ranking.levels,
            )
        sealed = self._context.keys.ballot_key.seal(
            number,
            BallotContent(said.nonce, code, said.ranking),
            width=padded_size(candidates),
            iv=iv,
        )
        return BallotCast(
            voter=me.name,
            election=election.name,
            definition=definition,
            request=request,
            fingerprint=fingerprint,
            sealed=sealed,
        )

    def _event(self, event_id: int) -> Event:
        found = self._context.store.get(patterns.event(event_id), consistent=True)
        if found is None:
            raise NotFound(f"There is no event {event_id} in the log.")
        return found

    def _cast(
        self, election: Election, definition: Definition | None, event: Event, *, again: bool
    ) -> CastBallot:
        """The answer to casting, from the event alone: the same whenever it is asked for."""
        fact = parse_event_data(event)
        if not isinstance(fact, BallotCast):
            raise NotFound(f"Event {event.event_id} is no ballot.")
        if fact.sealed is not None:
            said = self._context.keys.ballot_key.open(election.election_id, fact.sealed)
        else:
            ranking = Ranking(fact.levels or ())
            said = BallotContent(bytes.fromhex(fact.nonce or ""), fact.confirmation or "", ranking)
        about = definition or self._context.read.get_definition(election.name, fact.definition)
        receipt = _receipt(election, about, said)
        return CastBallot(election.name, fact.voter, event.when_occurred, receipt, again)

    def _shown(self, election: Election, ballot: Ballot) -> CastBallot:
        said = open_ballot(election, ballot, self._context.keys)
        about = self._context.read.get_definition(election.name, ballot.definition)
        receipt = _receipt(election, about, said)
        closing = get_closing(election, self._context.keys)
        if closing is not None:
            proof = self._results.tree(election).prove(said.confirmation)
            receipt = add_proof(receipt, closing, proof)
        return CastBallot(election.name, ballot.voter_name, ballot.when_cast, receipt)


def _asked(
    view: ReadModel, me: User, election: Election, ballot: Ballot | None, request: str
) -> CastRequest | None:
    """The request, if it was carried out before: for this ballot, or for one taken back since."""
    if ballot is not None and request in ballot.asked:
        return ballot.asked[request]
    withdrawn = view.find_withdrawn(election.election_id, me.user_id)
    return withdrawn.asked.get(request) if withdrawn is not None else None


def _definition(election: Election, candidates: Sequence[str]) -> Definition:
    """What ballots are about now."""
    return Definition(
        election_name=election.name,
        digest=election.definition or "",
        candidate_names=sorted(candidates),
    )


def _receipt(election: Election, about: Definition, said: BallotContent) -> Receipt:
    return receipt_of(
        name=election.name,
        definition=ballot_definition(election, about),
        nonce=said.nonce,
        ranking=said.ranking,
    )
