"""Counting methods, seats, quorum, none of these, and the order of candidates."""

from __future__ import annotations

from typing import Any

import pytest

from ranked_ballots import Ballots, Ranking, StvResult
from singletable_apps.elections.archive import verify_log
from singletable_apps.elections.entities import Electorate, RollNumber, User
from singletable_apps.elections.pages.results_view import describe_decision
from singletable_apps.elections.proofs import checker
from singletable_apps.elections.rules.methods import (
    METHODS,
    NONE_OF_THESE,
    PROPOSAL,
    clean_quorum,
    counting_rules,
)
from singletable_apps.elections.rules.roll import parse_roll, split_text
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.service.results import count_ballots
from singletable_apps.shared.errors import InvalidInput, NotFound
from tests.apps.support.elections.world import KEYS, World

NAMES = ("Zoë", "Mårten", "Alice")
KEY = "k" * 16


def vote(world: World, voter: User, name: str, *ranked: str) -> None:
    """Cast a ballot; without names it is blank."""
    lines: list[tuple[str, int | None]] = [(each, at) for at, each in enumerate(ranked, 1)]
    world.service.voting.cast(voter, name, lines or [(NAMES[0], None)], KEY)


def candidates(world: World, name: str) -> list[str]:
    """Return the candidates in their order."""
    read = world.service.context.read
    return read.candidates(read.get_election(name))


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS.keys())
def test_signed_rules_are_those_that_the_count_used(method: Any) -> None:
    names = NAMES[:2] if method.key == PROPOSAL else NAMES
    ballots = Ballots.from_rankings(names, [Ranking.from_levels([names[0]])])
    used = count_ballots(method.key, ballots, 1, "seed").rules
    expected = {rule.about: rule.choice for rule in used if rule.about not in ("ties", "method")}
    # Signed as a phrase since the first version.
    phrases = {"order": "layers of the strongest paths"} if method.key == "schulze" else {}
    assert method.rules == {**expected, **phrases}


def test_stv_elects_several_and_its_receipt_and_publication_check_out(memory: World) -> None:
    ada, ben, cy = memory.register("ada", "ben", "cy")
    terms = ElectionSettings(method="scottish stv", seats=2, quorum="50%")
    memory.launch(ada, "Board", NAMES, terms=terms, allow_edit=False)
    for voter, first in ((ada, "Alice"), (ben, "Alice"), (cy, "Zoë")):
        vote(memory, voter, "Board", first)
    memory.service.lifecycle.close(ada, "Board")
    tally = memory.service.results.tally(ben, "Board")
    assert isinstance(tally.result, StvResult)
    assert tally.result.elected == ("Alice", "Zoë")
    assert tally.quorum is not None
    assert tally.quorum.is_valid
    published = memory.service.results.published(ben, "Board")
    statement = published["closing"]["statement"]
    assert statement["rules"] == counting_rules(tally.election)
    assert statement["rules"]["seats"] == "2"
    assert statement["rules"]["method"] == "scottish stv"
    assert statement.get("eligible") == 3
    receipt = memory.service.voting.own_ballot(ben, "Board").receipt
    assert receipt["definition"].get("rules") == {
        "method": "scottish stv",
        "seats": "2",
        "quorum": "50%",
    }
    findings = [*checker.check_receipt(receipt, None), *checker.check_publication(published, None)]
    assert all(finding.ok for finding in findings)
    statement["rules"]["seats"] = "1"
    assert not all(finding.ok for finding in checker.check_publication(published, None))


def test_quorum_counts_people_at_the_close(memory: World) -> None:
    ada, ben = memory.register("ada", "ben")
    memory.launch(ada, "E", NAMES, terms=ElectionSettings(quorum="51 %"))
    vote(memory, ada, "E", "Zoë")
    assert not memory.service.results.tally(ada, "E").quorum.is_valid  # type: ignore[union-attr]
    vote(memory, ben, "E")
    memory.service.lifecycle.close(ada, "E")
    memory.register("cy", "dan", "eve")
    quorum = memory.service.results.tally(ada, "E").quorum
    assert quorum is not None
    assert (quorum.present, quorum.needed) == (2, 2)
    assert quorum.is_valid
    assert verify_log(memory.service.context.store, KEYS).results == 1


