"""Public results: for everyone with the link if the owner wants it; and the protocol."""

from __future__ import annotations

import pytest

from singletable_apps.elections.entities import Electorate
from singletable_apps.elections.proofs.encoding import digest
from singletable_apps.elections.rules.elections import TOO_FEW_BALLOTS
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import missing_in, text_in

TEA = "Tea"


@pytest.fixture
def link(app: PagesApp, ada: Browser, ben: Browser) -> str:
    """Return the link to the result of an election with two ballots for Red."""
    election = app.world.launch(app.user("Ada"), TEA)
    app.vote("Ada", TEA, "Red", "Green")
    app.vote("Ben", TEA, "Red", "Blue")
    return f"/elections/r/{election.election_id}"


def close(app: PagesApp) -> None:
    app.world.service.lifecycle.close(app.user("Ada"), TEA)


def test_notice_and_result_are_public_only_if_the_owner_says_so(
    app: PagesApp, ada: Browser, ben: Browser, link: str
) -> None:
    visitor = app.browser()
    assert str(ben.open(link).url.path) == "/elections/e/Tea/tally"
    for address in (link, "/elections/r/99999"):
        assert "/elections/sign-in" in str(visitor.open(address).url)
    assert ben.get("e", TEA, "public").status_code == 403
    assert "link can see it" in ada.flash(ada.submit(ada.get("e", TEA, "public")))
    notice = visitor.open(link)
    assert missing_in(notice, ["Voting is open", "Red", "Schulze method", "Everyone with an"]) == []
    assert "Red wins" not in text_in(notice.text)
    close(app)
    page = visitor.open(link)
    assert missing_in(page, ["Red wins", "Place", "2 ballots"]) == []
    assert [name for name in ("Ben", "Ada") if name in text_in(page.text)] == []
    assert ada.flash(ada.submit(ada.get("e", TEA, "public"))) == "It is private again."
    assert "/elections/sign-in" in str(visitor.open(link).url)
    for part in ("picture.png", "embed"):
        assert "/elections/sign-in" in str(visitor.open(f"{link}/{part}").url)


def test_public_link_has_a_preview_and_survives_a_rename(
    app: PagesApp, ada: Browser, link: str
) -> None:
    lifecycle, owner = app.world.service.lifecycle, app.user("Ada")
    lifecycle.share_result(owner, TEA, is_public=True)
    ada.submit(ada.get("e", TEA, "settings"), name="Afternoon tea")
    lifecycle.close(owner, "Afternoon tea")
    page = app.browser().open(link)
    preview = {
        "title": "Afternoon tea",
        "description": "Red wins. 2 ballots.",
        "url": f"http://127.0.0.1:8000{link}",
        "image": f"http://127.0.0.1:8000{link}/picture.png",
    }
    for name, content in preview.items():
        assert f'<meta property="og:{name}" content="{content}">' in page.text
    picture = app.browser().open(f"{link}/picture.png")
    assert picture.headers["content-type"] == "image/png"
    assert picture.content.startswith(b"\x89PNG")


def test_result_of_too_few_secret_ballots_stays_hidden(app: PagesApp, ada: Browser) -> None:
    lifecycle, owner = app.world.service.lifecycle, app.user("Ada")
    election = app.world.launch(owner, TEA, terms=ElectionSettings(secret_ballot=True))
    app.vote("Ada", TEA, "Red")
    lifecycle.share_result(owner, TEA, is_public=True)
    lifecycle.close(owner, TEA)
    for path in ("", "/picture.png", "/embed"):
        page = app.browser().open(f"/elections/r/{election.election_id}{path}")
        assert "/elections/sign-in" in str(page.url)
    pending = ada.read("e", TEA, "tally")
    assert "Fewer than 3 people voted" in pending


