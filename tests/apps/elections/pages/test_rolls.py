"""Candidates and voters are named on pages."""

from __future__ import annotations

import pytest

from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.world import ballot
from tests.apps.support.html import field_errors, forms_in, missing_in


@pytest.fixture
def tea(app: PagesApp, ada: Browser) -> str:
    return app.world.service.lifecycle.create(app.user("Ada"), "Tea").name


def test_candidates_are_named_one_a_line(app: PagesApp, ada: Browser, tea: str) -> None:
    answer = ada.submit(ada.get("e", tea, "candidates"), candidates=" Assam\r\n\r\nCeylon  ")
    assert "Saved: 2 added." in ada.follow(answer).text
    page = ada.get("e", tea, "candidates")
    assert forms_in(page)[0].fields["candidates"] == ["Assam\nCeylon"]
    answer = ada.submit(page, candidates="Ceylon\nDarjeeling\nSencha")
    assert "Saved: 2 added, 1 removed." in ada.follow(answer).text
    assert app.candidates(tea) == ["Ceylon", "Darjeeling", "Sencha"]


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
    app: PagesApp, ada: Browser, tea: str, typed: str, told: str
) -> None:
    answer = ada.submit(ada.get("e", tea, "candidates"), candidates=typed)
    assert answer.status_code == 422
    assert told in field_errors(answer)["candidates"]
    assert app.candidates(tea) == []