def test_quorum_counts_voters_and_not_their_weights(memory: World) -> None:
    (ada,) = memory.register("ada")
    service = memory.service
    terms = ElectionSettings(quorum="2", electorate=Electorate.ROLL)
    service.lifecycle.create(ada, "E", terms)
    service.lifecycle.set_candidates(ada, "E", NAMES)
    lines = parse_roll(split_text("Ben;ada@example.org;;5\nCy;cy@example.org")).lines
    service.rolls.save(ada, "E", lines, replaces=False)
    service.lifecycle.launch(ada, "E", allow_edit=True)
    roll = service.context.book.record(service.context.read.get_election("E")).roll
    code = service.rolls.code(service.context.read.get_election("E"), roll[RollNumber(1)])
    _, voter = service.rolls.open_link(code)
    service.voting.cast(voter, "E", [("Zoë", 1)], KEY)
    quorum = service.results.tally(ada, "E").quorum
    assert quorum is not None
    assert not quorum.is_valid
    assert quorum.present == 1
    assert quorum.sentence.startswith("1 ballot, 2 people eligible; the quorum of 2 is not met")


def test_none_of_these_is_a_line_on_ballots_and_cannot_win(memory: World) -> None:
    ada, ben, cy = memory.register("ada", "ben", "cy")
    memory.launch(ada, "E", NAMES, terms=ElectionSettings(none_of_these=True))
    vote(memory, ada, "E", "Alice", NONE_OF_THESE, "Zoë")
    vote(memory, ben, "E", NONE_OF_THESE)
    vote(memory, cy, "E")
    tally = memory.service.results.tally(ada, "E")
    assert (tally.abstained, tally.blank, tally.result.account.blank) == (1, 1, 2)
    assert tally.result.candidates == NAMES
    assert tally.result.winners == ("Alice",)
    assert memory.service.queries.rankings(ben, "E")[-1] == (NONE_OF_THESE, 1)


def test_ballot_must_suit_the_method(memory: World) -> None:
    (ada,) = memory.register("ada")
    memory.launch(ada, "E", NAMES, terms=ElectionSettings(method="plurality"))
    with pytest.raises(InvalidInput, match="In this election"):
        memory.service.voting.cast(ada, "E", [("Zoë", 1), ("Alice", 1)], KEY)
    vote(memory, ada, "E", "Alice")
    assert memory.service.results.tally(ada, "E").result.winners == ("Alice",)


# A club does not draw lots about its rules.
def test_proposal_with_as_many_votes_for_no_as_for_yes_is_rejected(memory: World) -> None:
    ada, ben, cy = memory.register("ada", "ben", "cy")
    memory.service.lifecycle.create(ada, "E")
    memory.service.lifecycle.set_candidates(ada, "E", NAMES)
    for number in range(5):
        memory.service.lifecycle.add_question(ada, "E", f"Fee {number}", yes_or_no=True)
    memory.service.lifecycle.launch(ada, "E", allow_edit=False)
    for number in range(5):
        for voter, choice in ((ada, "Yes"), (ben, "No"), (cy, NONE_OF_THESE)):
            vote(memory, voter, f"Fee {number}", choice)
        assert memory.service.results.tally(ada, f"Fee {number}").elected == ()
    memory.service.lifecycle.close(ada, "E")
    for number in range(5):
        tally = memory.service.results.tally(ada, f"Fee {number}")
        assert (tally.elected, tally.result.winners, tally.abstained) == (("No",), ("Yes", "No"), 1)
        assert "the proposal is rejected" in describe_decision(tally.result, "Yes or no")


def test_other_methods_are_compared_only_for_one_seat_and_ranks(memory: World) -> None:
    (ada,) = memory.register("ada")
    for name, method in (("Ranked", "instant runoff"), ("Marked", "approval")):
        memory.launch(ada, name, NAMES, terms=ElectionSettings(method=method))
    ranked = memory.service.results.tallies(ada, "Ranked")
    assert next(iter(ranked)) == "instant runoff"
    assert len(ranked) == 6
    assert list(memory.service.results.tallies(ada, "Marked")) == ["approval"]
    with pytest.raises(InvalidInput, match="Use one of: approval"):
        memory.service.results.tally(ada, "Marked", "schulze")


def test_settings_that_cannot_be_counted_are_rejected(memory: World) -> None:
    (ada,) = memory.register("ada")
    lifecycle = memory.service.lifecycle
    with pytest.raises(InvalidInput, match="more than one seat"):
        lifecycle.create(ada, "E", ElectionSettings(seats=2))
    lifecycle.create(ada, "E", ElectionSettings(method="meek stv", seats=2))
    with pytest.raises(InvalidInput, match="more than one seat"):
        lifecycle.edit(ada, "E", {"method": "approval"})


@pytest.mark.parametrize(("text", "stored"), [(" 50 % ", "50%"), ("1,000", "1000"), ("0", "")])
def test_quorum_is_stored_in_one_form(text: str, stored: str) -> None:
    assert clean_quorum(text) == stored


