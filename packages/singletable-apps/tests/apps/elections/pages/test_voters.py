"""Owners choose who can vote: everyone, a pasted list, or ticked people."""

from __future__ import annotations

import pytest

from singletable_apps.elections.roles import Role
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import forms_in, missing_in


@pytest.fixture
def tea(app: PagesApp, ada: Browser) -> str:
    return app.world.service.lifecycle.create(app.user("Ada"), "Tea").name


def test_voter_list_is_pasted_or_cleared(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    assert "All registered voters can vote" in ada.get("e", tea, "voters").text
    page = ada.get("e", tea, "voters", "list")
    ada.follow(ada.submit(page, who="listed", voters="ben\n\nAda"))
    assert app.voters(tea) == ["Ada", "Ben"]
    text = ben.read("e", tea, "voters")
    assert "2 people can vote You’re one of them." in text
    page = ada.get("e", tea, "voters", "list")
    assert forms_in(page)[0].fields["voters"] == ["Ada\nBen"]
    assert ada.submit(page, who="everybody").status_code == 303
    assert app.election(tea).voter_count == 0


def test_voters_are_ticked_page_by_page(app: PagesApp, ada: Browser, tea: str) -> None:
    app.world.register(*(f"Voter {number:02}" for number in range(60)))
    first = ada.get("e", tea, "voters", "choose")
    [form] = forms_in(first)
    assert len(form.offered["chosen"]) == 50
    second = ada.follow(ada.submit(first, chosen=["Ada", "Voter 00"], go="next"))
    assert app.voters(tea) == ["Ada", "Voter 00"]
    response = ada.submit(second, chosen=["Voter 59"], go="done")
    assert "3 people can vote" in ada.follow(response).text
    assert app.voters(tea) == ["Ada", "Voter 00", "Voter 59"]
    again = ada.get("e", tea, "voters", "choose")
    assert forms_in(again)[0].fields["chosen"] == ["Ada", "Voter 00"]
    ada.submit(again, chosen=["Ada"])
    assert app.voters(tea) == ["Ada", "Voter 59"]


# A link called "Done" used to discard the ticks silently.
def test_every_way_onward_saves_the_ticks(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    page = ada.get("e", tea, "voters", "choose")
    links = page.text.partition("<main")[2].partition("</main>")[0].split("<a ")
    assert [link for link in links if "Done" in link or 'rel="next"' in link] == []
    found = ada.follow(ada.submit(page, chosen=["Ben"], search="ad", go="search"))
    assert app.voters(tea) == ["Ben"]
    assert forms_in(found)[0].offered["chosen"] == ["Ada"]
    ada.submit(found, chosen=["Ada"], go="first")
    assert app.voters(tea) == ["Ada", "Ben"]


# The list used to accept people without access and said that they can vote.
def test_only_people_who_can_vote_are_offered(app: PagesApp, ada: Browser, tea: str) -> None:
    for name, role in (("Vera", Role.VOTER), ("Olga", Role.OBSERVER), ("Zoe", Role.NO_ACCESS)):
        app.register(name, role)
    for query in ("", "?q=a", "?q=o"):
        offered = forms_in(ada.get("e", tea, "voters", "choose", query=query))[0].offered
        assert not {"Olga", "Zoe"} & set(offered.get("chosen", []))
    page = ada.get("e", tea, "voters", "choose")
    assert forms_in(page)[0].offered["chosen"] == ["Ada", "Vera"]


def test_people_and_voters_are_found_by_part_of_the_name(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    page = ada.get("e", tea, "voters", "choose", query="?q=BE")
    assert forms_in(page)[0].offered["chosen"] == ["Ben"]
    ada.submit(page, chosen=["Ben"])
    assert app.voters(tea) == ["Ben"]
    assert "chosen" not in forms_in(ada.get("e", tea, "voters", "choose", query="?q=zz"))[0].offered
    assert "<li>Ben</li>" in ben.get("e", tea, "voters", query="?q=EN").text
    nobody = ben.get("e", tea, "voters", query="?q=zz").text.partition('id="voters"')[2]
    assert "<li>" not in nobody.partition("</main>")[0]


@pytest.mark.parametrize("page", ["list", "choose"])
def test_list_of_a_locked_election_cannot_be_edited(app: PagesApp, ada: Browser, page: str) -> None:
    app.world.launch(app.user("Ada"), "Tea", allow_edit=False)
    assert ada.get("e", "Tea", "voters", page).status_code == 409
    assert ada.post(f"/elections/e/Tea/voters/{page}", {}).status_code == 409


def test_list_of_removed_people_does_not_admit_everyone(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    app.world.service.lifecycle.set_voters(app.user("Ada"), tea, ["Ben"])
    app.world.service.people.remove(app.user("Ada"), "Ben")
    page = app.register("Carol", Role.VOTER).get("e", tea, "voters")
    assert "All registered voters" not in page.text
    assert missing_in(page, ["The people on the list have left", "not one of them"]) == []
