"""Rolls: voters without accounts, their personal links, and e-mails to them.

A link contains the numbers of the election and the voter, and an HMAC of these and of the
generation of the link. It is computed when it is needed, and stored nowhere.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from textwrap import wrap
from typing import Literal, TypedDict

from singletable_apps.elections import events
from singletable_apps.elections.entities import (
    Election,
    Electorate,
    RollNumber,
    RollVoter,
    User,
)
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.events import SYSTEM_ACTOR, Event, EventData
from singletable_apps.elections.log_state import ElectionRecord
from singletable_apps.elections.poll_book import BallotOwner, LinkVoter, PollBook
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules import elections as rules
from singletable_apps.elections.rules.emails import (
    PARTLY,
    STILL_LEFT,
    EmailPurpose,
    EmailText,
    check_email_text,
    default_text,
    fill_in,
)
from singletable_apps.elections.rules.names import (
    MAX_VOTERS,
    clean_email,
    clean_optional,
    fold_name,
    person_key,
    quote,
    quote_names,
    roll_identity,
    sort_key,
)
from singletable_apps.elections.rules.roll import (
    RollChange,
    RollLine,
    RollProblem,
    check_weight,
)
from singletable_apps.elections.service.context import Context
from singletable_apps.elections.service.lifecycle import (
    Lifecycle,
    change_electorate,
    check_size,
    chunks,
)
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.outbox import (
    Author,
    Delivery,
    DeliveryState,
    Notice,
)
from singletable_apps.shared.readable_codes import (
    clean_code,
    decode_number,
    encode_bytes,
    encode_number,
)
from singletable_apps.shared.service import RevisionCheck, any_revision

# 80 bits, which nobody can guess.
MAC_DIGITS = 16
NUMBER_DIGITS = 4
KEYS_PER_EVENT = 1_000
# Notices about the opening or the close are not sent later than this.
NOTICE_PERIOD = timedelta(days=7)
LinkUse = Literal["vote", "unsubscribe"]


@dataclass(frozen=True, slots=True)
class RollRow:
    """Someone on a roll, their last e-mails, and if they have voted and were reminded today.

    `is_partial` if they have not answered every question on the ballot.
    """

    voter: RollVoter
    invitation: Delivery | None
    reminder: Delivery | None
    has_voted: bool
    is_reminded: bool
    is_partial: bool = False

    @property
    def is_invited(self) -> bool:
        """Return whether an invitation to the current link was sent, or will be."""
        return is_sent(self.invitation)

    @property
    def bounced(self) -> Delivery | None:
        """Return the last invitation or reminder if it was not delivered."""
        sent = [each for each in (self.invitation, self.reminder) if each is not None]
        last = max(sent, key=lambda each: each.at, default=None)
        return None if is_sent(last) else last

    @property
    def is_done(self) -> bool:
        """Return whether every question is answered."""
        return self.has_voted and not self.is_partial


class RollEdit(TypedDict, total=False):
    """Changes of an entry on a roll. What is left out stays as it is."""

    name: str
    email: str
    group: str
    weight: int | None


def is_sent(delivery: Delivery | None) -> bool:
    """Return whether an e-mail was sent, or will be."""
    return delivery is not None and delivery.state is not DeliveryState.FAILED


class Rolls:
    """The rolls of elections. Owners change them and write to voters; voters use their links."""

    def __init__(self, context: Context, lifecycle: Lifecycle) -> None:
        self._context = context
        self._lifecycle = lifecycle
        self._noticed: set[tuple[int, EmailPurpose]] = set()

    # Links.

    def code(self, election: Election, voter: RollVoter, use: LinkUse = "vote") -> str:
        """Return the code in a personal link, which people can also type."""
        numbers = election.election_id, voter.voter_id.number
        mac = self._context.keys.ballot_key.hmac(f"link to {use}", *numbers, voter.generation)
        digits = NUMBER_DIGITS
        while election.election_id >= 32**digits:
            digits += 1
        head = encode_number(numbers[0], digits) + encode_number(numbers[1], NUMBER_DIGITS)
        return "-".join(wrap(head + encode_bytes(bytes.fromhex(mac), MAC_DIGITS), 4))

    def link(self, election: Election, voter: RollVoter, use: LinkUse = "vote") -> str:
        """Return the personal link of a voter."""
        page = ("v",) if use == "vote" else ("unsubscribe",)
        urls = self._context.urls
        return urls.absolute(urls.page(*page, self.code(election, voter, use)))

    def open_link(self, code: str, use: LinkUse = "vote") -> tuple[Election, LinkVoter]:
        """Return the election and the voter of a link, or raise NotFound."""
        typed, shortest = clean_code(code), 2 * NUMBER_DIGITS + MAC_DIGITS
        if len(typed) < shortest:
            raise NotFound(
                f"A code has {shortest} letters and digits, but this one has {len(typed)}. Compare "
                "it with your e-mail or card.",
                field="code",
            )
        voter_at = len(typed) - MAC_DIGITS - NUMBER_DIGITS
        numbers = (decode_number(typed[:voter_at]), decode_number(typed[voter_at:-MAC_DIGITS]))
        book = self._context.read
        found = book.find_roll_voter(numbers[0] or 0, RollNumber(numbers[1] or 0))
        if found is not None:
            expected = clean_code(self.code(*found, use))
            if hmac.compare_digest(typed.encode(), expected.encode()):
                return found[0], LinkVoter(found[0].election_id, found[1])
        if numbers[0] in {each.election_id for each in book.deleted_elections()}:
            raise NotFound("The election of this link or code was deleted.", field="code")
        raise NotFound(
            "This link or code isn’t valid. Compare it with your e-mail or card. If you got a "
            "newer one, use that; otherwise ask the people who run the election.",
            field="code",
        )

    def url(self, about: str, voter_id: str, use: LinkUse) -> str:
        """Return the personal link of a voter in an e-mail that waits in the queue."""
        election_id = int(about.partition("-")[0])
        found = self._context.read.find_roll_voter(election_id, RollNumber(int(voter_id)))
        # Someone who was removed meanwhile gets a link to the page that asks for a code.
        urls = self._context.urls
        return self.link(*found, use) if found else urls.absolute(urls.page("v"))

    # What owners do with a roll.

    def rows(self, actor: User, name: str) -> list[RollRow]:
        """Return the people on a roll by name, and what has become of their invitations."""
        record, today = self._record(actor, name), f"{self._context.clock():%Y-%m-%d}"
        partly = self._context.book.partly_answered(record.election)
        latest: dict[tuple[str, str], Delivery] = {}
        for each in sorted(self._deliveries(record), key=lambda each: each.at):
            latest[each.recipient, each.purpose.partition("-")[0]] = each
            latest[each.recipient, each.purpose] = each
        return [
            RollRow(
                voter,
                latest.get((voter.number, _invitation(voter))),
                latest.get((voter.number, "reminder")),
                voter.voter_id in record.ballots,
                is_sent(latest.get((voter.number, f"{EmailPurpose.REMINDER}-{today}"))),
                voter.voter_id in partly,
            )
            for voter in sorted(record.roll.values(), key=lambda each: sort_key(each.name))
        ]

    def row(self, actor: User, name: str, number: int) -> RollRow:
        """Return someone on a roll."""
        for row in self.rows(actor, name):
            if row.voter.voter_id == RollNumber(number):
                return row
        raise NotFound("This person is not on the roll.", field="voter")

    def compare(
        self, actor: User, name: str, lines: Sequence[RollLine], *, replaces: bool
    ) -> RollChange:
        """Return what a list would change, without changing anything."""
        election = self._context.read.get_election(name)
        rules.check_electorate(actor, election, Electorate.ROLL)
        return compare_roll(self._read(election), lines, replaces=replaces)

    def save(
        self,
        actor: User,
        name: str,
        lines: Sequence[RollLine],
        *,
        replaces: bool,
        adds_to_addresses: bool = False,
        check_revision: RevisionCheck = any_revision,
    ) -> Election:
        """Add people to the roll and change their entries; `replaces` removes all others.

        Before the launch, this also replaces a list of user names. `adds_to_addresses` if someone
        has seen that other people on the roll have the address of a line.
        """

        def change(record: ElectionRecord) -> Sequence[EventData]:
            rules.check_electorate(actor, record.election, Electorate.ROLL)
            is_switched = record.election.electorate is not Electorate.ROLL
            users = [self._context.book.voter_name(each) for each in record.voters]
            wanted = compare_roll(record, lines, replaces=replaces)
            problems = [*wanted.problems, *(() if adds_to_addresses else wanted.shared)]
            if problems:
                text = " ".join(problem.text for problem in problems[:5])
                raise InvalidInput({"people": text})
            questions = len(self._context.book.questions(record.election))
            changed = [after for _, after in wanted.changed]
            check_size([*wanted.added, *changed], questions)
            election = record.election.name
            removed = users if is_switched else [voter.key for voter in wanted.removed]
            return [
                *change_electorate(record.election, Electorate.ROLL),
                *(events.VotersRemoved(election, part) for part in chunks(removed, KEYS_PER_EVENT)),
                *(events.RollVotersChanged(election, part) for part in chunks(changed)),
                *(events.RollVotersAdded(election, part) for part in chunks(wanted.added)),
            ]

        return self._change(actor, name, change, check_revision, check=rules.check_manager)

    def remove(self, actor: User, name: str, number: int) -> Election:
        """Remove a voter before they vote."""

        def change(record: ElectionRecord) -> Sequence[EventData]:
            rules.check_set_voters(actor, record.election)
            voter = _find(record, number)
            if voter.voter_id in record.ballots:
                raise WrongState(f"{quote(voter.name)} has voted, and can’t be removed.")
            return [events.VotersRemoved(record.election.name, (voter.key,))]

        return self._change(actor, name, change)

    def edit(
        self,
        actor: User,
        name: str,
        number: int,
        edit: RollEdit,
        check_revision: RevisionCheck = any_revision,
    ) -> Election:
        """Change an entry. After the launch, another address replaces the link, and is invited."""
        is_moved = False

        def change(record: ElectionRecord) -> Sequence[EventData]:
            nonlocal is_moved
            before = _find(record, number)
            after = _clean_entry(before, edit)
            is_address = replace(before, email=after.email) == after
            if not (is_address and record.election.allow_vote):
                rules.check_set_voters(actor, record.election)
            if errors := _find_errors(record, before, after) | _find_other(record, after):
                raise InvalidInput(errors)
            is_moved = fold_name(before.email) != fold_name(after.email)
            if is_moved and before.email and record.election.allow_vote:
                after = _renew(after)
            changed = [events.RollVotersChanged(record.election.name, (after,))]
            return changed if after != before else []

        election = self._change(actor, name, change, check_revision)
        if is_moved:
            self._invite_again(actor, name, number)
        return election

    def renew_link(self, actor: User, name: str, number: int) -> RollVoter:
        """Replace the link of a voter, and invite them again if voting has not ended."""

        def change(record: ElectionRecord) -> Sequence[EventData]:
            renewed = _renew(_find(record, number))
            return [events.RollVotersChanged(record.election.name, (renewed,))]

        self._change(actor, name, change)
        return self._invite_again(actor, name, number)

    def _invite_again(self, actor: User, name: str, number: int) -> RollVoter:
        record = self._record(actor, name)
        with suppress(WrongState):
            rules.check_invite(actor, record.election, self._context.clock())
            self._enqueue(record, EmailPurpose.INVITATION, [_find(record, number)], actor)
        return _find(record, number)

    # E-mails.

    def invite(self, actor: User, name: str) -> int:
        """Queue invitations to everyone without one, and return how many."""
        record = self._record(actor, name)
        rules.check_invite(actor, record.election, self._context.clock())
        return self._enqueue(record, EmailPurpose.INVITATION, record.roll.values(), actor)

    def remind(self, actor: User, name: str) -> int:
        """Queue reminders to invited people with unanswered questions, one a day."""
        record = self._record(actor, name)
        rules.check_invite(actor, record.election, self._context.clock())
        rows = self.rows(actor, name)
        voters = [row.voter for row in rows if row.is_invited and not row.is_done]
        today = f"{self._context.clock():%Y-%m-%d}"
        return self._enqueue(record, EmailPurpose.REMINDER, voters, actor, suffix=today)

    def email_text(self, actor: User, name: str, purpose: EmailPurpose) -> EmailText:
        """Return the subject and text of e-mails, as the owner wrote them or the default."""
        return _text(self._record(actor, name), purpose)

    def set_email_text(
        self, actor: User, name: str, purpose: EmailPurpose, text: EmailText
    ) -> None:
        """Set the subject and text of e-mails to voters."""
        check_email_text(purpose, text)

        def change(record: ElectionRecord) -> Sequence[EventData]:
            election = record.election.name
            return [events.ElectionEmailChanged(election, purpose, text.subject, text.text)]

        self._change(actor, name, change)

    def send_receipt(
        self, election: Election, owner: BallotOwner, event: Event, is_first: bool
    ) -> None:
        """Queue an e-mail to a voter on a roll that their ballot was cast or withdrawn, not how.

        Of several questions, the first and the last answer, and each change, are an e-mail.
        """
        is_cast = event.event_type == events.BallotCast.__name__
        purpose = EmailPurpose.RECEIPT if is_cast else EmailPurpose.WITHDRAWAL
        book = self._context.book
        first, *others = book.questions(election)
        if owner.entry is not None:
            record = ElectionRecord(first, emails=book.emails(first))
            step = "first" if book.questions_left(first, owner.voter_id) else "last"
            suffix = step if others and is_first else str(event.event_id)
            self._enqueue(record, purpose, [owner.entry], suffix=suffix)

    def unsubscribe(self, code: str) -> Election:
        """Send no more reminders to the voter of this link."""
        election, voter = self.open_link(code, "unsubscribe")

        def decide(read: PollBook) -> Sequence[EventData]:
            entry = self._context.book.owner_of_ballot(election, voter).entry
            if entry is None or entry.is_unsubscribed:
                return []
            current = self._context.book.record(election).election
            entry = replace(entry, is_unsubscribed=True)
            changed = events.RollVotersChanged(current.name, (entry,))
            return self._lifecycle.repeat(current, [changed])

        self._context.bus.execute(SYSTEM_ACTOR, decide)
        return election

    def note_ends(self) -> None:
        """Close elections past their end, and queue notices about that."""
        now = self._context.clock()
        for election in self._context.read.elections_with_roll():
            if election.allow_vote and rules.has_ended(election, now):
                with suppress(WrongState):
                    self._lifecycle.close(None, election.name)
            if election.joint_with is None:
                self._notify(election, now)

    def _notify(self, election: Election, now: datetime) -> None:
        opened = election.no_voting_before if election.allow_vote else None
        closed = rules.closed_at(election)
        for purpose, when in ((EmailPurpose.OPENING, opened), (EmailPurpose.CLOSING, closed)):
            key = election.election_id, purpose
            if when is None or key in self._noticed or not when <= now < when + NOTICE_PERIOD:
                continue
            record = self._context.book.record(election)
            # People who are invited after the opening know that voting is open.
            sent = [each for each in self._deliveries(record) if is_sent(each) and each.at <= when]
            invited = {each.recipient for each in sent if each.purpose.startswith("invitation")}
            voters = [voter for voter in record.roll.values() if voter.number in invited]
            self._enqueue(record, purpose, voters)
            self._noticed.add(key)

    def _enqueue(
        self,
        record: ElectionRecord,
        purpose: EmailPurpose,
        voters: Iterable[RollVoter],
        actor: User | None = None,
        suffix: str = "once",
    ) -> int:
        """Queue e-mails to people with an address; one with the same suffix is sent once.

        Those of nobody follow from an invitation, and are limited as e-mails of the owner.
        """
        election, whole = record.election, _text(record, purpose)
        is_invitation, about = purpose is EmailPurpose.INVITATION, str(election.election_id)
        is_receipt = purpose in (EmailPurpose.RECEIPT, EmailPurpose.WITHDRAWAL)
        partly, questions = PARTLY.get(purpose, whole), ""
        if purpose is EmailPurpose.RECEIPT and purpose in record.emails:
            partly = EmailText(whole.subject, whole.text.rstrip() + STILL_LEFT)
        if "{questions}" in whole.text:
            book = self._context.book
            records = [book.record(each) for each in book.questions(election)]
            lines = [(each.election.name, each.question) for each in records]
            questions = "\n".join("- " + ": ".join(filter(None, line)) for line in lines)
            if len(records) == 1:
                questions = record.question or election.name

        author = self._author(election, actor)

        def notice(voter: RollVoter) -> Notice:
            left = self._context.book.questions_left(election, voter.voter_id)
            text = partly if left else whole
            return Notice(
                author=author,
                # Queueing reads what was sent about the same; one voter's are few.
                about=f"{about}-{voter.number}" if is_receipt else about,
                purpose=_invitation(voter) if is_invitation else f"{purpose}-{suffix}",
                recipient=voter.number,
                to=voter.email,
                subject=fill_in(text.subject, election, voter, limit=True),
                text=fill_in(
                    text.text, election, voter, left=quote_names(left), questions=questions
                ),
                can_unsubscribe=purpose.can_unsubscribe,
            )

        optional = purpose.can_unsubscribe
        wanted = (one for one in voters if one.email and not (optional and one.is_unsubscribed))
        return self._context.mail.enqueue(map(notice, wanted), self._context.clock())

    def _author(self, election: Election, actor: User | None) -> Author:
        owner = actor or self._context.read.find_user(election.owner_name)
        key = election.owner_name if owner is None else str(owner.user_id)
        is_limited = actor is not None and not has_permission(actor.role, Permission.MANAGE_USERS)
        return Author(key, has_daily_limit=is_limited)

    def _deliveries(self, record: ElectionRecord) -> Iterator[Delivery]:
        return self._context.mail.deliveries(str(record.election.election_id))

    # The record, and commands on it.

    def _record(self, actor: User, name: str) -> ElectionRecord:
        election = self._context.read.get_election(name)
        rules.check_roll(actor, election)
        return self._read(election)

    def _read(self, election: Election) -> ElectionRecord:
        """Return a record with the voters of all questions on the same ballot."""
        book = self._context.book
        record, *others = map(book.record, book.questions(election))
        for other in others:
            record.ballots = other.ballots | record.ballots
        return record

    def _change(
        self,
        actor: User,
        name: str,
        change: Callable[[ElectionRecord], Sequence[EventData]],
        check_revision: RevisionCheck = any_revision,
        check: Callable[[User, Election], None] = rules.check_roll,
    ) -> Election:
        def decide(_: PollBook, __: User, election: Election) -> Sequence[EventData]:
            return self._lifecycle.repeat(election, change(self._read(election)))

        return self._context.change_election(actor, name, check, decide, check_revision)


def _invitation(voter: RollVoter) -> str:
    """Return the purpose of an invitation in the queue: each link is sent once."""
    return f"{EmailPurpose.INVITATION}-{voter.generation}"


def _text(record: ElectionRecord, purpose: EmailPurpose) -> EmailText:
    own = record.emails.get(purpose)
    return EmailText(*own) if own is not None else default_text(purpose)


def _find(record: ElectionRecord, number: int) -> RollVoter:
    voter = record.roll.get(RollNumber(number))
    if voter is None:
        raise NotFound("This person is not on the roll.", field="voter")
    return voter


def _renew(voter: RollVoter) -> RollVoter:
    return replace(voter, generation=str(int(voter.generation) + 1))


def _clean_entry(voter: RollVoter, edit: RollEdit) -> RollVoter:
    email = edit.get("email", voter.email)
    email = clean_email(email) if email.strip() else ""
    name = clean_optional(edit.get("name", voter.name), "name", "name") or email
    if not name:
        raise InvalidInput({"name": "Enter a name, or an e-mail address."})
    group = clean_optional(edit.get("group", voter.group), "group", "group")
    weight = edit.get("weight")
    weight = voter.votes if weight is None else check_weight(weight)
    return replace(voter, name=name, email=email, group=group, weight=str(weight))


def _find_other(record: ElectionRecord, voter: RollVoter) -> dict[str, str]:
    """Return an error if someone else on the roll has this name and address, or neither has one."""
    known = record.known_voters.get(roll_identity(voter.name, voter.email), ())
    others = [record.roll[each] for each in known if each != voter.voter_id]
    for other in others:
        if person_key(other.name) == person_key(voter.name):
            if voter.email:
                return {"email": f"{quote(other.name)} is on the roll with this address already."}
            text = f"{quote(other.name)} is on the roll already. Without an address, names must "
            return {"name": f"{text}differ."}
    return {}


def _find_errors(
    record: ElectionRecord, before: RollVoter | None, after: RollVoter
) -> dict[str, str]:
    """Return what can’t change in an entry, or be in a new one, by field.

    After voting, another name would hide who voted, an account with another confirmed address
    would see the ballot, and another weight would change the result.
    """
    errors: dict[str, str] = {}
    election, weight = record.election, before.weight if before is not None else "1"
    if after.weight not in ("1", weight) and election.allow_vote and not election.is_weighted:
        errors["weight"] = "This election was launched without weights, so everyone has one vote."
    if before is not None and before.voter_id in record.ballots:
        for field in ("name", "email", "weight"):
            old, new = getattr(before, field), getattr(after, field)
            if fold_name(old) != fold_name(new):
                what = "address" if field == "email" else field
                errors[field] = f"{quote(before.name)} has voted, so the {what} can’t change."
    return errors


def compare_roll(
    record: ElectionRecord, lines: Sequence[RollLine], *, replaces: bool
) -> RollChange:
    """Return what the lines change. People keep their number, and with it their link and ballot.

    A person is found by name and address. Another name is another person, who may share the
    address: nobody is renamed by a list.
    """
    number = record.last_number
    people = _RollPeople(record.roll.values())
    added: list[RollVoter] = []
    changed: list[tuple[RollVoter, RollVoter]] = []
    problems: list[RollProblem] = []
    warnings: list[RollProblem] = []
    shares: list[tuple[RollLine, list[RollVoter]]] = []
    kept: set[RollNumber] = set()
    named = {} if replaces else {person_key(one.name): one for one in record.roll.values()}
    for line in lines:
        before, others = people.find(line)
        if before is None and others and not line.name:
            who = quote_names([each.name for each in others])
            text = f"{quote(line.email)} is the address of {who}. Write which of them it is."
            problems.append(RollProblem(line.line, text))
            kept |= {each.voter_id for each in others}
            continue
        if before is None:
            number += 1
            added.append(_new_voter(number, line))
            found = _find_errors(record, None, added[-1])
            if others:
                shares.append((line, others))
            elif known := named.get(person_key(line.name)):
                text = f"{known.name} is on the roll with another address: {known.email or 'none'}."
                warnings.append(RollProblem(line.line, text))
        else:
            kept.add(before.voter_id)
            after = _edited(before, line)
            found = _find_errors(record, before, after)
            if after != before:
                changed.append((before, after))
        problems += [RollProblem(line.line, text) for text in found.values()]
    left = [voter for at, voter in record.roll.items() if replaces and at not in kept]
    problems += [
        RollProblem(0, f"{quote(voter.name)} has voted, and can’t be removed.")
        for voter in left
        if voter.voter_id in record.ballots
    ]
    if len(record.roll) - len(left) + len(added) > MAX_VOTERS:
        problems.append(RollProblem(0, f"A roll can have at most {MAX_VOTERS:,} people."))
    shared = [_describe_shared(line, others, kept) for line, others in shares]
    return RollChange(
        added,
        changed,
        left,
        len(kept) - len(changed),
        problems,
        warnings,
        [each for each in shared if each is not None],
    )


class _RollPeople:
    """The people on a roll, found by address and name, or by the name alone without an address."""

    def __init__(self, voters: Iterable[RollVoter]) -> None:
        self._people: dict[str, dict[str, RollVoter]] = {}
        for voter in voters:
            at = self._people.setdefault(roll_identity(voter.name, voter.email), {})
            at[_name_key(voter.name, voter.email)] = voter

    def find(self, line: RollLine) -> tuple[RollVoter | None, list[RollVoter]]:
        """Return the person of a line, or None and the others who have the address.

        A person without a name is found by the address alone, once.
        """
        at = self._people.get(roll_identity(line.name, line.email), {})
        key = _name_key(line.name, line.email)
        if key not in at and not key and len(at) == 1:
            [key] = at
        if key not in at and "" in at:
            at[key] = at.pop("")
        others = [*at.values()]
        return at.get(key), others


def _name_key(name: str, email: str) -> str:
    """Return what tells people with one address apart. Without a name, the address is shown."""
    has_name = email and fold_name(name) != fold_name(email)
    return person_key(name) if has_name else ""


def _describe_shared(
    line: RollLine, others: Sequence[RollVoter], kept: set[RollNumber]
) -> RollProblem | None:
    """Return a text with the people who have the address, unless the list has all of them."""
    unlisted = [each.name for each in others if each.voter_id not in kept]
    if not unlisted:
        return None
    names = quote_names(unlisted)
    text = f"{quote(line.name)} has the address of {names}, who {_is_on_the_roll(unlisted)}."
    return RollProblem(line.line, f"{text} Is this another person, or another name?")


def _is_on_the_roll(names: Sequence[str]) -> str:
    return "is on the roll" if len(names) == 1 else "are on the roll"


def _new_voter(number: int, line: RollLine) -> RollVoter:
    name = line.name or line.email
    return RollVoter(str(number), name, line.email, line.group, str(line.weight or 1))


def _edited(voter: RollVoter, line: RollLine) -> RollVoter:
    is_same = person_key(line.name) == person_key(voter.name) and "," in line.name + voter.name
    return replace(
        voter,
        name=voter.name if is_same else line.name or voter.name,
        email=line.email or voter.email,
        group=line.group or voter.group,
        weight=str(line.weight or voter.weight),
    )