def test_before_a_candidate_goes_who_is_ranked_one_is_asked(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Tea")
    app.world.service.voting.cast(app.user("Ben"), "Tea", ballot("Red", "Blue"), "once")
    asked = ada.submit(ada.get("e", "Tea", "candidates"), candidates="Red\nBlack\nGreen")
    assert asked.status_code == 200
    told = ["Remove 1 candidate while people vote?", "Blue", "ranked on 1 ballot", "Black"]
    assert missing_in(asked, told) == []
    assert app.candidates("Tea") == ["Blue", "Green", "Red"]
    assert "1 added, 1 removed" in ada.follow(ada.submit(asked)).text
    assert app.candidates("Tea") == ["Black", "Green", "Red"]


def test_how_many_rank_whom_is_not_told_of_a_secret_ballot(app: PagesApp, ada: Browser) -> None:
    app.world.launch(app.user("Ada"), "Tea", terms=ElectionSettings(secret_ballot=True))
    app.world.service.voting.cast(app.user("Ada"), "Tea", ballot("Red"), "once")
    asked = ada.submit(ada.get("e", "Tea", "candidates"), candidates="Green\nBlue")
    assert "how many rank it is secret" in asked.text
    assert "ranked on" not in asked.text


def test_too_few_candidates_in_a_launched_election_are_refused_in_place(
    app: PagesApp, ada: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Tea")
    answer = ada.submit(ada.get("e", "Tea", "candidates"), candidates="Red")
    assert answer.status_code == 422
    assert "less than 2" in field_errors(answer)["candidates"]


def test_candidates_changed_meanwhile_are_shown_and_what_was_typed_stays(
    app: PagesApp, ada: Browser, tea: str
) -> None:
    page = ada.get("e", tea, "candidates")
    app.world.service.lifecycle.set_candidates(app.user("Ada"), tea, ["Assam", "Ceylon"])
    answer = ada.submit(page, candidates="Darjeeling")
    assert answer.status_code == 412
    assert missing_in(answer, ["Somebody changed this meanwhile", "Assam, Ceylon"]) == []
    assert ada.submit(answer).status_code == 303
    assert app.candidates(tea) == ["Darjeeling"]


def test_candidates_are_there_for_everybody_to_read_and_for_its_owner_to_change(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    assert "No candidates yet" in ben.get("e", tea, "candidates").text
    app.world.service.lifecycle.set_candidates(app.user("Ada"), tea, ["Assam", "Ceylon"])
    page = ben.get("e", tea, "candidates")
    assert forms_in(page) == []
    assert missing_in(page, ["Assam", "Ceylon"]) == []
    refused = ben.post("/elections/e/Tea/candidates", {"candidates": "Mine\nMine too"})
    assert refused.status_code == 403
    app.world.service.lifecycle.launch(app.user("Ada"), tea, allow_edit=False)
    assert forms_in(ada.get("e", tea, "candidates")) == []
    late = ada.post("/elections/e/Tea/candidates", {"candidates": "A\nB"})
    assert late.status_code == 409


def test_without_a_list_everybody_is_said_to_vote(app: PagesApp, ada: Browser, tea: str) -> None:
    page = ada.get("e", tea, "voters")
    assert "Everybody who may vote here: every VOTER and above" in page.text


def test_voters_are_written_one_a_line_or_everybody_again(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    page = ada.get("e", tea, "voters", "list")
    ada.follow(ada.submit(page, who="listed", voters="ben\n\nAda"))
    assert app.voters(tea) == ["Ada", "Ben"]
    told = ["2 people may vote", "You are one of them"]
    assert missing_in(ben.get("e", tea, "voters"), told) == []
    page = ada.get("e", tea, "voters", "list")
    assert forms_in(page)[0].fields["voters"] == ["Ada\nBen"]
    assert "Everybody may vote." in ada.follow(ada.submit(page, who="everybody")).text
    assert app.election(tea).voter_count == 0


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
    app: PagesApp, ada: Browser, tea: str, typed: dict[str, str | None], field: str, told: str
) -> None:
    answer = ada.submit(ada.get("e", tea, "voters", "list"), **typed)
    assert answer.status_code == 422
    assert told in field_errors(answer)[field]
    assert (typed["voters"] or "").strip() in answer.text


def test_voters_are_ticked_among_the_registered_page_by_page(
    app: PagesApp, ada: Browser, tea: str
) -> None:
    app.world.register(*(f"Voter {number:02}" for number in range(60)))
    first = ada.get("e", tea, "voters", "choose")
    [sheet] = forms_in(first)
    assert len(sheet.offered["chosen"]) == 50
    ada.submit(first, chosen=["Ada", "Voter 00"])
    following = first.text.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    second = ada.open(following.replace("&amp;", "&"))
    answer = ada.submit(second, chosen=["Voter 59"])
    assert "3 may vote." in ada.follow(answer).text
    assert app.voters(tea) == ["Ada", "Voter 00", "Voter 59"]
    again = ada.get("e", tea, "voters", "choose")
    assert forms_in(again)[0].fields["chosen"] == ["Ada", "Voter 00"]
    ada.submit(again, chosen=["Ada"])
    assert app.voters(tea) == ["Ada", "Voter 59"]


def test_the_registered_and_the_listed_are_found_by_a_part_of_their_names(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    page = ada.get("e", tea, "voters", "choose", query="?q=BE")
    assert forms_in(page)[0].offered["chosen"] == ["Ben"]
    ada.submit(page, chosen=["Ben"])
    assert app.voters(tea) == ["Ben"]
    assert "Nobody found" in ada.get("e", tea, "voters", "choose", query="?q=zz").text
    assert "<li>Ben</li>" in ben.get("e", tea, "voters", query="?q=EN").text
    assert "is called like “zz”" in ben.get("e", tea, "voters", query="?q=zz").text


def test_unticking_the_last_voter_is_rejected(app: PagesApp, ada: Browser, tea: str) -> None:
    app.world.service.lifecycle.set_voters(app.user("Ada"), tea, ["Ada"])
    answer = ada.submit(ada.get("e", tea, "voters", "choose"), chosen=None)
    assert answer.status_code == 422
    assert "everybody could vote" in answer.text
    assert app.voters(tea) == ["Ada"]


def test_a_list_that_was_changed_meanwhile_is_asked_for_again(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    written = ada.get("e", tea, "voters", "list")
    ticked = ada.get("e", tea, "voters", "choose")
    app.world.service.lifecycle.set_voters(app.user("Ada"), tea, ["Ada"])
    for page, typed in ((written, {"who": "listed", "voters": "Ben"}), (ticked, {"chosen": "Ben"})):
        answer = ada.submit(page, **typed)
        assert answer.status_code == 412
        assert missing_in(answer, ["meanwhile", "Ben"]) == []
    assert app.voters(tea) == ["Ada"]


@pytest.mark.parametrize("page", ["list", "choose"])
def test_lists_are_set_by_its_owner_alone_while_it_is_editable(
    app: PagesApp, ada: Browser, ben: Browser, tea: str, page: str
) -> None:
    assert ben.get("e", tea, "voters", page).status_code == 403
    assert ben.post(f"/elections/e/Tea/voters/{page}", {}).status_code == 403
    app.world.service.lifecycle.set_candidates(app.user("Ada"), tea, ["Assam", "Ceylon"])
    app.world.service.lifecycle.launch(app.user("Ada"), tea, allow_edit=False)
    assert ada.get("e", tea, "voters", page).status_code == 409
    assert ada.post(f"/elections/e/Tea/voters/{page}", {}).status_code == 409


def test_a_list_of_those_who_are_gone_is_no_list_of_everybody(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    app.world.service.lifecycle.set_voters(app.user("Ada"), tea, ["Ben"])
    app.world.service.people.remove(app.user("Ada"), "Ben")
    page = app.register("Carol", Role.VOTER).get("e", tea, "voters")
    assert missing_in(page, ["not registered any more", "You are not among them"]) == []
