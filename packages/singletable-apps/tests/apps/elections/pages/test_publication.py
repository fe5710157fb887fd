"""Published data: the signed statement, the downloads, and who voted."""

from __future__ import annotations

import json

import pytest

from ranked_ballots.formats import read_ballots
from singletable_apps.elections.pages import results
from singletable_apps.elections.proofs import checker
from singletable_apps.elections.proofs.keys import fingerprint, format_fingerprint
from tests.apps.elections.pages.client import Browser, PagesApp, browser
from tests.apps.support.elections.sample import SampleCopy, copy_sample
from tests.apps.support.html import text_in

BOARD = "Board 2026"


@pytest.fixture(scope="module")
def sample() -> SampleCopy:
    return copy_sample()


@pytest.fixture(scope="module")
def hedy(sample: SampleCopy) -> Browser:
    return browser(sample.elections, sample.user("Hedy"))


def test_every_field_of_the_statement_is_explained(sample: SampleCopy, hedy: Browser) -> None:
    html = hedy.get("e", BOARD, "published").text
    text = text_in(html)
    statement = json.loads(sample.elections.context.read.get_election(BOARD).statement or "")
    for field in set(statement) - {"earlier"}:
        assert f" {field} " in text, field
    for code in (statement["root"], statement["secret"], statement["rankings"]):
        assert f"<code>{code}</code>" in html
    key = format_fingerprint(sample.keys.signer.public_key)
    assert f"Fingerprint {key}" in text
    assert f"--key {key}" in text
    assert "8 tracking codes" in text


def test_publication_can_be_downloaded_and_verified(sample: SampleCopy, hedy: Browser) -> None:
    answer = hedy.get("e", BOARD, "published", "publication.json")
    key = fingerprint(sample.keys.signer.public_key)
    findings = checker.check_publication(answer.json(), key)
    assert [finding.claim for finding in findings if not finding.ok] == []


def test_every_download_exists_and_contains_the_ballots(sample: SampleCopy, hedy: Browser) -> None:
    html = hedy.get("e", BOARD, "tally").text
    links = html.partition('<ul class="downloads">')[2].partition("</ul>")[0].split('<a href="')[1:]
    paths = [link.partition('"')[0] for link in links]
    assert len(paths) == 8, paths
    cast = sample.elections.results.rankings(sample.user("Hedy"), BOARD)
    for path in paths:
        answer = hedy.http.get(path)
        assert answer.status_code == 200, path
        assert "attachment" in answer.headers["content-disposition"]
        form = path.rpartition("/")[2]
        if "/ballots/" in path and form != "rctab":
            assert read_ballots(answer.content, form).ballots.ranking_counts() == cast, form
    result = hedy.get("e", BOARD, "tally", "result.json").json()
    assert result["winner"] == "Katherine"


def test_formats_that_cannot_hold_the_ballots_are_rejected(hedy: Browser) -> None:
    assert "/ballots/soc" not in hedy.get("e", BOARD, "tally").text
    refused = hedy.get("e", BOARD, "tally", "ballots", "soc")
    assert refused.status_code == 422
    assert "does not rank all candidates" in refused.text
    unknown = hedy.get("e", BOARD, "tally", "ballots", "docx")
    assert unknown.status_code == 422
    assert "Unknown format" in unknown.text


def test_turnout_page_has_names_pages_and_a_percentage(
    app: PagesApp, ada: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "NAMES_PER_PAGE", 2)
    names = [f"Voter {number}" for number in range(4)]
    app.world.register(*names)
    app.world.launch(app.user("Ada"), "Large", voters=names)
    assert "No one has voted yet" in ada.read("e", "Large", "voted")
    for name in names[:3]:
        app.vote(name, "Large", "Red")
    first = ada.get("e", "Large", "voted")
    assert "3 of 4 have voted" in first.text
    assert "Turnout: 75%" in first.text
    assert first.text.count("<li>Voter ") == 2
    last = ada.open_next(first)
    assert last.text.count("<li>Voter ") == 1
    assert 'rel="next"' not in last.text


def test_turnout_without_a_voter_list_has_no_percentage(sample: SampleCopy, hedy: Browser) -> None:
    text = hedy.read("e", "Team lunch", "voted")
    assert "5 people have voted." in text
    assert "Turnout" not in text
