"""The sandbox counts pasted and uploaded ballots for everyone, and stores nothing."""

from __future__ import annotations

from typing import Any

import pytest

from ranked_ballots import Ballots, Ranking
from ranked_ballots.formats import write_ballots
from singletable_apps.elections.entities import votes
from singletable_apps.elections.pages.sandbox import EXAMPLE, MAX_BYTES
from singletable_apps.elections.rules.methods import METHODS, PROPOSAL
from tests.apps.elections.pages.client import PagesApp
from tests.apps.support.html import text_in
from tests.apps.support.tables import all_items

BALLOTS = Ballots.from_counts(
    ["Ada", "Ben", "Cy"],
    [
        (Ranking.from_levels(["Ada", "Ben", "Cy"]), 3),
        (Ranking.from_levels(["Ben", "Cy", "Ada"]), 2),
    ],
)


def count(
    app: PagesApp, text: str = "", file: bytes = b"", method: str = "schulze", seats: str = "1"
) -> tuple[int, str]:
    """Count as a visitor; return the status and the text of the page."""
    files: dict[str, tuple[str | None, str | bytes]] = {
        "ballots": (None, text),
        "method": (None, method),
        "seats": (None, seats),
        "file": ("ballots" if file else "", file),
    }
    response = app.browser().http.post("/elections/sandbox", files=files)
    return response.status_code, text_in(response.text)


@pytest.mark.parametrize("method", [each for each in METHODS if each != PROPOSAL])
def test_example_is_counted_by_every_method(app: PagesApp, method: str) -> None:
    before = all_items(app.world.service.context.store, votes)
    assert text_in(EXAMPLE) in text_in(app.browser().get("sandbox").text)
    status, page = count(app, EXAMPLE, method=method)
    assert status == 200
    assert METHODS[method].title in page
    assert "How it was counted" in page
    assert "Lake" in page.partition("Places")[0]
    assert all_items(app.world.service.context.store, votes) == before


def test_proposal_has_two_options(app: PagesApp) -> None:
    status, page = count(app, "2: Ja\n2: Nein", method=PROPOSAL)
    assert (status, "The proposal is rejected" in page) == (200, True)
    status, page = count(app, EXAMPLE, method=PROPOSAL)
    assert (status, "A proposal has two options, but here are" in page) == (422, True)


@pytest.mark.parametrize("form", ["blt", "toi", "csv", "abif", "cef", "soc"])
def test_files_of_other_programs_are_counted(app: PagesApp, form: str) -> None:
    status, page = count(app, file=write_ballots(BALLOTS, form, title="Board"))
    assert status == 200
    assert "Ada wins Ada beats every other candidate" in page


def test_seats_of_a_file_count_with_a_single_transferable_vote(app: PagesApp) -> None:
    file = write_ballots(BALLOTS, "blt", title="Board", seats=2)
    assert "Ada and Ben are elected" in count(app, file=file, method="scottish stv")[1]


REJECTED: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "empty"),
    "no format": ({"text": "hello"}, "none of the formats"),
    "bad line": ({"text": "3: A > B\n2: > > B"}, "Line 2"),
    "binary": ({"file": b"\x00\x01"}, "not a text file"),
    "too large": ({"text": "1: A > B\n" * (MAX_BYTES // 8)}, "At most 512 kB"),
    "many candidates": ({"text": "1: " + " > ".join(f"c{n}" for n in range(101))}, "At most 100"),
    "unknown method": ({"text": "1: A > B", "method": "dice"}, "no counting method"),
    "seats": ({"text": "1: A > B", "seats": "3"}, "more than one seat"),
    "seats of a text": ({"text": "1: A > B", "seats": "x"}, "whole number"),
    "script": ({"text": "1: <script>alert(1)</script> > B"}, ""),
}


@pytest.mark.parametrize("case", REJECTED)
def test_what_cannot_be_counted_is_explained(app: PagesApp, case: str) -> None:
    sent, why = REJECTED[case]
    status, page = count(app, **sent)
    assert status == 422, page
    assert why in page
    assert "How it was counted" not in page


def test_tie_is_not_said_to_be_broken_at_a_close(app: PagesApp) -> None:
    _, page = count(app, "1: Ada > Ben\n1: Ben > Ada")
    assert "Ada and Ben are tied" in page
    assert "at the close" not in page.partition("Places")[0]
