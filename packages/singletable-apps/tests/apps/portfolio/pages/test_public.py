"""The public site around its posts: what it shows, hides, and tells search engines."""

from __future__ import annotations

import json
import re
from collections import deque
from datetime import date
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import singletable_apps.portfolio.pages.public as public
from singletable import connect
from singletable_apps.portfolio.app import APP
from singletable_apps.portfolio.entities import Experience, Font, Project, Theme
from singletable_apps.portfolio.profile_rules import format_period
from singletable_apps.portfolio.rules import PostDraft
from singletable_apps.portfolio.service import open_portfolio
from singletable_apps.portfolio.service.comments import MESSAGES_PER_HOUR
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.objects import MemoryBucket
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.portfolio.support.harness import PASSWORD, SECRET
from tests.apps.portfolio.support.posts import fill_queue, publish
from tests.apps.support.html import field_errors, text_in

HOSTILE = "</script><script>alert(1)</script>"


def edit_person(app: PagesApp, **edits: object) -> None:
    app.world.service.profile.update_portfolio(app.world.owner(), edits)


def edit_settings(app: PagesApp, **edits: object) -> None:
    app.world.service.profile.update_settings(app.world.owner(), edits)


@pytest.fixture
def reader(app: PagesApp) -> Browser:
    """Return the browser of a visitor without an account."""
    return app.browser()


def test_new_site_says_how_to_set_it_up(new_app: PagesApp) -> None:
    browser = new_app.browser()
    page = browser.public()
    assert page.status_code == 200
    assert 'href="/portfolio/admin/set-up"' in page.text
    assert page.headers["Cache-Control"] == "no-store"
    # Everything else leads there, except what the page itself loads.
    for part in ("blog", "about", "tags", "search"):
        assert browser.public(part).text == page.text
    assert browser.public("theme.css").headers["Content-Type"].startswith("text/css")
    assert browser.public("icon.svg").status_code == 200


def test_empty_site_says_so_and_shows_no_empty_sections(reader: Browser) -> None:
    text = text_in(reader.public().text)
    assert "There is nothing here yet" in text
    assert "Latest posts" not in text
    assert "Projects" not in text
    for part, words in (
        ("blog", "No posts yet"),
        ("tags", "No post has a tag yet"),
        ("archive", "No posts yet"),
        ("projects", "No projects yet"),
        ("experience", "No positions yet"),
    ):
        page = reader.public(part)
        assert page.status_code == 200
        assert words in page.text


def test_home_shows_the_person_projects_and_posts(app: PagesApp, reader: Browser) -> None:
    projects = [Project(f"p{number}", f"Project {number}") for number in range(6)]
    edit_person(
        app,
        name="Ada King",
        headline="I write programs.",
        bio="First.\n\nSecond.",
        projects=projects,
        social_links={"github": "https://github.com/ada"},
        profile_pic_url="https://cdn.example/ada.jpg",
    )
    publish(app.world, "Tea")
    page = reader.public()
    text = text_in(page.text)
    shown = ("Ada King", "I write programs.", "Project 3", "All projects", "Tea", "Write to me")
    assert [words for words in shown if words not in text] == []
    assert "Project 4" not in text
    assert 'href="https://github.com/ada" rel="me noopener"' in page.text
    assert "https:" in page.headers["Content-Security-Policy"].partition("img-src")[2]
    assert page.text.count("<h1") == 1


def test_navigation_lists_only_what_there_is(app: PagesApp, reader: Browser) -> None:
    page = reader.public("blog").text
    nav = page.partition('<nav class="nav"')[2].partition("</nav>")[0]
    assert "Blog" in nav
    assert 'aria-current="page"' in nav
    assert "About" not in nav
    edit_person(app, about_markdown="# Me\n\nHello.")
    edit_settings(app, contact=False)
    nav = reader.public().text.partition('<nav class="nav"')[2].partition("</nav>")[0]
    assert "About" in nav
    assert "Contact" not in nav
    assert reader.public("contact").status_code == 404


def test_about_page_shows_markdown(app: PagesApp, reader: Browser) -> None:
    edit_person(app, about_markdown="I am *Ada*.\n\n<script>alert(1)</script>")
    page = reader.public("about")
    assert "I am <em>Ada</em>." in page.text
    assert "alert(1)" not in page.text
    assert "serif-italic.woff2" in page.text
    assert page.headers["Last-Modified"].endswith("GMT")


