"""Auditors read the event log and the tables; nobody else does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from singletable_apps.elections.pages.audit import event_rows
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.service.audit import RELATIONS
from tests.apps.elections.pages.client import Browser, PagesApp, browser
from tests.apps.support.elections.sample import SampleCopy, copy_sample
from tests.apps.support.elections.world import KEYS, read_events
from tests.apps.support.html import missing_in, text_in

PAGES = ("audit", "audit/tables/vote_data", "audit/tables/vote_event_log")


@pytest.fixture
def grace(app: PagesApp, ada: Browser) -> Browser:
    return app.register("Grace", Role.AUDITOR)


def test_event_log_is_newest_first_with_its_hash_chain(
    app: PagesApp, ada: Browser, grace: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Tea")
    cast = app.vote("Ada", "Tea", "Red", "Blue")
    page = grace.get("audit")
    shown = ["Ballot cast", "Red &gt; Blue", cast.receipt["confirmation"], "$(hidden)"]
    assert missing_in(page, shown) == []
    assert page.text.index("Ballot cast") < page.text.index("Election launched")
    newest, before, *_ = reversed(read_events(app.world.driver))
    assert missing_in(page, [newest.hash, f'title="{before.hash}"']) == []
    assert "is-broken" not in page.text


def test_no_page_reveals_a_secret_ballot_or_a_password_hash(
    app: PagesApp, ada: Browser, grace: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Tea", terms=ElectionSettings(secret_ballot=True))
    cast = app.vote("Ada", "Tea", "Blue")
    kept = app.user("Ada").hash.rpartition("$")[2]
    for page in (*PAGES, *(f"audit/query?sql=SELECT * FROM {name}" for name in RELATIONS)):
        text = grace.open(f"/elections/{page}").text
        assert cast.receipt["confirmation"] not in text
        assert kept not in text
    assert "sealed, " in grace.get("audit").text


def test_changed_events_are_marked(app: PagesApp, ada: Browser) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), "Tea")
    first, second = read_events(app.world.driver)
    assert [(row.intact, row.follows) for row in event_rows([second, first], KEYS.ballot_key)] == [
        (True, True),
        (True, True),
    ]
    other = replace(second, actor="Eve")
    assert [row.intact for row in event_rows([other, first], KEYS.ballot_key)] == [False, True]
    loose = replace(first, hash="0" * 64)
    assert [row.follows for row in event_rows([second, loose], KEYS.ballot_key)] == [False, True]


def test_event_log_is_paginated(app: PagesApp, ada: Browser, grace: Browser) -> None:
    for number in range(30):
        app.world.service.lifecycle.create(app.user("Ada"), f"Election {number}")
    first = grace.get("audit")
    second = grace.open_next(first)
    counts = [page.text.count('class="event-number"') for page in (first, second)]
    assert counts == [25, len(read_events(app.world.driver)) - 25]


FILTERS = {
    "person=ADA&kind=Elections": (["Election created", "Election launched"], ["Ballot", "User"]),
    "person=grace": (["User registered", "User role changed"], ["Ballot", "Election"]),
    "election=tea": (["Election created", "Candidates added", "Ballot cast"], ["User", "Coffee"]),
    "election=tea&kind=Ballots": (["Ballot cast"], ["Election created", "Candidates"]),
    "person=nobody": (["Nothing found"], ["Election created"]),
}


@pytest.mark.parametrize("query", FILTERS)
def test_event_log_can_be_filtered_by_person_election_and_kind(
    app: PagesApp, ada: Browser, grace: Browser, query: str
) -> None:
    app.world.launch(app.user("Ada"), "Tea")
    app.world.launch(app.user("Ada"), "Coffee")
    app.vote("Ada", "Tea", "Red", "Blue")
    page = text_in(grace.get("audit", query=f"?{query}").text).partition("Show")[2]
    expected, others = FILTERS[query]
    assert [text for text in expected if text not in page] == []
    assert [text for text in others if text in page] == []


# Tabs once were names of tables, and roles were names of constants.
def test_audit_pages_use_the_words_of_other_pages(grace: Browser) -> None:
    page = grace.get("audit", "query", query="?sql=SELECT * FROM users")
    assert missing_in(page, ["Stored data</a>", "Stored events</a>", "Auditor</td>"]) == []
    assert "vote_data</a>" not in page.text
    assert ">AUDITOR<" not in page.text


@pytest.fixture(scope="module")
def sample() -> SampleCopy:
    return copy_sample()


def test_every_list_is_one_click_away(sample: SampleCopy) -> None:
    seen = browser(sample.elections, sample.user("Grace"))
    page = seen.get("audit", "query")
    for name in RELATIONS:
        assert f'sql=SELECT+%2A+FROM+{name}"' in page.text
        shown = seen.get("audit", "query", query=f"?sql=SELECT+%2A+FROM+{name}")
        assert missing_in(shown, [f'aria-current="true">{name}</a>', "<td>"]) == []


def test_stored_table_is_paginated(sample: SampleCopy) -> None:
    seen = browser(sample.elections, sample.user("Grace"))
    page = seen.get("audit", "tables", "vote_data")
    assert missing_in(page, ["USER#Barbara", "kind-USER", "kind-UNIQUE"]) == []
    keys = [_keys(one.text) for one in (page, seen.open_next(page))]
    assert len(keys[0]) == 25
    assert not keys[0] & keys[1]


@pytest.mark.parametrize(
    ("page", "status"),
    [
        ("audit/tables/vote_sessions", 404),
        ("audit?cursor=made-up", 400),
    ],
)
def test_unknown_names_and_cursors_are_rejected(
    app: PagesApp, ada: Browser, grace: Browser, page: str, status: int
) -> None:
    response = grace.open(f"/elections/{page}")
    assert response.status_code == status
    assert "<h1>" in response.text


def _keys(text: str) -> set[str]:
    return {part.partition("</div>")[0] for part in text.split('class="stored-key">')[1:]}


# Clearing the closing time used to leave no trace on this page.
def test_event_shows_that_the_closing_time_was_cleared(
    app: PagesApp, ada: Browser, grace: Browser
) -> None:
    ada.submit(ada.get("new"), name="Tea", no_voting_after="2026-12-01T10:00")
    grace.http.cookies.set("zone", "Europe/Berlin")
    assert "closes 1 December 2026, 11:00 CET" in grace.read("audit")
    ada.submit(ada.get("e", "Tea", "settings"), no_voting_after="")
    newest = grace.read("audit").partition("Election created")[0]
    assert "Election updated" in newest
    assert "closes none" in newest


def test_query_page_shows_rows_and_errors(app: PagesApp, ada: Browser, grace: Browser) -> None:
    page = grace.get("audit", "query", query="?sql=SELECT+name+FROM+users+WHERE+name+LIKE+'G%25'")
    assert missing_in(page, ["<td>Grace</td>"]) == []
    wrong = grace.get("audit", "query", query="?sql=SELECT+*+FROM+ghosts")
    assert wrong.status_code == 422
    assert "No such table: ghosts" in wrong.text
