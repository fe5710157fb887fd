"""Candidates and voters are named on pages."""

from __future__ import annotations

import pytest

from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import Terms
from tests.apps.elections.pages.clicking import Person, Town, all_in, faults_in, sheets_of
from tests.apps.elections.rig.world import ballot


@pytest.fixture
def tea(town: Town, ada: Person) -> str:
    return town.world.service.lifecycle.create(town.user("Ada"), "Tea").name


def test_candidates_are_named_one_a_line(town: Town, ada: Person, tea: str) -> None:
    answer = ada.send(ada.look("e", tea, "candidates"), candidates=" Assam\r\n\r\nCeylon  ")
    assert "Saved: 2 added." in ada.follow(answer).text
    page = ada.look("e", tea, "candidates")
    assert sheets_of(page)[0].fields["candidates"] == ["Assam\nCeylon"]
    answer = ada.send(page, candidates="Ceylon\nDarjeeling\nSencha")
    assert "Saved: 2 added, 1 removed." in ada.follow(answer).text
    assert town.candidates(tea) == ["Ceylon", "Darjeeling", "Sencha"]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("Assam\nASSAM", "named more than once"),
        ("a" * 201, "at most 200"),
        ("\n".join(f"Tea {number}" for number in range(101)), "at most 100"),
        ("a\u202eb", "cannot be seen"),
    ],
)
def test_candidates_that_cannot_be_are_told_beside_the_field(
    town: Town, ada: Person, tea: str, typed: str, told: str
) -> None:
    answer = ada.send(ada.look("e", tea, "candidates"), candidates=typed)
    assert answer.status_code == 422
    assert told in faults_in(answer)["candidates"]
    assert town.candidates(tea) == []


def test_before_a_candidate_goes_who_is_ranked_one_is_asked(
    town: Town, ada: Person, ben: Person
) -> None:
    town.world.launched(town.user("Ada"), "Tea")
    town.world.service.voting.cast(town.user("Ben"), "Tea", ballot("Red", "Blue"), "once")
    asked = ada.send(ada.look("e", "Tea", "candidates"), candidates="Red\nBlack\nGreen")
    assert asked.status_code == 200
    told = ["Remove 1 candidate while people vote?", "Blue", "ranked on 1 ballot", "Black"]
    assert all_in(asked, told) == []
    assert town.candidates("Tea") == ["Blue", "Green", "Red"]
    assert "1 added, 1 removed" in ada.follow(ada.send(asked)).text
    assert town.candidates("Tea") == ["Black", "Green", "Red"]


def test_how_many_rank_whom_is_not_told_of_a_secret_ballot(town: Town, ada: Person) -> None:
    town.world.launched(town.user("Ada"), "Tea", terms=Terms(secret_ballot=True))
    town.world.service.voting.cast(town.user("Ada"), "Tea", ballot("Red"), "once")
    asked = ada.send(ada.look("e", "Tea", "candidates"), candidates="Green\nBlue")
    assert "how many rank it is secret" in asked.text
    assert "ranked on" not in asked.text


def test_too_few_candidates_in_a_launched_election_are_refused_in_place(
    town: Town, ada: Person
) -> None:
    town.world.launched(town.user("Ada"), "Tea")
    answer = ada.send(ada.look("e", "Tea", "candidates"), candidates="Red")
    assert answer.status_code == 422
    assert "less than 2" in faults_in(answer)["candidates"]


def test_candidates_changed_meanwhile_are_shown_and_what_was_typed_stays(
    town: Town, ada: Person, tea: str
) -> None:
    page = ada.look("e", tea, "candidates")
    town.world.service.rolls.set_candidates(town.user("Ada"), tea, ["Assam", "Ceylon"])
    answer = ada.send(page, candidates="Darjeeling")
    assert answer.status_code == 412
    assert all_in(answer, ["Somebody changed this meanwhile", "Assam, Ceylon"]) == []
    assert ada.send(answer).status_code == 303
    assert town.candidates(tea) == ["Darjeeling"]


def test_candidates_are_there_for_everybody_to_read_and_for_its_owner_to_change(
    town: Town, ada: Person, ben: Person, tea: str
) -> None:
    assert "No candidates yet" in ben.look("e", tea, "candidates").text
    town.world.service.rolls.set_candidates(town.user("Ada"), tea, ["Assam", "Ceylon"])
    page = ben.look("e", tea, "candidates")
    assert sheets_of(page) == []
    assert all_in(page, ["Assam", "Ceylon"]) == []
    refused = ben.post("/elections/e/Tea/candidates", {"candidates": "Mine\nMine too"})
    assert refused.status_code == 403
    town.world.service.lifecycle.launch(town.user("Ada"), tea, allow_edit=False)
    assert sheets_of(ada.look("e", tea, "candidates")) == []
    late = ada.post("/elections/e/Tea/candidates", {"candidates": "A\nB"})
    assert late.status_code == 409


def test_without_a_list_everybody_is_said_to_vote(town: Town, ada: Person, tea: str) -> None:
    page = ada.look("e", tea, "voters")
    assert "Everybody who may vote here: every VOTER and above" in page.text


