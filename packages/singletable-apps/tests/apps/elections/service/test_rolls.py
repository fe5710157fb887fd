"""Voters without accounts: the roll, personal links, weights, e-mails, and what attackers learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import Engine
from singletable_apps.elections.archive import verify_log
from singletable_apps.elections.entities import (
    Election,
    Electorate,
    Publication,
    RollNumber,
    State,
    User,
    votes,
)
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.events import event_log
from singletable_apps.elections.log_state import ElectionRecord
from singletable_apps.elections.poll_book import LinkVoter
from singletable_apps.elections.proofs import checker
from singletable_apps.elections.proofs.documents import Receipt
from singletable_apps.elections.proofs.verification import verify_receipt
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.emails import EmailPurpose, EmailText
from singletable_apps.elections.rules.roll import FIELDS, RollLine, parse_roll, split_text
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.service.people import set_email
from singletable_apps.elections.service.rolls import RollEdit, compare_roll
from singletable_apps.shared import outbox
from singletable_apps.shared.accounts import NotSignedIn, expiring
from singletable_apps.shared.errors import InvalidInput, NotFound, RequestRejected
from singletable_apps.shared.mail import EmailDelivery, MailNotSent
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.elections.rules.factories import election
from tests.apps.support.elections.world import World, ballot, dump_items
from tests.apps.support.mailbox import Mailbox, deliver

CLUB = "Club"
PEOPLE = ("Cleo", "Dan", "Eve", "Finn")


class Club:
    """An owner, Ada, and an election with a roll."""

    def __init__(self, *people: str, weights: Sequence[int] = (), **terms: object) -> None:
        self.world, self.mailbox = World(Engine.in_memory()), Mailbox()
        self.world.service = self.world.open(
            emails=EmailDelivery(self.mailbox), confirm_registrations=True
        )
        self.service = self.world.service
        [self.ada] = self.world.register("Ada")
        settings = ElectionSettings(**{"electorate": Electorate.ROLL, **terms})  # type: ignore[arg-type]
        self.service.lifecycle.create(self.ada, CLUB, settings)
        self.service.lifecycle.set_candidates(self.ada, CLUB, ["Red", "Green", "Blue"])
        if people:
            padded = [*weights, *[1] * (len(people) - len(weights))]
            rows = [
                f"{name},{name.lower()}@example.org,,{weight}"
                for name, weight in zip(people, padded, strict=True)
            ]
            self.save("\n".join(rows))

    def save(self, text: str, *, replaces: bool = False) -> Election:
        lines = parse_roll(split_text(text)).lines
        return self.service.rolls.save(self.ada, CLUB, lines, replaces=replaces)

    def launch(self, *, allow_edit: bool = True) -> None:
        self.service.lifecycle.launch(self.ada, CLUB, allow_edit=allow_edit)

    def close(self) -> None:
        self.service.lifecycle.close(self.ada, CLUB)

    @property
    def election(self) -> Election:
        return self.service.context.read.get_election(CLUB)

    def code(self, name: str) -> str:
        record = self.service.context.book.record(self.election)
        [voter] = [each for each in record.roll.values() if each.name == name]
        return self.service.rolls.code(self.election, voter)

    def voter(self, name: str) -> LinkVoter:
        return self.service.rolls.open_link(self.code(name))[1]

    def vote(self, name: str, *best_first: str, key: str = "1") -> Receipt:
        cast = self.service.voting.cast(self.voter(name), CLUB, ballot(*best_first), key)
        return cast.receipt

    def ranking(self, name: str) -> tuple[tuple[str, ...], ...] | None:
        book = self.service.context.book
        cast = book.ballot(book.record(self.election), self.voter(name).entry.voter_id)
        return None if cast is None else cast.content.ranking.levels

    def deliver(self) -> list[tuple[str, str]]:
        self.mailbox.emails.clear()
        self.service.rolls.note_ends()
        deliver(self.service)
        self.mailbox.emails.sort(key=lambda email: email.to)
        return [(email.to.partition("@")[0], email.subject) for email in self.mailbox.emails]


@pytest.fixture
def club() -> Club:
    """Return an open secret election with four voters."""
    club = Club(*PEOPLE, secret_ballot=True)
    club.launch()
    return club


# The roll.


def test_secret_election_has_a_roll_by_default_which_must_not_be_empty() -> None:
    club = Club(secret_ballot=True, electorate=None)
    assert club.election.electorate is Electorate.ROLL
    with pytest.raises(WrongState, match="the roll is empty"):
        club.launch()


def test_saving_adds_changes_and_removes_and_keeps_numbers(club: Club) -> None:
    before = club.code("Dan")
    club.save("Dan <DAN@example.org>\nGus <gus@example.org>\ncleo@example.org", replaces=True)
    rows = club.service.rolls.rows(club.ada, CLUB)
    assert [(row.voter.name, row.voter.number) for row in rows] == [
        ("Cleo", "1"),
        ("Dan", "2"),
        ("Gus", "5"),
    ]
    assert club.code("Dan") == before
    assert club.election.voter_count == 3


def test_voter_who_has_voted_can_not_be_removed_or_reweighted(club: Club) -> None:
    club.vote("Cleo", "Red")
    with pytest.raises(InvalidInput, match="“Cleo” has voted, and can’t be removed"):
        club.save("dan@example.org", replaces=True)
    with pytest.raises(WrongState, match="has voted"):
        club.service.rolls.remove(club.ada, CLUB, 1)
    with pytest.raises(InvalidInput, match="launched without weights"):
        club.save("dan@example.org,,2")
    club.service.rolls.remove(club.ada, CLUB, 2)
    assert club.election.voter_count == 3


def test_lists_of_user_names_and_rolls_replace_each_other_before_the_launch() -> None:
    club = Club(*PEOPLE)
    edited = club.service.lifecycle.set_voters(club.ada, CLUB, ["Ada"])
    assert (edited.electorate, edited.voter_count) == (Electorate.ACCOUNTS, 1)
    with pytest.raises(WrongState, match="no roll"):
        club.service.rolls.rows(club.ada, CLUB)
    edited = club.save("cleo@example.org")
    assert (edited.electorate, edited.voter_count) == (Electorate.ROLL, 1)
    club.launch()
    with pytest.raises(WrongState, match="can’t change while people vote"):
        club.service.lifecycle.set_voters(club.ada, CLUB, [])


# Links.


def test_voter_with_a_link_votes_changes_and_withdraws(club: Club) -> None:
    voting, cleo = club.service.voting, club.voter("Cleo")
    first = voting.cast(cleo, CLUB, ballot("Red"), "1")
    assert first.voter_name == "Cleo"
    assert voting.cast(cleo, CLUB, ballot("Red"), "1").is_repeat
    voting.cast(cleo, CLUB, ballot("Green"), "2")
    assert club.ranking("Cleo") == (("Green",),)
    voting.withdraw(cleo, CLUB)
    with pytest.raises(NotFound):
        voting.own_ballot(cleo, CLUB)
    assert club.service.queries.who_voted(club.ada, CLUB, 10) == ([], None)
    club.vote("Dan", "Blue")
    assert club.service.queries.who_voted(club.ada, CLUB, 10) == (["Dan"], None)


def test_new_link_ends_the_old_one_and_keeps_the_ballot(club: Club) -> None:
    cleo, code = club.voter("Cleo"), club.code("Cleo")
    club.vote("Cleo", "Red")
    club.service.rolls.renew_link(club.ada, CLUB, 1)
    with pytest.raises(NotFound):
        club.service.rolls.open_link(code)
    with pytest.raises(NotSignedIn):
        club.service.voting.cast(cleo, CLUB, ballot("Blue"), "2")
    assert club.ranking("Cleo") == (("Red",),)


def test_entry_can_be_edited_and_another_address_gets_another_link(club: Club) -> None:
    rolls, code = club.service.rolls, club.code("Cleo")
    rolls.edit(club.ada, CLUB, 1, {"name": " Cleo  Ray", "group": "Rowing"})
    edited = rolls.row(club.ada, CLUB, 1).voter
    assert (edited.name, edited.group, club.code("Cleo Ray")) == ("Cleo Ray", "Rowing", code)
    assert club.deliver() == []
    rolls.edit(club.ada, CLUB, 1, {"email": "CLEO@example.com"})
    assert rolls.row(club.ada, CLUB, 1).voter.email == "CLEO@example.com"
    assert [email for email, _ in club.deliver()] == ["CLEO"]
    with pytest.raises(NotFound):
        rolls.open_link(code)
    # The old address is free, and the new one is the person's.
    club.save("Gus <cleo@example.org>\nCleo Ray <cleo@example.com>")
    assert club.election.voter_count == 5
    # A card stays valid if its owner gets an address.
    rolls.edit(club.ada, CLUB, 1, {"email": ""})
    card = club.code("Cleo Ray")
    rolls.edit(club.ada, CLUB, 1, {"email": "ray@example.com"})
    assert (club.code("Cleo Ray"), [email for email, _ in club.deliver()]) == (card, ["ray"])


# People with one address: dozens of couples in a club.


def test_people_with_one_address_vote_with_a_link_each() -> None:
    club = Club()
    club.save("Cleo <both@example.org>\nDan <both@example.org>")
    club.launch()
    club.service.rolls.invite(club.ada, CLUB)
    assert [to for to, _ in club.deliver()] == ["both", "both"]
    texts = [email.text for email in club.mailbox.emails]
    assert {name: sum(club.code(name) in text for text in texts) for name in ("Cleo", "Dan")} == {
        "Cleo": 1,
        "Dan": 1,
    }
    club.vote("Cleo", "Red")
    club.vote("Dan", "Blue")
    assert (club.ranking("Cleo"), club.ranking("Dan")) == ((("Red",),), (("Blue",),))


# An account with the address could be either of them.
def test_account_votes_for_nobody_of_several_people_with_its_address() -> None:
    club = Club()
    club.save("Cleo <both@example.org>\nDan <both@example.org>")
    club.launch()
    [cleo] = club.world.register("Cleo")
    set_email(club.service.context, cleo, "both@example.org")
    cleo = club.world.reload(cleo)
    with pytest.raises(NotPermitted, match="Several people on the roll have your e-mail address"):
        club.service.voting.cast(cleo, CLUB, ballot("Red"), "1")
    club.service.rolls.remove(club.ada, CLUB, 2)
    club.service.voting.cast(cleo, CLUB, ballot("Red"), "1")
    assert club.ranking("Cleo") == (("Red",),)


def test_list_renames_nobody_and_asks_whose_address_it_is(club: Club) -> None:
    for replaces in (False, True):
        with pytest.raises(InvalidInput, match="“Cleo Ray” has the address of “Cleo”, who is on"):
            club.save("Cleo Ray <CLEO@example.org>", replaces=replaces)
    # The list has both, so they are two people.
    club.save("Cleo Ray <CLEO@example.org>\nCleo <cleo@example.org>")
    with pytest.raises(InvalidInput, match="is the address of “Cleo” and “Cleo Ray”"):
        club.save("cleo@example.org,,2")
    names = [row.voter.name for row in club.service.rolls.rows(club.ada, CLUB)]
    assert names == ["Cleo", "Cleo Ray", "Dan", "Eve", "Finn"]
    # Another notation is no other name, and an address alone gets one.
    club.save("Ray, Cleo <cleo@example.org>\nCleo <cleo@example.org>\ngus@example.org")
    club.save("Gus <gus@example.org>")
    names = [row.voter.name for row in club.service.rolls.rows(club.ada, CLUB)]
    assert names == ["Cleo", "Cleo Ray", "Dan", "Eve", "Finn", "Gus"]


NAMED = st.tuples(st.sampled_from(["Cy", "Di", "Ed"]), st.sampled_from(["a", "b"]))


@given(st.lists(st.tuples(st.lists(NAMED, min_size=1, max_size=3), st.booleans()), max_size=6))
def test_rolls_have_everyone_listed_and_keep_names_and_numbers(
    lists: list[tuple[list[tuple[str, str]], bool]],
) -> None:
    record = ElectionRecord(election(State.SETUP, electorate=Electorate.ROLL))
    model: dict[RollNumber, tuple[str, str]] = {}
    for people, replaces in lists:
        lines = [RollLine(at, name, f"{mail}@x.org") for at, (name, mail) in enumerate(people, 1)]
        joined = parse_roll([(0, FIELDS), *((1, (each.name, each.email)) for each in lines)]).lines
        change = compare_roll(record, joined, replaces=replaces)
        assert (change.changed, change.problems) == ([], [])
        record.remove_voters({each.voter_id for each in change.removed})
        record.put_on_roll(1, change.added)
        known = {number: (each.name, each.email[0]) for number, each in record.roll.items()}
        # A number is always the same person, and everyone in the list is on the roll once.
        assert all(model.setdefault(number, one) == one for number, one in known.items())
        assert len(set(known.values())) == len(known)
        assert set(known.values()) >= set(people)
        assert not replaces or set(known.values()) == set(people)
        for mail in "ab":
            found = [each.voter_id for each in record.find_by_email(f"{mail.upper()}@X.org")]
            assert sorted(found) == sorted(at for at, one in known.items() if one[1] == mail)


REJECTED_EDITS: list[tuple[RollEdit, str]] = [
    ({"name": "dan", "email": "DAN@example.org"}, "“Dan” is on the roll with this address"),
    ({"email": "x"}, "not an e-mail"),
    ({"name": " ", "email": ""}, "Enter a name, or an e-mail address"),
    ({"name": "Dan", "email": ""}, "“Dan” is on the roll already"),
    ({"weight": 2}, "launched without weights"),
    ({"weight": 0}, "whole number from 1"),
]


@pytest.mark.parametrize(("edit", "problem"), REJECTED_EDITS)
def test_invalid_edit_of_an_entry_is_rejected(club: Club, edit: RollEdit, problem: str) -> None:
    club.save("Dan")
    with pytest.raises(InvalidInput, match=problem):
        club.service.rolls.edit(club.ada, CLUB, 1, edit)


# Another name would hide who voted; an account with the new address would see the ballot.
def test_after_voting_only_the_group_changes_and_after_locking_only_the_address(club: Club) -> None:
    rolls = club.service.rolls
    club.vote("Dan", "Red")
    for edit in (RollEdit(name="X"), RollEdit(email="ada@example.org"), RollEdit(weight=2)):
        with pytest.raises(InvalidInput, match="“Dan” has voted, so the"):
            rolls.edit(club.ada, CLUB, 2, edit)
    with pytest.raises(InvalidInput, match="“Someone” has the address of “Dan”, who is on the"):
        club.save("Someone <dan@example.org>")
    rolls.edit(club.ada, CLUB, 2, {"group": "A"})
    assert rolls.row(club.ada, CLUB, 2).voter.group == "A"
    club.service.lifecycle.lock(club.ada, CLUB)
    with pytest.raises(WrongState, match="locked"):
        rolls.edit(club.ada, CLUB, 1, {"group": "A"})
    rolls.edit(club.ada, CLUB, 1, {"email": "c@example.org"})
    assert rolls.row(club.ada, CLUB, 1).voter.email == "c@example.org"
    club.close()
    with pytest.raises(WrongState, match="closed"):
        rolls.edit(club.ada, CLUB, 1, {"email": "d@example.org"})


def test_typed_code_may_have_other_case_and_lookalikes(club: Club) -> None:
    typed = club.code("Cleo").lower().replace("-", " ").replace("0", "o").replace("1", "l")
    assert club.service.rolls.open_link(typed)[1] == club.voter("Cleo")


@pytest.mark.parametrize("code", ["", "-", "0", "é" * 30, "0" * 24, "Z" * 100, "\ud800"])
def test_invalid_code_is_not_found(club: Club, code: str) -> None:
    with pytest.raises(NotFound):
        club.service.rolls.open_link(code)


def test_code_that_is_too_short_says_how_long_codes_are(club: Club) -> None:
    with pytest.raises(NotFound, match="A code has 24 letters and digits, but this one has 20"):
        club.service.rolls.open_link(club.code("Cleo")[:-5])


def test_link_says_that_its_election_was_deleted(club: Club) -> None:
    code = club.code("Cleo")
    club.close()
    club.service.lifecycle.delete(club.ada, CLUB)
    with pytest.raises(NotFound, match="The election of this link or code was deleted"):
        club.service.rolls.open_link(code)


def test_link_is_good_for_its_voter_election_and_purpose_only(club: Club) -> None:
    rolls, code = club.service.rolls, club.code("Cleo")
    other = club.code("Dan")
    for forged in (other[:10] + code[10:], code[:-1] + ("0" if code[-1] != "0" else "1")):
        with pytest.raises(NotFound):
            rolls.open_link(forged)
    with pytest.raises(NotFound):
        rolls.open_link(code, "unsubscribe")
    club.world.launch(club.ada, "Other", voters=["Ada"])
    for act in (
        lambda: club.service.voting.cast(club.voter("Cleo"), "Other", ballot("Red"), "1"),
        lambda: club.service.results.tally(club.voter("Cleo"), "Other"),
    ):
        with pytest.raises(NotSignedIn):
            act()


def test_account_with_the_confirmed_address_votes_as_the_person_on_the_roll(club: Club) -> None:
    service = club.service
    [cleo] = club.world.register("Cleo")
    with pytest.raises(NotPermitted, match="yours is not confirmed"):
        service.voting.cast(cleo, CLUB, ballot("Red"), "1")
    # Registered by a command, so nobody has confirmed the address; then by its link.
    [gus] = club.world.register("Gus")
    set_email(service.context, gus, "dan@example.org")
    dan = club.world.reload(gus)
    service.voting.cast(dan, CLUB, ballot("Red"), "1")
    assert club.ranking("Dan") == (("Red",),)
    assert service.voting.own_ballot(dan, CLUB).receipt["ranking"] == [["Red"]]
    # Owners could put their own address on the roll, and read a ballot that is cast with a card.
    club.vote("Dan", "Blue", key="2")
    with pytest.raises(NotPermitted):
        service.voting.own_ballot(dan, CLUB)
    assert service.queries.rankings(dan, CLUB) == [(c, None) for c in ("Red", "Green", "Blue")]
    assert [part.has_voted for part in service.queries.participation(dan, [club.election])] == [
        True
    ]
    assert [one.name for one in service.queries.overview(dan).voted] == [CLUB]


# Accounts are numbered from 1, and so is each roll.
def test_account_with_the_number_of_someone_on_the_roll_is_nobody_there() -> None:
    club = Club(*PEOPLE)
    club.launch()
    accounts = club.world.register("Ben", "Gus", "Hal")
    numbers = {
        each.voter_id.number
        for each in club.service.context.book.record(club.election).roll.values()
    }
    assert club.ada.user_id in numbers
    for has_voted in (False, True):
        for account in (club.ada, *accounts):
            with pytest.raises(NotPermitted):
                club.service.voting.cast(account, CLUB, ballot("Red"), "1")
            with pytest.raises((NotPermitted, NotFound)):
                club.service.voting.withdraw(account, CLUB)
            with pytest.raises(NotFound):
                club.service.voting.own_ballot(account, CLUB)
            [part] = club.service.queries.participation(account, [club.election])
            assert (part.may_vote, part.has_voted) == (False, False)
        if not has_voted:
            for name in PEOPLE:
                club.vote(name, "Blue")


# Secrecy.


def test_reader_of_tables_and_log_can_not_vote_or_learn_a_ballot(club: Club) -> None:
    club.service.rolls.invite(club.ada, CLUB)
    receipts = list[Receipt]()
    for name, choice in zip(PEOPLE, ("Red", "Green", "Blue", "Red"), strict=True):
        receipts.append(club.vote(name, choice))
    club.service.rolls.renew_link(club.ada, CLUB, 1)
    # Before and after the e-mails are sent.
    stored = list[str]()
    for _ in range(2):
        tables = (votes, event_log, expiring)
        stored += [item for table in tables for item in dump_items(club.world.driver, table)]
        club.deliver()
    text = "".join(filter(str.isalnum, "\n".join(stored))).upper()
    for name in PEOPLE:
        assert club.code(name).replace("-", "")[8:] not in text
    for receipt in receipts:
        assert receipt["confirmation"].upper() not in text
        assert receipt["nonce"].upper() not in text
    beside = [item for item in stored if "voter@" in item or "Cleo" in item]
    assert beside
    assert not [item for item in beside for color in ("Red", "Green", "Blue") if color in item]


ROLES = [Role.OBSERVER, Role.USER, Role.ADMIN, Role.AUDITOR, Role.OWNER]


@pytest.mark.parametrize("role", [*ROLES, None])
@pytest.mark.parametrize("publication", Publication)
def test_two_secret_ballots_are_shown_to_nobody(
    role: Role | None, publication: Publication
) -> None:
    """The attacker has a role, or is the voter who did not vote (None)."""
    club = Club(*PEOPLE, secret_ballot=True, publication=publication)
    club.launch()
    receipt = club.vote("Cleo", "Red")
    club.vote("Dan", "Red", "Blue")
    club.close()
    viewer: User | LinkVoter = club.ada
    if role is None:
        viewer = club.voter("Eve")
    elif role is not Role.OWNER:
        [viewer] = club.world.register("Mallory")
        club.service.people.change_role(club.ada, "Mallory", role)
        viewer = club.world.reload(viewer)
    results = club.service.results
    for act in (
        lambda: results.tally(viewer, CLUB),
        lambda: results.tallies(viewer, CLUB),
        lambda: results.rankings(viewer, CLUB),
        lambda: results.ballots(viewer, CLUB),
        lambda: results.export_ballots(viewer, CLUB, "rctab"),
        lambda: results.published(viewer, CLUB),
    ):
        with pytest.raises(WrongState, match="Fewer than 3 people"):
            act()
    # The rankings of two people could be guessed from a digest of them.
    statement = club.election.statement or ""
    assert '"rankings":null' in statement
    # Voters still see that their own ballot was counted.
    code = receipt["confirmation"]
    assert results.find_outcome(club.election.election_id, code) == "counted since"


@pytest.mark.parametrize("ballots", [0, 3])
def test_no_ballots_or_three_are_counted(club: Club, ballots: int) -> None:
    for name in PEOPLE[:ballots]:
        club.vote(name, "Red")
    club.close()
    tally = club.service.results.tally(club.voter("Finn"), CLUB)
    assert (tally.ballots_cast, tally.is_unanimous) == (ballots, ballots == 3)


# Weights.


@pytest.mark.parametrize("secret", [True, False])
def test_weights_are_counted_signed_and_checked(secret: bool) -> None:
    club = Club(*PEOPLE, weights=[5], secret_ballot=secret)
    club.launch()
    receipt = club.vote("Cleo", "Blue")
    for name in PEOPLE[1:]:
        club.vote(name, "Red", "Green")
    club.close()
    tally = club.service.results.tally(club.ada, CLUB)
    assert tally.result.winners == ("Blue",)
    assert tally.closing is not None
    assert tally.closing["statement"].get("weight") == 8
    assert receipt.get("weight") == 5
    assert all(finding.ok for finding in verify_receipt(receipt))
    for forged in ({**receipt, "weight": 6}, {k: v for k, v in receipt.items() if k != "weight"}):
        assert not all(finding.ok for finding in checker.check_receipt(forged, None))
    published = club.service.results.published(club.ada, CLUB)
    assert all(finding.ok for finding in checker.check_publication(published, None))
    assert (published["ballots"] is None) == secret
    for one in published["ballots"] or ():
        one["weight"] = 4
        assert not all(each.ok for each in checker.check_publication(published, None))


def test_table_matches_the_log_after_everything(club: Club) -> None:
    club.vote("Cleo", "Red")
    club.service.rolls.renew_link(club.ada, CLUB, 2)
    club.service.rolls.remove(club.ada, CLUB, 3)
    club.service.lifecycle.edit(club.ada, CLUB, {"name": "Board"})
    report = verify_log(club.service.context.store, club.service.context.keys)
    assert not report.differences


# E-mails.


def test_invitations_and_reminders_reach_each_person_once(club: Club) -> None:
    rolls, clock = club.service.rolls, club.world.clock
    assert rolls.invite(club.ada, CLUB) == 4
    assert rolls.invite(club.ada, CLUB) == 0
    assert club.deliver() == [(name.lower(), f"Vote in {CLUB}") for name in PEOPLE]
    for name, email in zip(PEOPLE, club.mailbox.emails, strict=True):
        assert club.code(name) in email.text
    club.vote("Cleo", "Red")
    assert club.deliver() == [("cleo", f"Your ballot in {CLUB}")]
    assert (rolls.remind(club.ada, CLUB), rolls.remind(club.ada, CLUB)) == (3, 0)
    assert [to for to, _ in club.deliver()] == ["dan", "eve", "finn"]
    unsubscribe = club.mailbox.emails[0].unsubscribe
    rolls.unsubscribe(unsubscribe.rpartition("/")[2])
    clock.advance(days=1)
    rolls.remind(club.ada, CLUB)
    assert [to for to, _ in club.deliver()] == ["eve", "finn"]


def test_bounced_invitation_is_shown_and_sent_again(club: Club) -> None:
    club.mailbox.error = MailNotSent("550 no such user", is_temporary=False)
    club.service.rolls.invite(club.ada, CLUB)
    club.deliver()
    row = club.service.rolls.rows(club.ada, CLUB)[0]
    assert row.invitation is not None
    assert ("550 no such user" in row.invitation.problem, row.is_invited) == (True, False)
    assert club.service.rolls.remind(club.ada, CLUB) == 0
    club.mailbox.error = None
    assert club.service.rolls.invite(club.ada, CLUB) == 4
    assert len(club.deliver()) == 4


def test_bounced_reminder_is_shown_until_another_invitation_is_sent(club: Club) -> None:
    rolls, clock = club.service.rolls, club.world.clock
    rolls.invite(club.ada, CLUB)
    club.deliver()
    clock.advance(days=1)
    club.mailbox.error = MailNotSent("552 mailbox full", is_temporary=False)
    rolls.remind(club.ada, CLUB)
    club.deliver()
    row = rolls.row(club.ada, CLUB, 1)
    assert row.bounced is not None
    assert row.bounced.problem == "552 mailbox full"
    club.mailbox.error = None
    clock.advance(minutes=1)
    rolls.edit(club.ada, CLUB, 1, {"email": "cleo@example.com"})
    assert rolls.row(club.ada, CLUB, 1).bounced is None


# Owners can print codes before people vote, and could withdraw their ballots with them.
def test_voter_is_told_of_a_withdrawn_ballot(club: Club) -> None:
    club.vote("Cleo", "Red")
    club.deliver()
    club.service.voting.withdraw(club.voter("Cleo"), CLUB)
    assert club.deliver() == [("cleo", f"Your ballot in {CLUB} was withdrawn")]
    assert club.code("Cleo") in club.mailbox.emails[0].text


def test_notices_are_sent_when_voting_opens_and_closes() -> None:
    start = World(Engine.in_memory()).clock()
    club = Club(
        *PEOPLE,
        no_voting_before=start + timedelta(days=1),
        no_voting_after=start + timedelta(days=2),
    )
    club.launch()
    club.service.rolls.invite(club.ada, CLUB)
    assert len(club.deliver()) == 4
    club.world.clock.advance(days=1)
    assert club.deliver() == [(name.lower(), f"Voting is open: {CLUB}") for name in PEOPLE]
    assert club.deliver() == []
    club.world.clock.advance(days=1)
    club.deliver()
    assert club.election.statement is not None
    assert club.deliver() == [(name.lower(), f"{CLUB} has closed") for name in PEOPLE]


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        (EmailText("Hi {nam}", "{link}"), "subject", "{nam} is not a placeholder"),
        (EmailText("Hi {link}", "{link}"), "subject", "{link} is not a placeholder"),
        (EmailText("Hi", "Hello {name}"), "text", "Add {link}"),
        (EmailText("Hi", "{link} {unsubscribe}"), "text", "{unsubscribe} is not"),
        (EmailText("", "{link}"), "subject", "empty"),
        (EmailText("a\nb", "{link}"), "subject", "one line"),
    ],
)
def test_email_text_that_can_not_be_sent_is_rejected(
    club: Club, text: EmailText, field: str, message: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        club.service.rolls.set_email_text(club.ada, CLUB, EmailPurpose.INVITATION, text)
    assert message in caught.value.errors[field]


def test_owner_writes_the_text(club: Club) -> None:
    text = EmailText("To {name}", "In {election}: {link}, {closes}")
    club.service.rolls.set_email_text(club.ada, CLUB, EmailPurpose.INVITATION, text)
    club.service.rolls.invite(club.ada, CLUB)
    assert club.deliver()[0] == ("cleo", "To Cleo")
    assert club.mailbox.emails[0].text.startswith("In Club: http")


def test_invitation_to_one_question_asks_it() -> None:
    club = Club("Cleo")
    club.service.lifecycle.describe(club.ada, CLUB, "Who leads?", "")
    club.launch()
    club.service.rolls.invite(club.ada, CLUB)
    club.deliver()
    assert "in “Club”:\n\nWho leads?\n\nThis" in club.mailbox.emails[0].text


def test_many_voters_are_saved_and_invited_in_few_requests() -> None:
    club = Club()
    texts = [f"v{number}@example.org" for number in range(2_000)]

    def count(act: Callable[[], object]) -> int:
        club.world.calls.clear()
        act()
        return sum(len(call.requests) for call in club.world.calls)

    assert count(lambda: club.save("\n".join(texts))) < 80
    assert club.election.voter_count == 2_000
    club.launch()
    assert count(lambda: club.service.rolls.invite(club.ada, CLUB)) < 80
    with pytest.raises(RequestRejected):
        club.save("\n".join(f"w{number}@example.org" for number in range(9_000)))


def test_casting_reads_only_the_receipts_of_the_voter(club: Club) -> None:
    """Queueing a receipt among 10,000 invitations would read all of them."""
    club.service.rolls.invite(club.ada, CLUB)
    club.vote("Cleo", "Red")
    election_id, queue = club.election.election_id, club.service.context.mail
    assert len([*queue.deliveries(str(election_id))]) == len(PEOPLE)
    assert len([*queue.deliveries(f"{election_id}-1")]) == 1


# A member could flood the mailbox of a stranger with sixty requests.
def test_renewed_links_do_not_flood_a_mailbox(club: Club) -> None:
    for _ in range(60):
        club.service.rolls.renew_link(club.ada, CLUB, 1)
    club.deliver()
    assert len(club.mailbox.emails) == outbox.PER_HOUR


def test_member_invites_a_limited_number_of_people_in_a_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outbox, "PER_AUTHOR", 3)
    club = Club()
    [ben] = club.world.register("Ben")
    rolls, lifecycle = club.service.rolls, club.service.lifecycle
    lifecycle.create(ben, "Tea", ElectionSettings(electorate=Electorate.ROLL))
    lifecycle.set_candidates(ben, "Tea", ["Red", "Green"])
    lines = parse_roll(split_text("\n".join(f"v{number}@example.org" for number in range(5)))).lines
    rolls.save(ben, "Tea", lines, replaces=False)
    lifecycle.launch(ben, "Tea", allow_edit=True)
    assert rolls.invite(ben, "Tea") == 3
    # The others are invited by an administrator, such as Ada.
    lifecycle.set_managers(ben, "Tea", ["Ada"])
    assert rolls.invite(club.ada, "Tea") == 2
