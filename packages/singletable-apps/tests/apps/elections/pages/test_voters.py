"""Owners choose who can vote: everyone, or a list of ticked and typed people."""

from __future__ import annotations

import pytest

from singletable_apps.elections.pages import voters
from singletable_apps.elections.roles import Role
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import forms_in


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
    assert forms_in(page)[0].fields["chosen"] == ["Ada", "Ben"]
    assert ada.submit(page, who="everybody").status_code == 303
    assert app.election(tea).voter_count == 0


# The list used to accept people without access and said that they can vote.
def test_people_who_can_vote_are_ticked_unless_there_are_many(
    app: PagesApp, ada: Browser, ben: Browser, tea: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, role in (("Vera", Role.VOTER), ("Olga", Role.OBSERVER), ("Zoe", Role.NO_ACCESS)):
        app.register(name, role)
    page = ada.get("e", tea, "voters", "list")
    assert forms_in(page)[0].offered["chosen"] == ["Ada", "Ben", "Vera"]
    ada.submit(page, who="listed", chosen=["Ada"], voters="ADA\nvera")
    assert app.voters(tea) == ["Ada", "Vera"]
    app.world.service.people.change_role(app.user("Ada"), "Vera", Role.OBSERVER)
    [form] = forms_in(ada.get("e", tea, "voters", "list"))
    assert (form.fields["chosen"], form.fields["voters"]) == (["Ada"], ["Vera"])
    monkeypatch.setattr(voters, "MOST_OFFERED", 1)
    [form] = forms_in(ada.get("e", tea, "voters", "list"))
    assert (form.offered.get("chosen"), form.fields["voters"]) == (None, ["Ada\nVera"])


def test_voters_are_found_by_part_of_the_name(app: PagesApp, ben: Browser, tea: str) -> None:
    app.world.service.lifecycle.set_voters(app.user("Ada"), tea, ["Ben"])
    assert "<li>Ben</li>" in ben.get("e", tea, "voters", query="?q=EN").text
    nobody = ben.get("e", tea, "voters", query="?q=zz").text.partition('id="voters"')[2]
    assert "<li>" not in nobody.partition("</main>")[0]
