"""Auditors read the log and the tables on pages; nobody else does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from singletable_apps.elections.events import Event
from singletable_apps.elections.pages.audit import event_rows
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.sample import SampleCopy, copy_sample
from tests.apps.support.elections.world import ballot, read_events
from tests.apps.support.html import missing_in

PAGES = ("audit", "audit/tables/vote_data", "audit/tables/vote_event_log", "audit/relations/users")
RELATIONS = (
    "users",
    "elections",
    "candidates",
    "voters",
    "ballots",
    "rankings",
    "events",
    "counts",
)


@pytest.fixture
def grace(app: PagesApp, ada: Browser) -> Browser:
    return app.register("Grace", Role.AUDITOR)


@pytest.mark.parametrize("page", PAGES)
def test_auditors_alone_see_it(app: PagesApp, ada: Browser, grace: Browser, page: str) -> None:
    admin = app.register("Alan", Role.ADMIN)
    assert admin.get(*page.split("/")).status_code == 403
    seen = grace.get(*page.split("/"))
    assert missing_in(seen, ["Hashes of passwords are redacted", "secret ballots are sealed"]) == []


def test_the_log_is_told_newest_first_in_plain_words(
    app: PagesApp, ada: Browser, grace: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Tea")
    cast = app.world.service.voting.cast(app.user("Ada"), "Tea", ballot("Red", "Blue"), "one")
    page = grace.get("audit")
    told = ["Ballot cast", "Red &gt; Blue", cast.receipt["confirmation"], "$(hidden)"]
    assert missing_in(page, told) == []
    assert page.text.index("Ballot cast") < page.text.index("Election launched")
    newest, before, *_ = reversed(read_events(app.world.driver))
    assert missing_in(page, [newest.hash, f'title="{before.hash}"']) == []
    assert "is-broken" not in page.text


def test_no_page_opens_a_secret_ballot_or_shows_a_hash_of_a_password(
    app: PagesApp, ada: Browser, grace: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Tea", terms=ElectionSettings(secret_ballot=True))
    cast = app.world.service.voting.cast(app.user("Ada"), "Tea", ballot("Blue"), "one")
    kept = app.user("Ada").hash.rpartition("$")[2]
    for page in (*PAGES, *(f"audit/relations/{name}" for name in RELATIONS)):
        text = grace.get(*page.split("/")).text
        assert cast.receipt["confirmation"] not in text
        assert kept not in text
    assert "sealed, " in grace.get("audit").text


def test_what_was_changed_after_it_was_written_is_marked(app: PagesApp, ada: Browser) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), "Tea")
    first, second = read_events(app.world.driver)
    assert [(row.intact, row.follows) for row in event_rows([second, first])] == [
        (True, True),
        (True, True),
    ]
    other = _changed(second, actor="Eve")
    assert [row.intact for row in event_rows([other, first])] == [False, True]
    loose = _changed(first, known_by="0" * 64)
    assert [row.follows for row in event_rows([second, loose])] == [False, True]


def _changed(event: Event, *, actor: str = "", known_by: str = "") -> Event:
    return Event(
        event_id=event.event_id,
        actor=actor or event.actor,
        when_occurred=event.when_occurred,
        event_type=event.event_type,
        event_data=event.event_data,
        previous_hash=event.previous_hash,
        hash=known_by or event.hash,
    )


def test_a_long_log_has_pages(app: PagesApp, ada: Browser, grace: Browser) -> None:
    for number in range(30):
        app.world.service.lifecycle.create(app.user("Ada"), f"Election {number}")
    first = grace.get("audit")
    following = first.text.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    second = grace.open(following.replace("&amp;", "&"))
    counts = [page.text.count('class="event-number"') for page in (first, second)]
    assert counts == [25, len(read_events(app.world.driver)) - 25]


@pytest.fixture(scope="module")
def sample() -> SampleCopy:
    return copy_sample()


@pytest.mark.parametrize("relation", RELATIONS)
def test_table_page_shows_each_relation_beside_it(
    app: PagesApp, sample: SampleCopy, relation: str
) -> None:
    seen = _auditor_of(app, sample)
    page = seen.get("audit", "tables", "vote_data", query=f"?relation={relation}")
    assert page.status_code == 200
    assert (
        missing_in(page, ["USER#Barbara", "kind-USER", "kind-UNIQUE", "As people think of it"])
        == []
    )
    alone = seen.get("audit", "relations", relation)
    assert missing_in(alone, ["What the columns say", relation.capitalize()]) == []


def test_a_table_is_read_page_by_page_beside_a_relation_that_stays(
    app: PagesApp, sample: SampleCopy
) -> None:
    seen = _auditor_of(app, sample)
    page = seen.get("audit", "tables", "vote_data", query="?relation=ballots")
    following = page.text.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    second = seen.open(following.replace("&amp;", "&"))
    assert "relation=ballots" in str(second.url)
    keys = [_keys(one.text) for one in (page, second)]
    assert len(keys[0]) == 25
    assert not keys[0] & keys[1]


@pytest.mark.parametrize(
    ("page", "status"),
    [
        ("audit/tables/vote_sessions", 404),
        ("audit/relations/passwords", 404),
        ("audit/tables/vote_data?relation=passwords", 404),
        ("audit?cursor=made-up", 400),
        ("audit/relations/users?cursor=made-up", 400),
    ],
)
def test_what_is_not_there_is_told(
    app: PagesApp, ada: Browser, grace: Browser, page: str, status: int
) -> None:
    answer = grace.open(f"/elections/{page}")
    assert answer.status_code == status
    assert "<h1>" in answer.text


def _auditor_of(app: PagesApp, sample: SampleCopy) -> Browser:
    site = replace(app.site, elections=sample.elections)
    other = replace(app, site=site)
    seen = other.browser(None)
    token = sample.elections.auth.start_session(sample.user("Grace"), "tests").access
    seen.http.cookies.set("elections_access", token)
    return seen


def _keys(text: str) -> set[str]:
    return {part.partition("</div>")[0] for part in text.split('class="stored-key">')[1:]}


def test_what_is_not_there_is_told_once(ada: Browser) -> None:
    answer = ada.get("audit", "relations", "nothing")
    assert answer.status_code == 404
    assert answer.text.count("There is no relation") == 1
