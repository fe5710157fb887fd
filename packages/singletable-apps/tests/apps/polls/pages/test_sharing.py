"""Short links, previews in chats, pictures, frames on other sites, and comments."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
from PIL import Image

from singletable_apps.polls.rules import PollDraft
from singletable_apps.shared.web import RateLimit
from tests.apps.polls.pages.client import HOME, OPTIONS, PollPages, Server, Visitor, faults_in
from tests.apps.polls.support.harness import changed
from tests.apps.support.html import text_in


@pytest.mark.parametrize("dash", ["", "-"])
def test_short_link_opens_the_poll_however_it_is_typed(
    server: Server, ada: Visitor, dash: str
) -> None:
    poll = server.poll()
    assert re.fullmatch("[0-9A-HJKMNP-TV-Z]{8}", poll.id)
    for typed in (poll.id, poll.id.lower()):
        answer = ada.get(f"/polls/{typed[:4]}{dash}{typed[4:]}?code=7")
        assert (answer.status_code, answer.headers["location"]) == (303, f"{poll.at}?code=7")


def test_unknown_short_links_are_not_found_and_guesses_are_limited() -> None:
    server = Server({"guess": RateLimit("guess", 2, 60)})
    ada = server.new_visitor()
    assert ada.get("/polls/nonsense-of-any-kind").status_code == 404
    statuses = [ada.get(f"/polls/p/0000000{digit}").status_code for digit in range(4)]
    assert statuses == [404, 404, 429, 429]


def test_link_with_a_uuid_still_works(server: Server, ada: Visitor) -> None:
    poll, old = server.poll().stored, "123e4567-e89b-12d3-a456-426614174000"
    poll.id, poll.revision = old, 0
    server.polls.context.store.create(poll)
    assert ada.get(f"/polls/p/{old}").status_code == 200
    assert ada.get(f"/polls/{old}").headers["location"] == f"/polls/p/{old}"
    assert f"{HOME}/polls/p/{old}" in ada.get(f"/polls/p/{old}/results").text


@pytest.mark.parametrize("page", ["", "/results"])
def test_pages_have_a_preview_with_a_picture(server: Server, ada: Visitor, page: str) -> None:
    poll = server.poll(PollDraft("Where to <go>?", OPTIONS))
    html = ada.get(f"{poll.at}{page}").text
    assert '<meta property="og:title" content="Where to &lt;go&gt;?">' in html
    assert '<meta name="twitter:card" content="summary_large_image">' in html
    [url] = re.findall('og:image" content="([^"]+)"', html)
    picture = ada.get(url)
    assert picture.headers["content-type"] == "image/png"
    assert Image.open(BytesIO(picture.content)).size == (1200, 630)
    assert f'data-share="{HOME}/polls/{poll.id}"' in html or not page


def test_picture_changes_with_the_votes(server: Server, ada: Visitor) -> None:
    poll = server.poll()
    before = ada.get(f"{poll.at}/picture.png").content
    ada.vote(poll.id, "Lake")
    server.wait(seconds=2)
    assert ada.get(f"{poll.at}/picture.png").content != before


# Other pages cannot be shown in a frame, where a click could be stolen.
def test_only_the_embedded_page_may_be_in_a_frame(server: Server, ada: Visitor) -> None:
    poll = server.poll()
    embedded, vote = ada.get(f"{poll.at}/embed"), ada.get(poll.at)
    assert "frame-ancestors *" in embedded.headers["content-security-policy"]
    assert "x-frame-options" not in embedded.headers
    assert "<form" not in embedded.text
    assert "frame-ancestors 'none'" in vote.headers["content-security-policy"]
    assert vote.headers["x-frame-options"] == "DENY"
    assert (
        f"&lt;iframe src=&#34;{HOME}{poll.at}/embed"
        in poll.organizer().get(f"{poll.at}/manage").text
    )


def test_description_is_markdown_without_scripts(server: Server, ada: Visitor) -> None:
    text = "See **this**: https://example.org <script>alert(1)</script>"
    html = ada.get(server.poll(PollDraft("Where?", OPTIONS, text)).at).text
    assert "<strong>this</strong>" in html
    assert '<a href="https://example.org" rel="noopener nofollow ugc">' in html
    assert "alert(1)" not in html


@pytest.fixture
def discussed(server: Server) -> PollPages:
    return server.poll(changed(PollDraft("Where?", OPTIONS), comments=True))


def test_comments_are_shown_and_the_organizer_deletes_them(
    discussed: PollPages, ada: Visitor
) -> None:
    page = ada.get(f"{discussed.at}/results")
    assert ada.send(page, "/comments#comments", text="Bring <b>cake</b>", name="Ada")
    shown = ada.get(f"{discussed.at}/results").text
    assert "Bring &lt;b&gt;cake" in shown
    assert "/delete" not in shown
    chair = discussed.organizer()
    assert chair.send(chair.get(f"{discussed.at}/results"), "/delete").status_code == 303
    assert "cake" not in ada.get(f"{discussed.at}/results").text


def test_invalid_comment_is_reported(discussed: PollPages, ada: Visitor) -> None:
    answer = ada.post(f"{discussed.at}/comments", {"text": ""})
    assert (answer.status_code, [*faults_in(answer)]) == (422, ["text"])


def test_comments_can_be_off(server: Server, ada: Visitor) -> None:
    poll = server.poll()
    assert "Your comment" not in text_in(ada.get(f"{poll.at}/results").text)
    assert ada.post(f"{poll.at}/comments", {"text": "Hi"}).status_code == 422
