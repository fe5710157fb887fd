"""Several questions on one ballot, managers, notes, and pictures of candidates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from singletable_apps.elections.entities import RollNumber, State, User
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.poll_book import LinkVoter
from singletable_apps.elections.rules.elections import state_of
from singletable_apps.elections.rules.emails import EmailPurpose, EmailText
from singletable_apps.elections.rules.roll import RollLine
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.service.lifecycle import MAX_QUESTIONS, Lifecycle
from singletable_apps.shared.errors import AlreadyExists, InvalidInput
from singletable_apps.shared.outbox import QueuedEmail
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.support.elections.checks import expect_rejection
from tests.apps.support.elections.scenario import make_image
from tests.apps.support.elections.world import World, ballot, open_store, read_events
from tests.apps.support.mailbox import read_outbox

PEOPLE = [RollLine(1, name, f"{name}@example.org") for name in ("Cleo", "Dan", "Eve")]


@pytest.fixture
def ada(memory: World) -> User:
    """Create a secret election with a roll, and a second question on its ballot."""
    ada, _, _ = memory.register("Ada", "Ben", "Carol")
    lifecycle = memory.service.lifecycle
    lifecycle.create(ada, "Board", ElectionSettings(secret_ballot=True))
    memory.service.rolls.save(ada, "Board", PEOPLE[:2], replaces=True)
    lifecycle.add_question(ada, "Board", "Budget")
    for name in ("Board", "Budget"):
        lifecycle.set_candidates(ada, name, ["Red", "Green"])
    return ada


def _states(world: World) -> set[State]:
    get = world.service.context.read.get_election
    return {state_of(get(name)) for name in ("Board", "Budget")}


def _voter(world: World, election: str, number: int) -> LinkVoter:
    service = world.service
    found = service.context.read.get_election(election)
    entry = service.context.book.record(found).roll[RollNumber(number)]
    return service.rolls.open_link(service.rolls.code(found, entry))[1]


def _vote(world: World, election: str, number: int, choice: str = "Red") -> None:
    voter, key = _voter(world, election, number), f"{election} {number} {choice}"
    world.service.voting.cast(voter, election, ballot(choice), key)


def test_questions_share_voters_settings_launch_and_close(memory: World, ada: User) -> None:
    service = memory.service
    lifecycle, rolls, record = service.lifecycle, service.rolls, service.context.book.record
    opens = memory.clock.now + timedelta(hours=1)
    lifecycle.edit(ada, "Board", {"no_voting_before": opens})
    rolls.save(ada, "Board", PEOPLE, replaces=False)
    lifecycle.launch(ada, "Board", allow_edit=True)
    rolls.renew_link(ada, "Board", 1)
    rolls.remove(ada, "Board", 2)
    board, budget = map(service.context.read.get_election, ("Board", "Budget"))
    assert record(board).roll == record(budget).roll
    assert [each.generation for each in record(budget).roll.values()] == ["1", "0"]
    assert budget.no_voting_before == opens
    assert board.tie_commitment != budget.tie_commitment
    memory.clock.advance(hours=2)
    for name in ("Board", "Budget"):
        for number in (1, 3):
            _vote(memory, name, number)
    lifecycle.lock(ada, "Board")
    assert _states(memory) == {State.FIXED}
    lifecycle.close(ada, "Board")
    assert _states(memory) == {State.CLOSED}
    lifecycle.delete(ada, "Board")
    assert service.context.read.find_election("Budget") is None


def test_each_question_closes_at_the_closing_time(memory: World, ada: User) -> None:
    lifecycle = memory.service.lifecycle
    ends = memory.clock.now + timedelta(hours=1)
    lifecycle.edit(ada, "Board", {"no_voting_after": ends})
    lifecycle.launch(ada, "Board", allow_edit=True)
    memory.clock.advance(hours=2)
    for name in ("Budget", "Board"):
        memory.service.results.close_if_due(name)
    assert _states(memory) == {State.CLOSED}


def test_people_who_answered_one_question_stay_on_the_roll(memory: World, ada: User) -> None:
    memory.service.lifecycle.launch(ada, "Board", allow_edit=True)
    _vote(memory, "Budget", 1)
    rolls = memory.service.rolls
    expect_rejection(memory, WrongState, lambda: rolls.remove(ada, "Board", 1))
    assert [row.has_voted for row in rolls.rows(ada, "Board")] == [True, False]


def _emails(world: World, purpose: str) -> list[QueuedEmail]:
    queued = open_store(world.driver).query(QueuedEmail.key.partition())
    return [each for each in queued if each.purpose.startswith(purpose)]


def test_ballot_has_one_name_and_reminders_until_all_is_answered(memory: World, ada: User) -> None:
    lifecycle, rolls = memory.service.lifecycle, memory.service.rolls
    lifecycle.edit(ada, "Board", {"ballot_name": " Meeting  2027 ", "quorum": "50%"})
    lifecycle.launch(ada, "Board", allow_edit=True)
    rolls.invite(ada, "Board")
    _vote(memory, "Board", 1)
    [cleo, _] = rolls.rows(ada, "Board")
    assert (cleo.has_voted, cleo.is_partial, cleo.is_done) == (True, True, False)
    assert memory.service.queries.turnout(ada, "Budget").partly == 1
    assert rolls.remind(ada, "Board") == 2
    _vote(memory, "Budget", 1)
    assert memory.service.queries.turnout(ada, "Budget").partly == 0
    memory.clock.advance(days=1)
    assert rolls.remind(ada, "Board") == 1
    assert [each.subject for each in _emails(memory, "receipt")] == [
        "Part of your ballot in Meeting 2027 is in",
        "Your ballot in Meeting 2027",
    ]
    _vote(memory, "Budget", 1, "Green")
    assert len(_emails(memory, "receipt")) == 3
    memory.service.voting.withdraw(_voter(memory, "Budget", 1), "Budget")
    [withdrawn] = _emails(memory, "withdrawal")
    assert withdrawn.subject == "Part of your ballot in Meeting 2027 was withdrawn"
    assert memory.service.context.read.get_election("Budget").quorum == "50%"


@pytest.mark.parametrize("purpose", [EmailPurpose.RECEIPT, EmailPurpose.REMINDER])
@pytest.mark.parametrize("own", [None, EmailText("News", "Your ballot {link}")])
def test_emails_name_the_questions_left(
    memory: World, ada: User, purpose: EmailPurpose, own: EmailText | None
) -> None:
    rolls = memory.service.rolls
    if own is not None:
        rolls.set_email_text(ada, "Board", purpose, own)
    memory.service.lifecycle.launch(ada, "Board", allow_edit=False)
    rolls.invite(ada, "Board")
    _vote(memory, "Board", 1)
    rolls.remind(ada, "Board")
    [text] = [each.text for each in _emails(memory, purpose) if each.recipient == "1"]
    assert "Still to answer: “Budget”." in text
    assert "{link}" in text
    assert text.startswith("Your ballot") == (own is not None and purpose is EmailPurpose.RECEIPT)
    others = [each.text for each in _emails(memory, purpose) if each.recipient == "2"]
    assert "Still to answer" not in "".join(others)


def test_invitation_names_the_owner_and_the_questions(memory: World, ada: User) -> None:
    memory.service.lifecycle.describe(ada, "Board", "Who leads?", "")
    memory.service.lifecycle.launch(ada, "Board", allow_edit=False)
    memory.service.rolls.invite(ada, "Board")
    text = next(each.text for each in _emails(memory, EmailPurpose.INVITATION))
    assert "Ada invites you to vote in “Board”:\n\n- Board: Who leads?\n- Budget\n" in text


def test_copy_has_all_questions_with_names_of_their_own(memory: World, ada: User) -> None:
    lifecycle, book = memory.service.lifecycle, memory.service.context.book
    lifecycle.edit(ada, "Board", {"ballot_name": "Meeting", "quorum": "1"})
    copied = lifecycle.copy(ada, "Budget", "Board 2", with_voters=True)
    again = lifecycle.copy(ada, "Board 2", "Board 2027")
    third = lifecycle.copy(ada, "Board 2027", "Board 3")
    for election, names, people in (
        (copied, ["Board 2", "Budget (2)"], 2),
        (again, ["Board 2027", "Budget (2027)"], 0),
        (third, ["Board 3", "Budget (3)"], 0),
    ):
        questions = book.questions(election)
        assert [each.name for each in questions] == names
        assert {each.ballot_name for each in questions} == {names[0]}
        assert {each.candidate_count for each in questions} == {2}
        assert {each.voter_count for each in questions} == {people}
    expect_rejection(memory, AlreadyExists, lambda: lifecycle.copy(ada, "Board", "Board 2"))


Step = Callable[[Lifecycle, User], object]
AT_THE_FIRST: dict[str, Step] = {
    "launch": lambda s, u: s.launch(u, "Budget", allow_edit=True),
    "voters": lambda s, u: s.set_voters(u, "Budget", ["Ada"]),
    "secrecy": lambda s, u: s.edit(u, "Budget", {"secret_ballot": False}),
    "question": lambda s, u: s.add_question(u, "Budget", "Third"),
    "public": lambda s, u: s.share_result(u, "Budget", is_public=True),
    "managers": lambda s, u: s.set_managers(u, "Budget", ["Ben"]),
}


@pytest.mark.parametrize("step", AT_THE_FIRST)
def test_what_is_shared_is_changed_at_the_first_question(
    memory: World, ada: User, step: str
) -> None:
    command = AT_THE_FIRST[step]
    error = expect_rejection(memory, WrongState, lambda: command(memory.service.lifecycle, ada))
    assert "first question" in str(error)


def test_launch_needs_candidates_for_every_question(memory: World, ada: User) -> None:
    lifecycle = memory.service.lifecycle
    lifecycle.set_candidates(ada, "Budget", ["Red"])
    launch = lambda: lifecycle.launch(ada, "Board", allow_edit=True)  # noqa: E731
    assert "“Budget”: Add at least 2" in str(expect_rejection(memory, WrongState, launch))
    for number in range(MAX_QUESTIONS - 2):
        lifecycle.add_question(ada, "Board", f"Question {number}")
    expect_rejection(memory, InvalidInput, lambda: lifecycle.add_question(ada, "Board", "Last"))


def test_managers_are_found_by_address_and_act_on_all_questions(memory: World, ada: User) -> None:
    lifecycle, read = memory.service.lifecycle, memory.service.context.read
    for _ in range(2):  # the second time, nobody is new
        lifecycle.set_managers(ada, "Board", ["ben@example.org", "Carol"])
    emails = read_outbox(memory.service)
    assert sorted(email.to for email in emails) == ["ben@example.org", "carol@example.org"]
    assert "Ada made you a manager of “Board”" in emails[0].text
    assert "/elections/e/Board" in emails[0].text
    memory.service.people.rename(ada, "Ben", "Benno")
    ben = read.get_user("Benno")
    lifecycle.set_candidates(ben, "Budget", ["Red", "Blue"])
    lifecycle.launch(ben, "Board", allow_edit=True)
    assert [each.name for each in memory.service.queries.overview(ben).own] == ["Board", "Budget"]
    for command in (
        lambda: lifecycle.delete(ben, "Budget"),
        lambda: lifecycle.transfer(ben, "Board", "Carol"),
        lambda: lifecycle.set_managers(ben, "Board", []),
    ):
        expect_rejection(memory, NotPermitted, command)
    lifecycle.set_managers(ada, "Board", [])
    expect_rejection(memory, NotPermitted, lambda: lifecycle.lock(ben, "Board"))


@pytest.mark.parametrize("who", ["Ada", "nobody@example.org", "Stranger", "\ud800"])
def test_manager_must_be_another_user(memory: World, ada: User, who: str) -> None:
    lifecycle = memory.service.lifecycle
    error = expect_rejection(
        memory, InvalidInput, lambda: lifecycle.set_managers(ada, "Board", [who])
    )
    assert error.field == "managers"


def test_picture_follows_its_candidate_and_is_stored_once(memory: World, ada: User) -> None:
    lifecycle, book = memory.service.lifecycle, memory.service.context.book
    edit = lifecycle.edit_candidate
    for name in ("Red", "Green"):
        edit(ada, "Board", name, picture=make_image(), alt="A square")
    edit(ada, "Board", "Red", new_name="Pink")
    lifecycle.copy(ada, "Board", "Again")
    pictures = book.record(memory.service.context.read.get_election("Again")).pictures
    assert {name: picture.alt for name, picture in pictures.items()} == {
        "Pink": "A square",
        "Green": "A square",
    }
    name = pictures["Pink"].name
    found = book.find_picture(name)
    assert found is not None
    assert found[8:12] == b"WEBP"
    stored = [event for event in read_events(memory.driver) if event.event_data.get("data")]
    assert len(stored) == 1
    for election, candidate in (("Board", "Green"), ("Board", "Pink"), ("Again", "Pink")):
        edit(ada, election, candidate, picture=b"")
    assert book.find_picture(name) is not None
    lifecycle.delete(ada, "Again")
    assert book.find_picture(name) is None


def test_damaged_picture_is_rejected(memory: World, ada: User) -> None:
    edit = memory.service.lifecycle.edit_candidate
    error = expect_rejection(
        memory, InvalidInput, lambda: edit(ada, "Board", "Red", picture=b"GIF89a")
    )
    assert error.field == "picture"
