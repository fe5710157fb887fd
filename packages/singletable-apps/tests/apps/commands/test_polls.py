"""`singletable polls`: what an operator does, and errors that say what to do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from singletable import Driver, Store, connect
from singletable_apps.polls.app import APP
from singletable_apps.polls.entities import Vote
from singletable_apps.polls.sample import SAMPLE_BROWSER, SAMPLE_POLLS
from singletable_apps.polls.service import Polls
from singletable_apps.shared.frame import Opening
from singletable_apps.shared.serve import PublicUrl
from tests.apps.commands.typed import Run, RunOf

URL = "http://127.0.0.1:8000"


@pytest.fixture
def typed(type_of: RunOf) -> Run:
    """Type a command about polls."""
    return type_of("polls")


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a site with the sample of polls."""
    site = tmp_path_factory.mktemp("site")
    APP.create_sample(site / "polls", PublicUrl(URL))
    return site


@pytest.fixture
def place(sampled: Path, tmp_path: Path) -> Path:
    """Return a copy of the sample: `polls.db`, and the secret in `secret.key`."""
    return Path(shutil.copytree(sampled, tmp_path / "site")) / "polls"


@pytest.fixture
def polls(place: Path) -> Iterator[Polls]:
    with connect(f"file:{place}/polls.db") as driver:
        yield opened(driver, place)


def opened(driver: Driver, folder: Path) -> Polls:
    """Return the service with the secret in a folder."""
    with APP.open(Opening(driver, folder)) as polls:
        return polls


def test_sample_creates_polls_with_votes(polls: Polls) -> None:
    found = {
        own.poll.title: own.poll for own in polls.lifecycle.list_created(SAMPLE_BROWSER, 10).items
    }
    votes = {title: polls.tallies.get(poll).votes for title, poll in found.items()}
    assert votes == {one.draft.title: sum(many for many, _ in one.votes) for one in SAMPLE_POLLS}


def test_recount_finds_a_vote_without_a_lane_entry(typed: Run, place: Path) -> None:
    with connect(f"file:{place}/polls.db") as driver:
        polls = opened(driver, place)
        poll = polls.lifecycle.list_created(SAMPLE_BROWSER, 10).items[-1].poll
    code, out, _ = typed("recount", poll.id, "--folder", place.parent)
    assert (code, "The results match." in out) == (0, True)
    with connect(f"file:{place}/polls.db") as driver:
        forged = Vote(
            poll_id=poll.id, id="forged", rankings=poll.candidates[:1], voted_at=poll.created_at
        )
        Store(driver).create(forged)
    code, out, _ = typed("recount", poll.id, "--folder", place.parent)
    assert code == 1
    assert "THE RESULTS DO NOT MATCH" in out


@pytest.mark.parametrize(
    ("poll", "file", "said"),
    [
        ("there-is-none", "polls.db", "There is no such poll."),
        ("any", "missing.db", "There is no file"),
    ],
)
def test_recount_explains_why_it_fails(
    poll: str, file: str, said: str, typed: Run, place: Path
) -> None:
    code, _, err = typed("recount", poll, "--address", f"file:{place}/{file}")
    assert code == 2
    assert said in err
    assert not (place / "missing.db").exists()


def test_serve_offers_pages_and_api_and_prints_the_folder(place: Path) -> None:
    at = f"file:{place}/polls.db"
    with connect(at) as driver:
        opening = Opening(driver, place)
        site = APP.run(opened(driver, place), opening, at, PublicUrl(URL))
        browser = TestClient(site.app, base_url=URL, headers={"Accept": "text/html"})
        assert browser.get("/").url.path == "/polls"
        assert browser.get("/api/polls/openapi.json").json()["info"]["title"] == "Polls"
        sample = site.sample()
    assert sample is not None
    assert [one.name for one in sample.entries] == [one.draft.title for one in SAMPLE_POLLS]
    assert dict(site.locations)["keys"] == str(place)
