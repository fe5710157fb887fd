"""Cast and withdraw ballots, and show voters their receipts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from msgspec.structs import replace

from singletable_apps.elections.command_bus import NumberedEvent
from singletable_apps.elections.entities import Election, User, UserId, VoterId
from singletable_apps.elections.errors import IdempotencyKeyReused
from singletable_apps.elections.events import BallotCast, BallotWithdrawn, Event, EventData
from singletable_apps.elections.poll_book import BallotOwner, CountedBallot, LinkVoter, PollBook
from singletable_apps.elections.proofs import documents
from singletable_apps.elections.proofs.keys import BallotPlace, padded_size
from singletable_apps.elections.rules.elections import check_view_ballot
from singletable_apps.elections.rules.methods import check_marks, definition_of, method_of
from singletable_apps.elections.rules.names import is_valid_text, quote
from singletable_apps.elections.rules.voting import check_cast, check_withdraw, parse_ranking
from singletable_apps.elections.service.closing import get_closing
from singletable_apps.elections.service.context import Context, reload_user
from singletable_apps.elections.service.results import Results
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.permissions import NotPermitted

Lines = Sequence[tuple[str, int | None]]


@dataclass(frozen=True, slots=True)
class CastBallot:
    """A ballot with its receipt. `is_repeat` if the same request had cast it before."""

    election_name: str
    voter_name: str
    when_cast: datetime
    receipt: documents.Receipt
    is_repeat: bool = False


class Voting:
    """Commands of voters, and their own ballots.

    A voter has an account, or a personal link to one election. `on_ballot` is called after a ballot
    was cast or withdrawn, with True if it is the first one of the voter in this election.
    """

    def __init__(
        self,
        context: Context,
        results: Results,
        on_ballot: Callable[[Election, BallotOwner, Event, bool], object],
    ) -> None:
        self._context = context
        self._results = results
        self._on_ballot = on_ballot

    def cast(
        self, actor: User | LinkVoter, election_name: str, lines: Lines, key: str
    ) -> CastBallot:
        """Cast a ballot or replace it. A repeat with the same idempotency key changes nothing."""
        nonce = self._context.random(16)
        repeat: list[CastBallot] = []
        decided: list[
            tuple[BallotOwner, Election, documents.BallotDefinition, documents.BallotContent, bool]
        ] = []

        def decide(read: PollBook) -> Sequence[NumberedEvent]:
            election = read.get_election(election_name)
            user, me = self._identify(read, actor, election)
            request, fingerprint = self._fingerprints(me, election, lines, key)
            casts = self._context.book.casts(election, me.voter_id)
            for event in casts:
                if event.event_data["request"] != request:
                    continue
                if event.event_data["fingerprint"] != fingerprint:
                    raise IdempotencyKeyReused(
                        "This idempotency key was used for a different ballot. Use a new key for "
                        "each ballot, and the same key only to send the same ballot again."
                    )
                cast = self._context.book.open_event(election, me.voter_id, event)
                receipt = _create_receipt(election, self._definition(election, cast), cast.content)
                when = event.when_occurred
                repeat[:] = [CastBallot(election.name, cast.voter_name, when, receipt, True)]
                return []
            now = self._context.clock()
            listed = read.is_listed(election, me.voter_id)
            shares_address = user is not None and self._context.book.shares_address(election, user)
            check_cast(
                user,
                election,
                listed=listed,
                has_voted=read.ballot_event(election, me.voter_id) is not None,
                now=now,
                shares_address=shares_address,
            )
            weight = me.entry.votes if me.entry is not None and election.is_weighted else None
            definition = definition_of(election, read.candidates(election))
            ranking = parse_ranking(lines, definition["candidates"])
            check_marks(ranking, method_of(election))
            content = documents.BallotContent(nonce, "", ranking, weight)
            decided[:] = [(me, election, definition, content, not casts)]
            marks = request, fingerprint
            choices = definition["candidates"]
            return [partial(self._ballot_cast, me, election, choices, content, marks)]

        # Ballots of different voters are independent, so they can be committed together.
        name, batch_key = _actor(actor)
        events = self._context.bus.execute(name, decide, batch_key=batch_key)
        if not events:
            return repeat[0]
        # Use what the decision was based on: the election may have been renamed since.
        me, election, definition, content, is_first = decided[0]
        self._on_ballot(election, me, events[0], is_first)
        voter = me.entry.name if me.entry is not None else me.name
        receipt = _create_receipt(election, definition, content)
        return CastBallot(election.name, voter, events[0].when_occurred, receipt)

    def withdraw(self, actor: User | LinkVoter, election_name: str) -> None:
        """Withdraw the actor's ballot. Repeats of the request that cast it do not cast it again."""
        decided: list[tuple[Election, BallotOwner]] = []

        def decide(read: PollBook) -> Sequence[EventData]:
            election = read.get_election(election_name)
            user, me = self._identify(read, actor, election)
            has_voted = read.ballot_event(election, me.voter_id) is not None
            check_withdraw(user, election, has_voted=has_voted, now=self._context.clock())
            decided[:] = [(election, me)]
            return [BallotWithdrawn(voter=me.name, election=election.name)]

        [withdrawn] = self._context.bus.execute(_actor(actor)[0], decide)
        self._on_ballot(*decided[0], withdrawn, False)

    def own_ballot(self, voter: User | LinkVoter, election_name: str) -> CastBallot:
        """Return the voter's own ballot, with its proof after the close."""
        book = self._context.read
        record = book.record(book.get_election(election_name))
        owner = book.owner_of_ballot(record.election, voter)
        ballot = book.ballot(record, owner.voter_id)
        if ballot is None:
            raise NotFound("You haven’t voted in this election.", field="ballot")
        if not book.can_show_ballot(record.election, voter):
            raise NotPermitted(
                "This secret ballot was cast with a personal link or a card, so nobody sees it "
                "again. Use the receipt that was downloaded then."
            )
        return self._with_proof(record.election, ballot)

    def _identify(
        self, read: PollBook, actor: User | LinkVoter, election: Election
    ) -> tuple[User | None, BallotOwner]:
        """Return the user, if they have an account, and the owner of the ballot."""
        user = None if isinstance(actor, LinkVoter) else reload_user(read, actor)
        return user, self._context.book.owner_of_ballot(election, user or actor)

    def ballot(self, viewer: User, election_name: str, voter_name: str) -> CastBallot:
        """Return the ballot of a voter by name (on a roll, by key), with its proof after the close.

        Of secret ballots, everyone sees only their own.
        """
        # The log decides who may see the ballot: the table could call the election open.
        book = self._context.read
        record = book.record(book.get_election(election_name))
        voter_id, name = book.voter_id(voter_name), voter_name
        if isinstance(voter_id, UserId):
            name = book.user_name(voter_id)
        check_view_ballot(viewer, name, record.election, self._context.clock())
        ballot = book.ballot(record, voter_id) if voter_id is not None else None
        if ballot is None:
            raise NotFound(f"{quote(name)} hasn’t voted in this election.", field="ballot")
        return self._with_proof(record.election, ballot)

    def _fingerprints(
        self, me: BallotOwner, election: Election, lines: Lines, key: str
    ) -> tuple[str, str]:
        """Return keyed hashes of the idempotency key and the request, which reveal nothing."""
        ballot_key = self._context.keys.ballot_key
        if not all(is_valid_text(text) for text in (key, *(name for name, _ in lines))):
            message = (
                "The rankings or the idempotency key contain invalid Unicode (half of a surrogate "
                "pair)."
            )
            raise InvalidInput({"rankings": message})
        scope = (str(me.voter_id.number), str(election.election_id), key)
        content = [f"{name}\n{rank}" for name, rank in sorted(lines, key=repr)]
        return (
            ballot_key.hmac("request", *scope)[:32],
            ballot_key.hmac("said", *scope, *content)[:32],
        )

    def _ballot_cast(
        self,
        me: BallotOwner,
        election: Election,
        candidates: list[str],
        content: documents.BallotContent,
        marks: tuple[str, str],
        event_id: int,
    ) -> BallotCast:
        number, definition = election.election_id, election.definition or ""
        code = documents.compute_confirmation(
            number, definition, content.nonce, content.ranking, content.weight
        )
        request, fingerprint = marks
        place = BallotPlace(number, me.voter_id.number, event_id, definition)
        content = documents.BallotContent(content.nonce, code, content.ranking, content.weight)
        ballot_key = self._context.keys.ballot_key
        cast = BallotCast(me.name, election.name, definition, request, fingerprint)
        if election.secret_ballot:
            width, iv = padded_size(tuple(candidates)), self._context.random(12)
            return replace(cast, sealed=ballot_key.seal(place, content, width=width, iv=iv))
        return replace(
            cast,
            confirmation=code,
            nonce=content.nonce.hex(),
            levels=content.ranking.levels,
            mac=ballot_key.authenticate(place, content),
        )

    def _with_proof(self, election: Election, ballot: CountedBallot) -> CastBallot:
        receipt = _create_receipt(election, self._definition(election, ballot), ballot.content)
        closing = get_closing(election, self._context.keys)
        if closing is not None:
            proof = self._results.tree(election).prove(ballot.content.confirmation)
            receipt = documents.add_proof(receipt, closing, proof)
        return CastBallot(election.name, ballot.voter_name, ballot.event.when_occurred, receipt)

    def _definition(self, election: Election, ballot: CountedBallot) -> documents.BallotDefinition:
        return self._context.book.definition(election, ballot.definition)


def _create_receipt(
    election: Election, definition: documents.BallotDefinition, content: documents.BallotContent
) -> documents.Receipt:
    return documents.create_receipt(
        name=election.name,
        definition=definition,
        nonce=content.nonce,
        ranking=content.ranking,
        weight=content.weight,
    )


def _actor(voter: User | LinkVoter) -> tuple[str, VoterId]:
    """Return the name of a voter in the log, and an id that other voters do not have."""
    if isinstance(voter, LinkVoter):
        # Two numbers of voters on rolls may be equal, but then these are not committed together.
        return voter.entry.key, voter.entry.voter_id
    return voter.name, UserId(voter.user_id)
