"""Commands about elections: create, edit, launch, lock, close, transfer and delete them."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain, count
from typing import Any, TypeVar

import msgspec

from singletable_apps.elections import events
from singletable_apps.elections.entities import (
    Election,
    Electorate,
    User,
    is_removed_user,
)
from singletable_apps.elections.events import SYSTEM_ACTOR, EventData
from singletable_apps.elections.log_state import ElectionRecord
from singletable_apps.elections.poll_book import PollBook
from singletable_apps.elections.proofs.documents import compute_commitment, create_deletion
from singletable_apps.elections.proofs.encoding import canonical_json
from singletable_apps.elections.roles import ROLE_NAMES, Permission, has_permission
from singletable_apps.elections.rules import elections as rules
from singletable_apps.elections.rules.methods import (
    METHOD,
    PROPOSAL,
    YES_OR_NO,
    check_method,
    check_none_of_these,
    proposal_of,
)
from singletable_apps.elections.rules.names import (
    MAX_DESCRIPTION,
    MAX_NOTES,
    MAX_STATEMENT,
    clean_candidate_name,
    clean_candidate_names,
    clean_election_name,
    clean_markdown,
    clean_optional,
    clean_voter_names,
    fold_name,
    is_same_name,
    quote,
    quote_names,
)
from singletable_apps.elections.rules.voting import check_listed_voters
from singletable_apps.elections.service.closing import closing_statement, get_closing
from singletable_apps.elections.service.context import Context, reload_user
from singletable_apps.elections.settings import (
    SHARED,
    ElectionChanges,
    ElectionSettings,
    apply_changes,
    create_event,
    settings_of,
)
from singletable_apps.shared.errors import AlreadyExists, InvalidInput, NotFound
from singletable_apps.shared.mail import MAX_SUBJECT_LENGTH, Email, InvalidEmail
from singletable_apps.shared.outbox import Author
from singletable_apps.shared.pictures import Picture, prepare_picture
from singletable_apps.shared.service import RevisionCheck, any_revision

T = TypeVar("T")
MANAGER_TEXT = (
    "Hello {},\n\n{} made you a manager of “{}”: you can set it up and run it, too.\n\n{}\n"
)

# An event is one item of at most 400 KB.
NAMES_PER_EVENT = 200
PICTURES_AT_ONCE = 50  # each is an event, of which a transaction stores at most 100
STATEMENTS_PER_EVENT = 40
# The events of a command are one transaction of at most 4 MB.
MAX_NAMES_BYTES = 3_000_000
MAX_MANAGERS, MAX_QUESTIONS = 20, 10


class Lifecycle:
    """Commands about elections, from creation to the signed close.

    `check_revision` is called with the election's revision, so that a form or an If-Match header
    can reject a change that was based on an older one.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    def create(self, actor: User, name: str, settings: ElectionSettings | None = None) -> Election:
        """Create an election, which its owner sets up before the launch."""
        name, settings = clean_election_name(name), settings or ElectionSettings()
        rules.check_window(settings.no_voting_before, settings.no_voting_after)
        rules.check_closing_time(settings.no_voting_after, self._context.clock())
        check_method(settings.method, settings.seats)

        def decide(read: PollBook) -> Sequence[EventData]:
            me = reload_user(read, actor)
            rules.check_create_election(me)
            _check_available(read, name)
            return [create_event(settings, owner=me.name, name=name)]

        self._context.execute(actor, decide)
        return self._context.read.get_election(name)

    def edit(
        self,
        actor: User,
        name: str,
        changes: ElectionChanges,
        check_revision: RevisionCheck = any_revision,
    ) -> Election:
        """Change the name, the settings, or both, completely or not at all."""
        new = clean_election_name(changes["name"]) if "name" in changes else None

        def check(me: User, election: Election) -> None:
            if changes.keys() - {"name"}:
                rules.check_edit_settings(me, election)
            if new is not None:
                rules.check_rename_election(me, election)

        def change(read: PollBook, _: User, election: Election) -> Sequence[EventData]:
            changed: list[EventData] = []
            current, wanted = settings_of(election), apply_changes(changes, election)
            rules.check_window(wanted.no_voting_before, wanted.no_voting_after)
            # A closing time that has passed since does not prevent other changes.
            if wanted.no_voting_after != current.no_voting_after:
                rules.check_closing_time(wanted.no_voting_after, self._context.clock())
            check_method(wanted.method, int(wanted.seats))
            if wanted.none_of_these and not current.none_of_these:
                names = read.candidates(election)
                check_none_of_these(names, "none_of_these")
            if any(getattr(wanted, each) != getattr(current, each) for each in SHARED):
                rules.check_shared(election)
            if wanted != current:
                changed += [wanted, *_share(wanted, self._others(election))]
            if new is not None and new != election.name:
                if not is_same_name(new, election.name):
                    _check_available(read, new)
                changed.append(events.ElectionNameChanged(old_name=election.name, new_name=new))
            return changed

        return self._context.change_election(
            actor, name, check, change, check_revision, new_name=new
        )

    def add_question(
        self, actor: User, name: str, new_name: str, *, yes_or_no: bool = False
    ) -> Election:
        """Put another question on the ballot of an election.

        It is an election of its own, with candidates, counting, receipts and result. Voters, times,
        secrecy, launch and close are those of the first question. `yes_or_no` sets up a proposal.
        """
        new = clean_election_name(new_name)

        def change(read: PollBook, _: User, election: Election) -> Sequence[EventData]:
            _check_available(read, new)
            rules.check_shared(election)
            if len(self._others(election)) + 1 >= MAX_QUESTIONS:
                message = f"A ballot can have at most {MAX_QUESTIONS} questions."
                raise InvalidInput({"name": message})
            shared: dict[str, Any] = {each: getattr(election, each) for each in SHARED}
            created = events.ElectionCreated(
                name=new,
                owner=election.owner_name,
                electorate=election.electorate,
                joint_with=str(election.election_id),
                method=PROPOSAL if yes_or_no else METHOD.key,
                by_names=False,
                none_of_these=yes_or_no,
                **shared,
            )
            record, managers = self._context.book.record(election), tuple(election.managers)
            return [
                created,
                *([events.CandidatesAdded(new, YES_OR_NO)] if yes_or_no else []),
                *_copy_voters(read, record, new, replace_links=False),
                *([events.ElectionManagersChanged(new, managers)] if managers else []),
                *([events.ElectionResultShared(new, True)] if election.is_public else []),
            ]

        return self._context.change_election(
            actor, name, rules.check_edit_settings, change, new_name=new
        )

    def _others(self, election: Election) -> list[Election]:
        """Return the other questions on the ballot of an election that is the first one."""
        questions = self._context.book.questions(election)
        return [] if election.joint_with is not None else questions[1:]

    def repeat(self, election: Election, changes: Sequence[EventData]) -> list[EventData]:
        """Return changes that concern a ballot, and the same for the other questions on it."""
        repeated = [
            msgspec.structs.replace(
                each, **{"election" if hasattr(each, "election") else "name": other.name}
            )
            for other in self._others(election)
            for each in changes
        ]
        return [*changes, *repeated]

    def set_candidates(
        self,
        actor: User,
        name: str,
        names: Sequence[str],
        check_revision: RevisionCheck = any_revision,
    ) -> Election:
        """Replace the candidates. A name in another spelling is another candidate."""
        wanted = clean_candidate_names(names)

        def change(read: PollBook, _: User, election: Election) -> Sequence[EventData]:
            current = read.candidates(election)
            added = [each for each in wanted if each not in current]
            removed = [each for each in current if each not in wanted]
            if election.none_of_these:
                check_none_of_these(wanted, "candidates")
            check_size([*added, *removed])
            order = [*(each for each in current if each in wanted), *added]
            is_ordered = order == list(wanted)
            return [
                *(events.CandidatesRemoved(election.name, chunk) for chunk in chunks(removed)),
                *(events.CandidatesAdded(election.name, chunk) for chunk in chunks(added)),
                *([] if is_ordered else [events.CandidatesOrdered(election.name, wanted)]),
            ]

        check = partial(rules.check_set_candidates, count=len(wanted))
        return self._context.change_election(actor, name, check, change, check_revision)

    def edit_candidate(
        self,
        actor: User,
        name: str,
        candidate: str,
        *,
        new_name: str | None = None,
        statement: str | None = None,
        picture: bytes | None = None,
        alt: str | None = None,
        check_revision: RevisionCheck = any_revision,
    ) -> Election:
        """Change the name, the statement or the picture of a candidate; None stays as it is.

        An empty `picture` removes it; `alt` says what it shows.
        """
        new = None if new_name is None else clean_candidate_name(new_name, field="name")
        text = statement
        if text is not None:
            text = clean_markdown(text, "statement", MAX_STATEMENT)
        image = prepare_picture(picture) if picture else None
        shows = None if alt is None else clean_optional(alt, "description", "alt")

        def change(_: PollBook, __: User, election: Election) -> Sequence[EventData]:
            record = self._context.book.record(election)
            if candidate not in record.candidates:
                message = f"There is no candidate {quote(candidate)} in this election."
                raise NotFound(message, field="candidate")
            changes: list[EventData] = []
            if new is not None and new != candidate:
                rules.check_wording(election)
                others = [each for each in record.candidates if each != candidate]
                clean_candidate_names([*others, new], field="name")
                if election.none_of_these:
                    check_none_of_these([new], "name")
                changes.append(events.CandidateRenamed(election.name, candidate, new))
            if text is not None and text != record.statements.get(candidate, ""):
                changes.append(events.CandidatesDescribed(election.name, {new or candidate: text}))
            before = after = record.pictures.get(candidate, Picture("", ""))
            if picture is not None:
                after = replace(after, name=image[0] if image else "")
            if shows is not None:
                after = replace(after, alt=shows)
            if (after.name and after != before) or (before.name and not after.name):
                is_known = image is None or self._context.book.has_picture(after.name)
                data = "" if image is None or is_known else b64encode(image[1]).decode()
                changed = events.CandidatePictured(
                    election.name, new or candidate, after.name, after.alt, data
                )
                changes.append(changed)
            return changes

        return self._context.change_election(
            actor, name, rules.check_set_candidates, change, check_revision
        )

    def describe(
        self,
        actor: User,
        name: str,
        question: str,
        description: str,
        check_revision: RevisionCheck = any_revision,
    ) -> Election:
        """Set what voters read above the ballot, before the launch."""
        wanted = (
            clean_optional(question, "question", "question"),
            clean_markdown(description, "description", MAX_DESCRIPTION),
        )

        def change(_: PollBook, __: User, election: Election) -> Sequence[EventData]:
            record = self._context.book.record(election)
            if (record.question, record.description) == wanted:
                return []
            rules.check_wording(election)
            return [events.ElectionDescribed(election.name, *wanted)]

        return self._context.change_election(
            actor, name, rules.check_rename_election, change, check_revision
        )

    def copy(self, actor: User, name: str, new_name: str, *, with_voters: bool = False) -> Election:
        """Create an election with the settings, texts and candidates of another one.

        The copy has no times, and with `with_voters` the same voters. Personal links are new. All
        questions on the ballot are copied; the names of further ones end with a year or a number.
        """
        first, *others = self._context.book.questions(self._context.read.get_election(name))
        names = [clean_election_name(new_name)]
        find, old = self._context.read.find_election, "|".join([r"\d\d?", *_find_year(first.name)])
        for each in others:
            own = re.sub(rf" \((?:{old})\)$", "", each.name)
            numbers = chain(_find_year(names[0]), count(2))
            numbered = (clean_election_name(f"{own} ({number})") for number in numbers)
            names.append(next(new for new in numbered if new not in names and not find(new)))
        copied = self._copy(actor, first, names, None, with_voters)
        for each, new in zip(others, names[1:], strict=True):
            self._copy(actor, each, [new], copied, with_voters)
        return copied

    def _copy(
        self,
        actor: User,
        election: Election,
        taken: Sequence[str],
        first: Election | None,
        with_voters: bool,
    ) -> Election:
        """Copy a question to the first of the names `taken`, all of which must be free.

        `first` is the copy of the first question on the same ballot.
        """
        new = taken[0]

        def change(read: PollBook, me: User, election: Election) -> Sequence[EventData]:
            for each in taken:
                _check_available(read, each)
            record = self._context.book.record(election)
            settings: dict[str, Any] = msgspec.structs.asdict(settings_of(election)) | {
                "name": new,
                "no_voting_before": None,
                "no_voting_after": None,
                "ballot_name": (first.name if first else new) if election.ballot_name else "",
                "joint_with": str(first.election_id) if first else "",
            }
            names, electorate = tuple(record.candidates), election.electorate
            if proposal := proposal_of(election, names):
                names, settings["method"] = proposal, PROPOSAL
            return [
                events.ElectionCreated(
                    **settings, owner=me.name, electorate=electorate, by_names=False
                ),
                *([events.CandidatesAdded(new, names)] if names else []),
                *(
                    events.CandidatesDescribed(new, dict(chunk))
                    for chunk in chunks(list(record.statements.items()), STATEMENTS_PER_EVENT)
                ),
                events.ElectionDescribed(new, record.question, record.description),
                *(
                    events.ElectionEmailChanged(new, purpose, *texts)
                    for purpose, texts in record.emails.items()
                ),
                *(_copy_voters(read, record, new) if with_voters else []),
            ]

        copied = self._context.change_election(
            actor, election.name, rules.check_manager, change, new_name=new
        )
        pictures = [
            events.CandidatePictured(new, candidate, picture.name, picture.alt)
            for candidate, picture in self._context.book.record(election).pictures.items()
        ]
        for some in chunks(pictures, PICTURES_AT_ONCE):
            copied = self._context.change_election(
                actor, new, rules.check_manager, lambda *_, added=some: added
            )
        return copied

    def set_voters(
        self,
        actor: User,
        name: str,
        names: Sequence[str],
        check_revision: RevisionCheck = any_revision,
    ) -> Election:
        """Replace the voter list. With an empty list, every user with the permission can vote.

        Before the launch, this also replaces a roll.
        """
        wanted = clean_voter_names(names)

        def change(read: PollBook, _: User, election: Election) -> Sequence[EventData]:
            current = read.voters(election)
            listed = {fold_name(each) for each in current}
            added = _get_voters(read, [each for each in wanted if fold_name(each) not in listed])
            kept = {fold_name(each) for each in wanted}
            # Removed users stay on the list, unless it becomes empty: otherwise the removal of
            # the last one would let everyone vote.
            removed = [
                each
                for each in current
                if fold_name(each) not in kept and (not is_removed_user(each) or not wanted)
            ]
            changes = [
                *change_electorate(election, Electorate.ACCOUNTS),
                *(events.VotersRemoved(election.name, chunk) for chunk in chunks(removed)),
                *(events.VotersAdded(election.name, chunk) for chunk in chunks(added)),
            ]
            repeated = self.repeat(election, changes)
            check_size([*added, *removed], len(repeated) // max(1, len(changes)))
            return repeated

        check = partial(rules.check_electorate, electorate=Electorate.ACCOUNTS)
        return self._context.change_election(actor, name, check, change, check_revision)

    def launch(
        self,
        actor: User,
        name: str,
        *,
        allow_edit: bool,
        check_revision: RevisionCheck = any_revision,
    ) -> Election:
        """Open an election for votes, and commit to the secret that will break ties."""
        random = [
            (self._context.random(32), self._context.random(12)) for _ in range(MAX_QUESTIONS)
        ]

        def change(_: PollBook, me: User, election: Election) -> Sequence[EventData]:
            roll = self._context.book.record(election).roll.values()
            is_weighted, others = any(voter.votes > 1 for voter in roll), self._others(election)
            now, ballot_key = self._context.clock(), self._context.keys.ballot_key
            rules.check_launch(me, election, now, is_weighted=is_weighted, others=others)
            return [
                events.ElectionLaunched(
                    name=each.name,
                    allow_edit=allow_edit,
                    tie_commitment=compute_commitment(secret),
                    tie_sealed=ballot_key.seal_secret(each.election_id, secret, iv=iv),
                    is_weighted=is_weighted,
                )
                for each, (secret, iv) in zip([election, *others], random, strict=False)
            ]

        return self._context.change_election(
            actor, name, rules.check_manager, change, check_revision
        )

    def lock(
        self, actor: User, name: str, check_revision: RevisionCheck = any_revision
    ) -> Election:
        """Lock an open election: nothing can be edited anymore, and ballots are final."""
        return self._context.change_election(
            actor,
            name,
            rules.check_lock,
            lambda _, __, election: self.repeat(election, [events.ElectionFixed(election.name)]),
            check_revision,
        )

    def close(
        self, actor: User | None, name: str, check_revision: RevisionCheck = any_revision
    ) -> Election:
        """Close an election and sign its ballots. No actor: its closing time has passed."""

        def decide(read: PollBook) -> Sequence[EventData]:
            me, election = reload_user(read, actor) if actor else None, read.get_election(name)
            now = self._context.clock()
            rules.check_close(me, election, now)
            check_revision(election.revision)
            # At the closing time, each question is closed by the first person who looks at it.
            others = [each for each in self._others(election) if each.allow_vote]
            return [self._finalize(each, now) for each in [election, *others]]

        self._context.bus.execute(actor.name if actor else SYSTEM_ACTOR, decide)
        return self._context.read.get_election(name)

    def _finalize(self, election: Election, now: datetime) -> events.ElectionFinalized:
        book, keys = self._context.book, self._context.keys
        statement = closing_statement(book, book.record(election), keys, now.isoformat())
        signed = canonical_json(statement).decode()
        return events.ElectionFinalized(election.name, signed, keys.signer.sign(statement))

    def transfer(
        self, actor: User, name: str, to: str, check_revision: RevisionCheck = any_revision
    ) -> Election:
        """Make another user the owner of an election."""

        def change(read: PollBook, me: User, election: Election) -> Sequence[EventData]:
            new_owner = read.find_user(to)
            if new_owner is None:
                raise InvalidInput({"owner": f"There is no user {quote(to)}."})
            rules.check_transfer(me, election, new_owner)
            if is_same_name(new_owner.name, election.owner_name):
                return []
            names = election.owner_name, new_owner.name
            return self.repeat(election, [events.ElectionOwnerChanged(election.name, *names)])

        return self._context.change_election(
            actor, name, rules.check_delete, change, check_revision
        )

    def share_result(self, actor: User, name: str, *, is_public: bool) -> Election:
        """Let everyone with the link see the final result without an account, or no longer."""

        def change(_: PollBook, __: User, election: Election) -> Sequence[EventData]:
            rules.check_shared(election)
            if election.is_public == is_public:
                return []
            return self.repeat(election, [events.ElectionResultShared(election.name, is_public)])

        return self._context.change_election(actor, name, rules.check_manager, change)

    def set_managers(
        self,
        actor: User,
        name: str,
        people: Sequence[str],
        check_revision: RevisionCheck = any_revision,
    ) -> Election:
        """Replace the managers, and write to the new ones. `people` are addresses or user names."""
        added: list[User] = []

        def change(read: PollBook, _: User, election: Election) -> Sequence[EventData]:
            rules.check_shared(election)
            found = [_get_manager(read, election, each) for each in people]
            by_id = {str(user.user_id): user for user in found}
            managers = sorted(by_id)
            added[:] = [by_id[each] for each in managers if each not in election.managers]
            if len(managers) > MAX_MANAGERS:
                message = f"An election can have at most {MAX_MANAGERS} managers."
                raise InvalidInput({"managers": message})
            if managers == election.managers:
                return []
            changed = events.ElectionManagersChanged(election.name, tuple(managers))
            return self.repeat(election, [changed])

        election = self._context.change_election(
            actor, name, rules.check_owner, change, check_revision
        )
        urls, title = self._context.urls, rules.title_of(election)
        is_limited = not has_permission(actor.role, Permission.MANAGE_USERS)
        author = Author(str(actor.user_id), has_daily_limit=is_limited)
        for user in added:
            text = MANAGER_TEXT.format(
                user.name, election.owner_name, title, urls.absolute(urls.election(election))
            )
            subject = f"You manage “{title}”"[:MAX_SUBJECT_LENGTH]
            with suppress(InvalidEmail):
                email = Email(user.email, subject, text)
                self._context.mail.send(email, self._context.clock(), author)
        return election

    def set_notes(self, actor: User, name: str, notes: str) -> Election:
        """Set the notes that only the owner and the managers see, in any state."""
        text = clean_markdown(notes, "notes", MAX_NOTES)

        def change(_: PollBook, __: User, election: Election) -> Sequence[EventData]:
            is_same = self._context.book.record(election).notes == text
            return [] if is_same else [events.ElectionNoted(election.name, text)]

        return self._context.change_election(actor, name, rules.check_manager, change)

    def loses_votes(self, election: Election) -> bool:
        """Return whether ballots or a signed result would be deleted with an election."""
        book = self._context.book
        deleted = [election, *self._others(election)]
        return any(each.statement or book.record(each).ballots for each in deleted)

    def delete(self, actor: User, name: str, check_revision: RevisionCheck = any_revision) -> None:
        """Delete an election with its ballots, and all other questions if it is the first one.

        A closed one leaves a signed statement.
        """

        def decide(read: PollBook) -> Sequence[EventData]:
            me, election = reload_user(read, actor), read.get_election(name)
            rules.check_delete(me, election)
            check_revision(election.revision)
            return [self._delete(me, each) for each in [*self._others(election), election]]

        self._context.execute(actor, decide)

    def _delete(self, me: User, election: Election) -> events.ElectionDeleted:
        closing = get_closing(election, self._context.keys)
        if closing is None:
            return events.ElectionDeleted(name=election.name)
        now = self._context.clock().isoformat()
        statement = create_deletion(closing["statement"], me.name, now)
        signature = self._context.keys.signer.sign_deletion(statement)
        signed = canonical_json(statement).decode()
        return events.ElectionDeleted(election.name, signed, signature)


def change_electorate(election: Election, electorate: Electorate) -> list[EventData]:
    """Return the event that lets other people vote, if they could not before."""
    is_same = election.electorate is electorate
    return [] if is_same else [events.ElectorateChanged(election.name, electorate)]


def _share(settings: events.ElectionUpdated, others: Sequence[Election]) -> list[EventData]:
    """Return the settings of the other questions on a ballot, with what all have in common."""
    shared: dict[str, Any] = {each: getattr(settings, each) for each in SHARED}
    edited = [msgspec.structs.replace(settings_of(each), **shared) for each in others]
    return [new for new, each in zip(edited, others, strict=True) if new != settings_of(each)]


def _find_year(name: str) -> list[str]:
    return re.findall(r"\b20\d\d\b", name)[-1:]


def _get_manager(read: PollBook, election: Election, who: str) -> User:
    user = read.find_user_by_email(who) if "@" in who else read.find_user(who)
    if user is None:
        message = f"No one here has the account {quote(who)}. Ask them to register first."
    elif is_same_name(user.name, election.owner_name):
        message = f"{quote(who)} owns this election already."
    elif not rules.can_own(user):
        role = ROLE_NAMES[user.role].lower()
        message = f"{quote(who)} can’t manage elections: their role is {role}."
    else:
        return user
    raise InvalidInput({"managers": message})


def _copy_voters(
    read: PollBook, record: ElectionRecord, new: str, *, replace_links: bool = True
) -> list[EventData]:
    if record.election.electorate is Electorate.ROLL:
        roll = [
            replace(voter, generation="0") if replace_links else voter
            for voter in record.roll.values()
        ]
        check_size(roll)
        return [events.RollVotersAdded(new, chunk) for chunk in chunks(roll)]
    names = [each for each in read.voters(record.election) if not is_removed_user(each)]
    check_size(names)
    return [events.VotersAdded(new, chunk) for chunk in chunks(names)]


def _check_available(read: PollBook, name: str) -> None:
    if read.find_election(name) is not None:
        raise AlreadyExists(
            {"name": f"There is already an election named {quote(name)}. Choose another name."}
        )


def _get_voters(read: PollBook, names: Sequence[str]) -> list[str]:
    """Return the names as their users spell them. Raise if any is unknown or may not vote."""
    users = {name: read.find_user(name) for name in names}
    unknown = [name for name, user in users.items() if user is None]
    if unknown:
        message = (
            f"No one is registered as {quote_names(unknown)}. Ask them to register first, or leave "
            "them out."
        )
        raise InvalidInput({"voters": message})
    found = [user for user in users.values() if user is not None]
    check_listed_voters(found)
    return [user.name for user in found]


def check_size(names: Sequence[object], times: int = 1) -> None:
    """Raise InvalidInput if the events of a command would be too large for one transaction."""
    if len(msgspec.json.encode(names)) * times > MAX_NAMES_BYTES:
        message = f"{len(names):,} names are too many to change at once. Change the list in steps."
        raise InvalidInput({"": message})


def chunks(names: Sequence[T], size: int = NAMES_PER_EVENT) -> list[tuple[T, ...]]:
    """Return the names in parts that fit into an event each."""
    return [tuple(names[start : start + size]) for start in range(0, len(names), size)]