@pytest.mark.parametrize(
    ("start", "end", "period"),
    [
        (date(2021, 3, 1), None, "Mar 2021 – Present"),
        (date(2019, 1, 15), date(2021, 2, 1), "Jan 2019 – Feb 2021"),
        (date(2019, 1, 1), date(2019, 1, 31), "Jan 2019"),
        (None, date(2019, 1, 1), "Until Jan 2019"),
        (None, None, ""),
    ],
)
def test_period_is_in_months(start: date | None, end: date | None, period: str) -> None:
    assert format_period(start, end) == period


def test_timeline_starts_with_the_current_position(app: PagesApp, reader: Browser) -> None:
    entries = [
        Experience(
            "1", "Programmer", "Mill", start_date=date(1840, 1, 1), end_date=date(1843, 1, 1)
        ),
        Experience("2", "Analyst", "Engine", start_date=date(1843, 2, 1)),
    ]
    edit_person(app, experience=entries)
    text = text_in(reader.public("experience").text)
    assert text.index("Feb 1843 – Present") < text.index("Analyst") < text.index("Programmer")


def test_contact_form_sends_a_message(app: PagesApp, reader: Browser) -> None:
    form = reader.public("contact")
    fields = {"name": "Ben", "email": "ben@example.org", "message": "Hello, Ada."}
    # A program that fills in every field must not learn that it was recognized.
    assert 'name="website" tabindex="-1"' in form.text
    assert reader.submit(form, **fields, website="x.example").status_code == 303
    answer = reader.submit(form, **fields)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/portfolio/contact?sent=1"
    assert "Your message was sent" in reader.open(answer.headers["location"]).text
    [email] = app.world.mailbox.emails
    assert email.reply_to == "ben@example.org"
    assert "Hello, Ada." in email.text


def test_contact_form_names_invalid_fields(app: PagesApp, reader: Browser) -> None:
    answer = reader.submit(reader.public("contact"), name="Ben", email="ben", message=" ")
    assert answer.status_code == 422
    assert set(field_errors(answer)) == {"email", "message"}
    assert 'value="Ben"' in answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    assert app.world.mailbox.emails == []