def test_candidates_keep_the_order_in_which_they_were_entered(memory: World) -> None:
    ada, ben = memory.register("ada", "ben")
    lifecycle = memory.service.lifecycle
    memory.launch(ada, "E", NAMES)
    assert candidates(memory, "E") == list(NAMES)
    vote(memory, ben, "E", "Alice")
    assert memory.service.voting.own_ballot(ben, "E").receipt["definition"]["candidates"] == [
        *NAMES
    ]
    lifecycle.set_candidates(ada, "E", ["New", "Alice", "Zoë"])
    assert candidates(memory, "E") == ["New", "Alice", "Zoë"]
    assert memory.service.results.tally(ada, "E").result.candidates == ("New", "Alice", "Zoë")
    vote(memory, ada, "E", "Alice")
    lifecycle.close(ada, "E")
    assert verify_log(memory.service.context.store, KEYS).differences == ()


def test_none_of_these_is_no_name_of_a_candidate(memory: World) -> None:
    (ada,) = memory.register("ada")
    lifecycle = memory.service.lifecycle
    lifecycle.create(ada, "E")
    lifecycle.set_candidates(ada, "E", ["none of these", "Ada"])
    with pytest.raises(InvalidInput, match="no candidate can have this name"):
        lifecycle.edit(ada, "E", {"none_of_these": True})
    lifecycle.set_candidates(ada, "E", ["Bob", "Ada"])
    lifecycle.edit(ada, "E", {"none_of_these": True})
    with pytest.raises(InvalidInput, match="no candidate can have this name"):
        lifecycle.set_candidates(ada, "E", ["NONE OF THESE", "Ada"])
    with pytest.raises(InvalidInput, match="no candidate can have this name"):
        lifecycle.edit_candidate(ada, "E", "Ada", new_name="None  of these")


def test_candidate_keeps_place_and_statement_when_renamed(memory: World) -> None:
    (ada,) = memory.register("ada")
    lifecycle, queries = memory.service.lifecycle, memory.service.queries
    lifecycle.create(ada, "E")
    lifecycle.set_candidates(ada, "E", NAMES)
    lifecycle.edit_candidate(ada, "E", "Mårten", statement="I **sail**.")
    lifecycle.edit_candidate(ada, "E", "Mårten", new_name="Martin")
    assert candidates(memory, "E") == ["Zoë", "Martin", "Alice"]
    assert queries.texts(ada, "E").statements == {"Martin": "I **sail**."}
    lifecycle.set_candidates(ada, "E", ["Alice", "Zoë"])
    assert queries.texts(ada, "E").statements == {}
    assert verify_log(memory.service.context.store, KEYS).differences == ()


def test_edit_of_a_candidate_is_rejected(memory: World) -> None:
    (ada,) = memory.register("ada")
    lifecycle = memory.service.lifecycle
    lifecycle.create(ada, "E")
    lifecycle.set_candidates(ada, "E", NAMES)
    with pytest.raises(NotFound):
        lifecycle.edit_candidate(ada, "E", "Bob", statement="x")
    with pytest.raises(InvalidInput, match="more than once"):
        lifecycle.edit_candidate(ada, "E", "Zoë", new_name="alice")


@pytest.mark.parametrize("roll", [False, True])
def test_copy_has_settings_texts_candidates_and_voters(memory: World, roll: bool) -> None:
    ada, _ = memory.register("ada", "ben")
    lifecycle, service = memory.service.lifecycle, memory.service
    electorate = Electorate.ROLL if roll else Electorate.ACCOUNTS
    terms = ElectionSettings(method="meek stv", seats=2, quorum="10", electorate=electorate)
    lifecycle.create(ada, "Old", terms)
    lifecycle.set_candidates(ada, "Old", NAMES)
    lifecycle.describe(ada, "Old", "Who?", "*Choose* well.")
    lifecycle.edit_candidate(ada, "Old", "Zoë", statement="Hi")
    if roll:
        lines = parse_roll(split_text("Ben;ben@example.org")).lines
        service.rolls.save(ada, "Old", lines, replaces=False)
    else:
        lifecycle.set_voters(ada, "Old", ["ben"])
    copied = lifecycle.copy(ada, "Old", "New", with_voters=True)
    assert (copied.method, copied.seats, copied.quorum, copied.voter_count) == (
        *("meek stv", 2, "10"),
        1,
    )
    assert candidates(memory, "New") == list(NAMES)
    assert service.queries.texts(ada, "New") == service.queries.texts(ada, "Old")
    assert lifecycle.copy(ada, "Old", "Newer").voter_count == 0
    assert verify_log(service.context.store, KEYS).differences == ()