def test_public_result_and_protocol_of_several_seats(app: PagesApp, ada: Browser) -> None:
    lifecycle, owner = app.world.service.lifecycle, app.user("Ada")
    terms = ElectionSettings(method="scottish stv", seats=2)
    lifecycle.create(owner, TEA, terms)
    lifecycle.set_candidates(owner, TEA, ["Red", "Green", "Blue"])
    lifecycle.describe(owner, TEA, "Which tea?", "Loose leaves.")
    election = lifecycle.launch(owner, TEA, allow_edit=True)
    app.vote("Ada", TEA, "Red", "Green")
    lifecycle.share_result(owner, TEA, is_public=True)
    lifecycle.close(owner, TEA)
    page = app.browser().open(f"/elections/r/{election.election_id}")
    about = ["Which tea?", "Loose leaves."]
    text = text_in(page.text)
    assert [part for part in (*about, "Red elected", "Several seats") if part not in text] == []
    protocol = ada.read("e", TEA, "protocol")
    parts = [*about, "Opened 1 January 2026", "2 seats", "Quota 1", "1 voter took part. Red and "]
    assert [part for part in parts if part not in protocol] == []
    assert "data-share" in ada.get("e", TEA, "tally").text
    assert "Everyone with this link can see the result: http://" in ada.read("e", TEA, "tally")
    lifecycle.share_result(owner, TEA, is_public=False)
    assert "Only people who sign in here can open the link" in ada.read("e", TEA, "tally")


def test_protocol_has_everything_for_the_minutes(
    app: PagesApp, ada: Browser, ben: Browser, link: str
) -> None:
    assert ben.get("e", TEA, "protocol").url.path == "/elections/e/Tea/tally"
    close(app)
    closing = app.world.service.results.tally(app.user("Ben"), TEA).closing
    assert closing is not None
    text = text_in(ben.get("e", TEA, "protocol").text)
    for part in (
        "Protocol of the election",
        "Closed 1 January 2026",
        "Could vote All registered voters",
        "Voted 2 Method Schulze method",
        "1 Red elected",
        digest(closing["statement"], domain="closing"),
        "Place and date Chair Minutes",
    ):
        assert part in text, (part, text)


def test_protocol_has_all_questions_and_is_signed_once(app: PagesApp, ada: Browser) -> None:
    lifecycle, owner = app.world.service.lifecycle, app.user("Ada")
    voters = [owner, *app.world.register("Cleo", "Dan")]
    lifecycle.create(
        owner, TEA, ElectionSettings(secret_ballot=True, electorate=Electorate.ACCOUNTS)
    )
    lifecycle.edit(owner, TEA, {"ballot_name": "Meeting"})
    lifecycle.add_question(owner, TEA, "Cake")
    for name in (TEA, "Cake"):
        lifecycle.set_candidates(owner, name, ["Red", "Green"])
    lifecycle.launch(owner, TEA, allow_edit=False)
    for voter in voters:
        app.vote(voter.name, TEA, "Red")
    app.vote("Ada", "Cake", "Green")
    dialog = ada.read("e", TEA, "finalize")
    expected = ["have voted. 2 people haven’t answered", "one person answered one of the"]
    assert [part for part in expected if part not in dialog] == []
    assert "everyone here sees the results" not in dialog
    close(app)
    [text, other] = [ada.read("e", name, "protocol") for name in (TEA, "Cake")]
    parts = ["Meeting Protocol of the election", "1. Tea Voted 3", "Red wins", "2. Cake Voted 1"]
    assert [part for part in (*parts, TOO_FEW_BALLOTS) if part not in text] == []
    assert "Green wins" not in text
    assert [text.count(part) for part in ("Place and date", "Opened")] == [1, 1]
    assert other == text


# Other sites may show the result in a frame, and nothing else.
def test_public_result_can_be_embedded(app: PagesApp, ada: Browser, link: str) -> None:
    app.world.service.lifecycle.share_result(app.user("Ada"), TEA, is_public=True)
    close(app)
    page = app.browser().open(f"{link}/embed")
    assert missing_in(page, ["Red wins", "2 ballots", "Closed"]) == []
    assert "frame-ancestors *" in page.headers["content-security-policy"]
    assert "x-frame-options" not in page.headers
    assert "<form" not in page.text
    assert app.browser().open(link).headers["x-frame-options"] == "DENY"
    code = f"&lt;iframe src=&#34;http://127.0.0.1:8000{link}/embed&#34;"
    assert code in ada.get("e", TEA, "tally").text