def test_sixth_message_in_an_hour_is_refused_in_the_design_of_the_site(reader: Browser) -> None:
    fields = {"name": "Ben", "email": "ben@example.org", "message": "Hello."}
    answers = [reader.post("/portfolio/contact", fields) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [*[303] * 5, 429]
    assert 'class="site"' in answers[-1].text
    assert "Try again" in text_in(answers[-1].text)


def test_missing_page_offers_search_and_posts(app: PagesApp, reader: Browser) -> None:
    publish(app.world, "Tea")
    answer = reader.public("no-such-page")
    assert answer.status_code == 404
    assert answer.headers["Cache-Control"] == "no-store"
    for words in (
        "This page does not exist",
        "Search all posts",
        "To the home page",
        "Tea",
        'content="noindex"',
    ):
        assert words in answer.text


def test_search_marks_the_words(app: PagesApp, reader: Browser) -> None:
    publish(app.world, "Tea <b>", "Green tea & lemon.")
    app.world.service.posts.create(app.world.owner(), PostDraft("Secret tea", "A draft."))
    page = reader.public("search", q="tea")
    assert "<mark>Tea</mark> &lt;b&gt;" in page.text
    assert "<mark>tea</mark> &amp; lemon" in page.text
    assert "Secret" not in page.text
    assert 'content="noindex"' in page.text


def test_search_accepts_any_words_up_to_a_length(reader: Browser) -> None:
    for query in ('"', "tea*", "NEAR(", "a AND", HOSTILE, "   ", "é" * 200):
        page = reader.public("search", q=query)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
    answer = reader.public("search", q="x" * 201)
    assert answer.status_code == 422
    assert 'class="site"' in answer.text


def test_theme_stylesheet_is_cached_for_its_revision(app: PagesApp, reader: Browser) -> None:
    edit_settings(app, accent="#aa0055", font=Font.MONO, theme=Theme.DARK)
    page = reader.public()
    assert 'data-theme="dark"' in page.text
    assert "fonts/mono.woff2" in page.text
    url = page.text.partition('href="/portfolio/theme.css')[2].partition('"')[0]
    stylesheet = reader.open(f"/portfolio/theme.css{url}")
    assert "#aa0055" in stylesheet.text
    assert "immutable" in stylesheet.headers["Cache-Control"]
    assert "immutable" not in reader.public("theme.css", v="1").headers["Cache-Control"]


def test_head_describes_the_page(app: PagesApp, reader: Browser) -> None:
    edit_person(app, name=HOSTILE[:90], headline="Math & machines")
    edit_settings(app, tagline="Notes on engines", language="en-GB")
    text = reader.public().text
    for part in (
        '<html lang="en-GB"',
        "<title>Ada’s notes: Notes on engines</title>",
        '<meta name="description" content="Notes on engines">',
        '<link rel="canonical" href="https://ada.example/portfolio">',
        '<meta property="og:url" content="https://ada.example/portfolio">',
        '<meta name="twitter:card" content="summary">',
        'type="application/rss+xml"',
        'type="application/atom+xml"',
        'type="application/feed+json"',
    ):
        assert part in text
    data = json.loads(text.partition('ld+json">')[2].partition("</script>")[0])
    assert data["@type"] == "Person"
    assert data["name"] == HOSTILE[:90]
    assert "<script>alert" not in text


# A page must be the same for everyone, or a CDN would show one reader what is meant for another.
def test_pages_do_not_depend_on_cookies(app: PagesApp, reader: Browser, ada: Browser) -> None:
    publish(app.world, "Tea")
    ada.http.cookies.set("zone", "Asia/Tokyo")
    ada.http.cookies.set("theme", "dark")
    for path in ("", "blog", "blog/tea", "tags", "archive", "contact", "about"):
        parts = path.split("/") if path else []
        mine, theirs = ada.public(*parts), reader.public(*parts)
        assert mine.text == theirs.text
        assert mine.headers["ETag"] == theirs.headers["ETag"]
        assert mine.headers["Vary"] == "Accept-Encoding"
        assert "Set-Cookie" not in mine.headers
        again = reader.http.get(
            reader.app.urls.page(*parts),
            headers={"Accept": "text/html", "If-None-Match": theirs.headers["ETag"]},
        )
        assert again.status_code == 304
        # Browsers replace the headers of the cached page with these.
        assert "Content-Security-Policy" not in again.headers


def test_site_on_its_own_is_at_the_root() -> None:
    service = open_portfolio(
        connect("memory:"),
        SECRET,
        bucket=MemoryBucket(),
        urls=Urls(prefix="", public="https://ada.example"),
        passwords=Passwords(memory_kib=64, passes=1),
    )
    app = APP.make_app(service)
    browser = TestClient(app, headers={"Accept": "text/html"}, follow_redirects=False)
    assert 'href="/admin/set-up"' in browser.get("/").text
    assert browser.get("/blog").headers["location"] == "/"
    owner = service.accounts.set_up("Ada", "ada@example.org", PASSWORD, "Ada’s notes")
    draft = service.posts.create(owner, PostDraft("Tea", "Drink it."))
    service.posts.publish(owner, draft.blog_id, None)
    for path, status in (("/", 200), ("/blog", 200), ("/blog/tea", 200), ("/nope", 404)):
        page = browser.get(path)
        assert page.status_code == status
        assert 'class="site" href="/"' in page.text
        assert "/portfolio/" not in re.sub("/static/[0-9a-f]+/portfolio/", "", page.text)


def test_search_is_in_the_tab_order_where_it_stands(app: PagesApp, reader: Browser) -> None:
    header = reader.public().text.partition("<header")[2].partition("</header>")[0]
    assert header.index("find-first") < header.index('class="nav"') < header.index("find-last")


# On a site with a red accent, a message in its color looks like an error.
def test_message_of_success_has_a_color_of_its_own() -> None:
    css = (Path(public.__file__).parent.parent / "static" / "site.css").read_text()
    rules = [line for line in css.splitlines() if line.startswith(".note")]
    assert any("var(--success)" in line for line in rules)
    assert not any("var(--accent)" in line for line in rules)


def test_message_for_an_owner_who_gets_too_many_is_still_in_the_form(
    app: PagesApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = deque([app.world.clock()] * MESSAGES_PER_HOUR)
    monkeypatch.setattr(app.world.service.contact, "_sent", sent)
    browser = app.browser()
    fields = {"name": "Bob", "email": "bob@example.org", "message": "Will you give a talk?"}
    answer = browser.submit(browser.public("contact"), "/contact", **fields)
    assert answer.status_code == 422
    assert "too many messages" in answer.text
    assert "Will you give a talk?" in answer.text


def test_comment_for_a_full_queue_is_still_in_the_form(app: PagesApp) -> None:
    fill_queue(app.world, publish(app.world, "Tea").blog_id)
    app.world.clock.advance(seconds=1)
    browser = app.browser()
    fields = {"author_name": "Bob", "content": "Nice post!"}
    answer = browser.submit(browser.public("blog", "tea"), "/comments#comment", **fields)
    assert answer.status_code == 422
    assert "Too many comments are waiting for approval" in answer.text
    assert "Nice post!" in answer.text