def test_voters_are_written_one_a_line_or_everybody_again(
    town: Town, ada: Person, ben: Person, tea: str
) -> None:
    page = ada.look("e", tea, "voters", "list")
    ada.follow(ada.send(page, who="listed", voters="ben\n\nAda"))
    assert town.voters(tea) == ["Ada", "Ben"]
    told = ["2 people may vote", "You are one of them"]
    assert all_in(ben.look("e", tea, "voters"), told) == []
    page = ada.look("e", tea, "voters", "list")
    assert sheets_of(page)[0].fields["voters"] == ["Ada\nBen"]
    assert "Everybody may vote." in ada.follow(ada.send(page, who="everybody")).text
    assert town.election(tea).voter_count == 0


@pytest.mark.parametrize(
    ("typed", "field", "told"),
    [
        ({"who": "listed", "voters": " \n "}, "voters", "let everybody vote"),
        ({"who": "listed", "voters": "Ada\nNobody"}, "voters", "Nobody"),
        ({"who": "listed", "voters": "Ada\nADA"}, "voters", "more than once"),
        ({"who": None, "voters": "Ada"}, "who", "fill this in"),
    ],
)
def test_a_list_that_cannot_be_is_told_beside_the_field(
    town: Town, ada: Person, tea: str, typed: dict[str, str | None], field: str, told: str
) -> None:
    answer = ada.send(ada.look("e", tea, "voters", "list"), **typed)
    assert answer.status_code == 422
    assert told in faults_in(answer)[field]
    assert (typed["voters"] or "").strip() in answer.text


def test_voters_are_ticked_among_the_registered_page_by_page(
    town: Town, ada: Person, tea: str
) -> None:
    town.world.join(*(f"Voter {number:02}" for number in range(60)))
    first = ada.look("e", tea, "voters", "choose")
    [sheet] = sheets_of(first)
    assert len(sheet.offered["chosen"]) == 50
    ada.send(first, chosen=["Ada", "Voter 00"])
    following = first.text.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    second = ada.visit(following.replace("&amp;", "&"))
    answer = ada.send(second, chosen=["Voter 59"])
    assert "3 may vote." in ada.follow(answer).text
    assert town.voters(tea) == ["Ada", "Voter 00", "Voter 59"]
    again = ada.look("e", tea, "voters", "choose")
    assert sheets_of(again)[0].fields["chosen"] == ["Ada", "Voter 00"]
    ada.send(again, chosen=["Ada"])
    assert town.voters(tea) == ["Ada", "Voter 59"]


def test_the_registered_and_the_listed_are_found_by_a_part_of_their_names(
    town: Town, ada: Person, ben: Person, tea: str
) -> None:
    page = ada.look("e", tea, "voters", "choose", query="?q=BE")
    assert sheets_of(page)[0].offered["chosen"] == ["Ben"]
    ada.send(page, chosen=["Ben"])
    assert town.voters(tea) == ["Ben"]
    assert "Nobody found" in ada.look("e", tea, "voters", "choose", query="?q=zz").text
    assert "<li>Ben</li>" in ben.look("e", tea, "voters", query="?q=EN").text
    assert "is called like “zz”" in ben.look("e", tea, "voters", query="?q=zz").text


def test_the_last_voter_is_not_unticked_into_everybody(town: Town, ada: Person, tea: str) -> None:
    town.world.service.rolls.set_voters(town.user("Ada"), tea, ["Ada"])
    answer = ada.send(ada.look("e", tea, "voters", "choose"), chosen=None)
    assert answer.status_code == 422
    assert "everybody could vote" in answer.text
    assert town.voters(tea) == ["Ada"]


def test_a_list_that_was_changed_meanwhile_is_asked_for_again(
    town: Town, ada: Person, ben: Person, tea: str
) -> None:
    written = ada.look("e", tea, "voters", "list")
    ticked = ada.look("e", tea, "voters", "choose")
    town.world.service.rolls.set_voters(town.user("Ada"), tea, ["Ada"])
    for page, typed in ((written, {"who": "listed", "voters": "Ben"}), (ticked, {"chosen": "Ben"})):
        answer = ada.send(page, **typed)
        assert answer.status_code == 412
        assert all_in(answer, ["meanwhile", "Ben"]) == []
    assert town.voters(tea) == ["Ada"]


@pytest.mark.parametrize("page", ["list", "choose"])
def test_lists_are_set_by_its_owner_alone_while_it_is_editable(
    town: Town, ada: Person, ben: Person, tea: str, page: str
) -> None:
    assert ben.look("e", tea, "voters", page).status_code == 403
    assert ben.post(f"/elections/e/Tea/voters/{page}", {}).status_code == 403
    town.world.service.rolls.set_candidates(town.user("Ada"), tea, ["Assam", "Ceylon"])
    town.world.service.lifecycle.launch(town.user("Ada"), tea, allow_edit=False)
    assert ada.look("e", tea, "voters", page).status_code == 409
    assert ada.post(f"/elections/e/Tea/voters/{page}", {}).status_code == 409


def test_a_list_of_those_who_are_gone_is_no_list_of_everybody(
    town: Town, ada: Person, ben: Person, tea: str
) -> None:
    town.world.service.rolls.set_voters(town.user("Ada"), tea, ["Ben"])
    town.world.service.people.remove(town.user("Ada"), "Ben")
    page = town.joins("Carol", Role.VOTER).look("e", tea, "voters")
    assert all_in(page, ["not registered any more", "You are not among them"]) == []
