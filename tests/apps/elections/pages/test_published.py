"""What is published can be read, taken along, and checked without us."""

from __future__ import annotations

import json

import pytest

from singletable import connect
from singletable_apps.counting.formats import read_ballots
from singletable_apps.elections.proofs import fingerprint, format_fingerprint, verify_publication
from tests.apps.elections.pages.client import Reader, reader
from tests.apps.support.elections.sample import SampleCopy, copy_sample
from tests.apps.support.elections.world import World, ballot

BOARD = "Board 2026"


@pytest.fixture(scope="module")
def sample() -> SampleCopy:
    return copy_sample()


@pytest.fixture(scope="module")
def hedy(sample: SampleCopy) -> Reader:
    return reader(sample.elections, sample.user("Hedy"))


def test_the_statement_is_explained_line_by_line(sample: SampleCopy, hedy: Reader) -> None:
    told = hedy.read(BOARD, "published")
    statement = json.loads(sample.elections.context.read.get_election(BOARD).statement or "")
    for word in set(statement) - {"earlier"}:
        assert f" {word} " in told, word
    for said in (statement["root"], statement["secret"], statement["rankings"]):
        assert said in told
    key = format_fingerprint(sample.keys.signer.public_key)
    assert f"Fingerprint {key}" in told
    assert f"--key {key}" in told
    assert "8 confirmations" in told


def test_the_publication_can_be_downloaded_and_checked(sample: SampleCopy, hedy: Reader) -> None:
    answer = hedy.get(BOARD, "published", "publication.json")
    key = fingerprint(sample.keys.signer.public_key)
    findings = verify_publication(answer.json(), key=key)
    assert [finding.text for finding in findings if not finding.ok] == []


def test_every_file_of_the_page_is_there_and_says_what_was_cast(
    sample: SampleCopy, hedy: Reader
) -> None:
    html = hedy.get(BOARD, "tally").text
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
    result = hedy.get(BOARD, "tally", "result.json").json()
    assert result["winner"] == "Katherine"


def test_a_format_that_cannot_hold_the_ballots_is_not_offered_and_refused(hedy: Reader) -> None:
    assert "/ballots/soc" not in hedy.get(BOARD, "tally").text
    refused = hedy.get(BOARD, "tally", "ballots", "soc")
    assert refused.status_code == 422
    assert "does not rank all candidates" in refused.text
    unknown = hedy.get(BOARD, "tally", "ballots", "docx")
    assert unknown.status_code == 422
    assert "There is no format" in unknown.text


def test_who_voted_has_names_pages_and_a_share() -> None:
    world = World(connect("memory:"))
    names = [f"Voter {number:03}" for number in range(104)]
    ada, *voters = world.register("Ada", *names)
    world.launch(ada, "Large", voters=names)
    looks = reader(world.service, ada)
    assert "Nobody has voted yet" in looks.read("Large", "voted")
    for voter in voters[:103]:
        world.service.voting.cast(voter, "Large", ballot("Red"), "once")
    first = looks.get("Large", "voted")
    assert "103 of 104 who may" in first.text
    assert "Turnout: 99.0" in first.text
    assert first.text.count("<li>Voter ") == 100
    following = first.text.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    last = looks.http.get(following)
    assert last.text.count("<li>Voter ") == 3
    assert 'rel="next"' not in last.text


def test_without_a_list_there_is_no_share(sample: SampleCopy, hedy: Reader) -> None:
    told = hedy.read("What is for lunch", "voted")
    assert "5 people have voted. Everybody with the role for it may." in told
    assert "Turnout" not in told


def test_an_election_that_is_not_there_is_not_found(hedy: Reader) -> None:
    for part in ("tally", "voted", "published"):
        assert hedy.get("Nowhere", part).status_code == 404
