"""Write a post in a browser: preview, save, schedule, publish, conflict, restore."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, FilePayload, Page, Route, expect

from singletable_apps.portfolio.entities import Font, MenuEntry
from singletable_apps.portfolio.rules import PostDraft, PostStatus, derive_slug, post_status
from tests.apps.portfolio.support.images import image_file
from tests.browser.conftest import PHONE, WIDE
from tests.browser.page_checks import collect_errors, find_axe_violations
from tests.browser.portfolio.server import Served

OpenAdmin = Callable[..., Page]
EDITOR = re.compile(r"/admin/posts/[0-9a-f-]{36}$")


def _write(served: Served, title: str, markdown: str = "Some *text*.") -> str:
    """Create a draft and return its id."""
    return served.service.posts.create(served.owner, PostDraft(title, markdown)).blog_id


def _status(served: Served, blog_id: str) -> PostStatus:
    now = served.service.context.clock()
    return post_status(served.service.posts.get(blog_id).blog, now)


def _press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


# The slug that the page shows while one types is the one that the server derives.
def test_slug_of_the_page_is_the_slug_of_the_server(open_admin: OpenAdmin) -> None:
    page = open_admin("posts", "new")
    titles = ("Smørrebrød & Œuvres", "Straße nach Łódź", "  -- Hi!  ", "Δ", "word " * 30, "x" * 150)
    for title in titles:
        page.get_by_label("Title", exact=True).fill(title)
        expect(page.get_by_label("Address: ")).to_have_value(derive_slug(title))


def test_shortcut_saves_in_place_and_toolbar_inserts_markdown(
    open_admin: OpenAdmin, served: Served
) -> None:
    blog_id = _write(served, "Shortcuts", "one two")
    page = open_admin("posts", blog_id)
    text = page.get_by_label("Text", exact=True)
    text.evaluate("field => { field.focus(); field.setSelectionRange(4, 7); }")
    page.get_by_role("button", name="Bold").click()
    expect(text).to_have_value("one **two**")
    page.keyboard.press("Control+i")
    expect(text).to_have_value("one ***two***")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Saved at")).to_be_visible()
    assert served.service.posts.get(blog_id).content.markdown == "one ***two***"
    page.keyboard.press("Control+s")
    expect(page.locator("[name=revision]")).to_have_value("2")
    # Nothing is unsaved, so leaving asks nothing.
    page.goto(served.admin("posts"))
    expect(page.get_by_role("heading", name="Posts")).to_be_visible()


def test_conflict_shows_both_versions_and_an_old_one_is_restored(
    open_admin: OpenAdmin, served: Served
) -> None:
    blog_id = _write(served, "Conflict", "Tea is good.")
    page = open_admin("posts", blog_id)
    draft = PostDraft("Conflict", "Tea is hot.")
    served.service.posts.edit(served.owner, blog_id, draft)
    page.get_by_label("Text", exact=True).fill("Tea is cold.")
    page.keyboard.press("Control+s")
    notice = page.get_by_role("alert")
    expect(notice.locator(".diff del")).to_have_text("hot")
    expect(notice.locator(".diff ins")).to_have_text("cold")
    expect(page.get_by_label("Text", exact=True)).to_have_value("Tea is cold.")
    _press(page, "Save draft")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert served.service.posts.get(blog_id).content.markdown == "Tea is cold."
    page.get_by_text("More", exact=True).click()
    page.get_by_role("link", name="History").click()
    page.get_by_role("navigation", name="Versions").get_by_role("link").last.click()
    expect(page.locator(".diff del")).to_have_text("good")
    _press(page, "Restore this version")
    expect(page.get_by_label("Text", exact=True)).to_have_value("Tea is good.")


def test_text_survives_a_session_that_ended(open_admin: OpenAdmin, served: Served) -> None:
    blog_id = _write(served, "Survival", "Before.")
    page = open_admin("posts", blog_id)
    page.get_by_label("Text", exact=True).fill("A long afternoon of writing.")
    page.context.clear_cookies()
    _press(page, "Save draft")
    expect(page).to_have_url(re.compile("sign-in"))
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password").fill("nine blue horses")
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(EDITOR)
    _press(page, "Restore them")
    expect(page.get_by_label("Text", exact=True)).to_have_value("A long afternoon of writing.")
    _press(page, "Save draft")
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Restore them")).to_be_hidden()


def test_new_post_that_was_saved_is_not_offered_again(
    open_admin: OpenAdmin, served: Served
) -> None:
    page = open_admin("posts", "new")
    for button in ("Save draft", "Publish now"):
        page.get_by_label("Title", exact=True).fill(f"By {button}")
        page.get_by_label("Text", exact=True).fill("Text.")
        _press(page, button)
        expect(page).to_have_url(EDITOR)
        # Its script forgets the text that is saved now.
        page.wait_for_load_state()
        page.goto(served.admin("posts", "new"))
        expect(page.get_by_label("Title", exact=True)).to_have_value("")
        expect(page.get_by_role("button", name="Restore them")).to_be_hidden()


def test_rejected_text_is_offered_again_after_leaving(
    open_admin: OpenAdmin, served: Served
) -> None:
    page = open_admin("posts", _write(served, "Rejected", "Before."))
    page.on("dialog", lambda dialog: dialog.accept())
    editor = page.url
    page.get_by_label("Text", exact=True).fill("After.")
    page.get_by_label("Address: ").fill("Not a slug")
    _press(page, "Save draft")
    expect(page.get_by_role("alert")).to_be_visible()
    page.goto(served.admin("posts"))
    page.goto(editor)
    page.get_by_role("link", name="Continue with the draft").click()
    expect(page.get_by_label("Text", exact=True)).to_have_value("After.")


def test_text_is_kept_on_the_server_when_the_page_is_left(
    open_admin: OpenAdmin, served: Served
) -> None:
    blog_id = _write(served, "Leaving", "Before.")
    page = open_admin("posts", blog_id)
    page.get_by_label("Text", exact=True).fill("After.")
    page.get_by_role("link", name="Media").click()
    expect(page.get_by_role("heading", name="Media")).to_be_visible()
    other = open_admin("posts", blog_id)
    other.get_by_role("link", name="Continue with the draft").click()
    expect(other.get_by_label("Text", exact=True)).to_have_value("After.")
    assert served.service.posts.get(blog_id).content.markdown == "Before."


def test_text_that_cannot_be_kept_warns_before_leaving(
    open_admin: OpenAdmin, served: Served
) -> None:
    page = open_admin("posts", _write(served, "Leaving"))
    asked: list[str] = []

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    page.route("**/admin/drafts/**", lambda route: route.abort())
    page.get_by_label("Text", exact=True).press_sequentially("More.")
    expect(page.get_by_text("Draft not saved")).to_be_visible()
    page.get_by_role("link", name="Media").click()
    expect(page.get_by_role("heading", name="Media")).to_be_visible()
    assert asked == ["beforeunload"]


# The type of the preview is that of the site, which the pages for authors do not have.
def test_preview_is_in_the_type_of_the_site(open_admin: OpenAdmin, served: Served) -> None:
    edits = {"font": Font.MONO, "css": ".prose p { color: rgb(1, 2, 3); }"}
    served.service.profile.update_settings(served.owner, edits)
    page = open_admin("posts", _write(served, "Type", "## Two\n\nSome *text*."))
    errors, frame = collect_errors(page), page.frame_locator("iframe[title=Preview]")
    expect(frame.locator("h1")).to_have_text("Type")
    expect(frame.locator("main p").first).to_have_css("color", "rgb(1, 2, 3)")
    expect(frame.locator("body")).to_have_css("font-family", re.compile("JetBrains Mono"))
    expect(page.locator("body")).not_to_have_css("font-family", re.compile("JetBrains Mono"))
    for look in ("Dark", "Light"):
        page.get_by_label("Look of the preview").get_by_role("button", name=look).click()
        expect(frame.locator("html")).to_have_css("color-scheme", look.lower())
    _press(page, "Preview")
    width = page.locator("iframe").evaluate("frame => frame.clientWidth")
    _press(page, "Phone")
    assert page.locator("iframe").evaluate("frame => frame.clientWidth") == 390 < width
    assert errors == []
    served.service.profile.update_settings(served.owner, {"font": Font.SERIF, "css": ""})


def test_settings_show_a_look_before_it_is_saved(open_admin: OpenAdmin, served: Served) -> None:
    page = open_admin("settings")
    errors, frame = collect_errors(page), page.frame_locator("iframe[title=Preview]")
    expect(frame.locator("html")).to_have_css("color-scheme", "light dark")
    page.get_by_role("radio", name="Monospace").check(force=True)
    page.get_by_role("radio", name="Dark").check(force=True)
    page.get_by_text("Styles of your own").click()
    page.get_by_label("CSS").fill("h1 { color: rgb(1, 2, 3); }")
    expect(frame.locator("h1").first).to_have_css("color", "rgb(1, 2, 3)")
    expect(frame.locator("body")).to_have_css("font-family", re.compile("JetBrains Mono"))
    expect(frame.locator("html")).to_have_css("color-scheme", "dark")
    page.get_by_label("CSS").fill("h1 { position: fixed; }")
    expect(page.locator("iframe")).to_have_class("is-stale")
    assert served.service.profile.get_settings().font is not Font.MONO
    assert errors == []


def test_older_previews_do_not_replace_newer_ones(open_admin: OpenAdmin, served: Served) -> None:
    page = open_admin("posts", _write(served, "Racing", "start"))
    held: list[str] = []

    def hold(route: Route) -> None:
        held.append("first")

    # The first request is never answered; the second aborts it.
    page.route("**/admin/preview?*", hold, times=1)
    text = page.get_by_label("Text", exact=True)
    with page.expect_request("**/admin/preview?*"):
        text.fill("*first*")
    with page.expect_event("requestfailed"):
        text.fill("*second*")
    expect(page.frame_locator("iframe[title=Preview]").locator("em")).to_have_text("second")
    assert held == ["first"]


def test_writing_works_without_scripts(open_admin: OpenAdmin, served: Served) -> None:
    page = open_admin("posts", "new", java_script_enabled=False)
    page.get_by_label("Title", exact=True).fill("No scripts")
    page.get_by_label("Text", exact=True).fill("It is *fine*.")
    page.get_by_text("More", exact=True).click()
    with page.expect_popup() as opened:
        _press(page, "Preview without saving")
    expect(opened.value.locator("main em")).to_have_text("fine")
    _press(page, "Publish now")
    expect(page).to_have_url(EDITOR)
    assert _status(served, page.url.rpartition("/")[2]) is PostStatus.PUBLISHED


def test_images_are_uploaded_and_chosen(open_admin: OpenAdmin, served: Served) -> None:
    page = open_admin("media")
    files: list[FilePayload] = [
        {"name": "sea.png", "mimeType": "image/png", "buffer": image_file(640, 480, "navy")},
        {"name": "notes.png", "mimeType": "image/png", "buffer": b"not an image"},
    ]
    page.get_by_label("Add images").set_input_files(files)
    expect(page.locator(".upload-error")).to_have_count(1)
    page.get_by_role("link", name="Show the uploaded images").click()
    expect(page.locator(".media-item")).to_have_count(1)
    page.goto(served.admin("posts", _write(served, "With a picture", "")))
    page.get_by_role("button", name="Image", exact=True).click()
    page.get_by_role("dialog").locator(".picker-item").first.click()
    expect(page.get_by_label("Text", exact=True)).to_have_value(
        re.compile(r"!\[\]\(/portfolio/media/")
    )
    expect(page.frame_locator("iframe[title=Preview]").locator("img")).to_be_visible()


def test_entries_are_moved_by_keyboard_and_by_dragging(
    open_admin: OpenAdmin, served: Served
) -> None:
    for title in ("Loom", "Engine"):
        page = open_admin("portfolio", "projects", "new")
        page.get_by_label("Title").fill(title)
        _press(page, "Save")
        expect(page.get_by_role("link", name=title)).to_be_visible()
    first = page.locator(".entry-title").first
    page.get_by_role("button", name="Move Engine down").press("Enter")
    expect(first).to_have_text("Loom")
    page.get_by_role("button", name="Move Engine up").click()
    expect(first).to_have_text("Engine")
    page.get_by_role("button", name="Move Loom up").click()
    expect(first).to_have_text("Loom")
    page.locator(".handle").last.drag_to(page.locator(".entry").first)
    expect(first).to_have_text("Engine")
    projects = served.service.profile.get_portfolio(consistent=True).projects
    assert [project.title for project in projects] == ["Engine", "Loom"]


# The navigation for authors is wider than a phone.
def test_current_page_is_visible_in_the_navigation_of_a_phone(open_admin: OpenAdmin) -> None:
    page = open_admin("people", viewport=PHONE)
    expect(page.get_by_role("link", name="People", exact=True).first).to_be_in_viewport()


PAGES = [
    (),
    ("posts",),
    ("posts", "new"),
    ("comments",),
    ("comments", "approved"),
    ("media",),
    ("trash",),
    ("portfolio",),
    ("portfolio", "about"),
    ("portfolio", "projects"),
    ("portfolio", "menu"),
    ("portfolio", "experience", "new"),
    ("settings",),
    ("transfer",),
    ("account",),
    ("people",),
    ("people", "invite"),
]


@pytest.mark.parametrize("parts", PAGES, ids=lambda parts: "/".join(parts) or "dashboard")
def test_pages_for_authors_are_accessible(
    open_admin: OpenAdmin, served: Served, parts: tuple[str, ...]
) -> None:
    _write(served, "A draft")
    page = open_admin(*parts)
    assert find_axe_violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert find_axe_violations(page) == []
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


@pytest.mark.parametrize("part", ["", "history", "share", "delete"])
def test_pages_of_a_post_are_accessible(open_admin: OpenAdmin, served: Served, part: str) -> None:
    blog_id = _write(served, "A post with an earlier version", "Tea is good.")
    served.service.posts.edit(served.owner, blog_id, PostDraft("A post", "Tea is **hot**."))
    page = open_admin("posts", blog_id, *([part] if part else []))
    assert find_axe_violations(page) == []
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_menu_of_many_words_stays_on_the_screen(open_admin: OpenAdmin, served: Served) -> None:
    links = [MenuEntry(f"m{number}", f"Writing {number}", "tags") for number in range(20)]
    menu = [*links, MenuEntry("long", "W" * 100, "archive")]
    before = served.service.profile.get_settings().menu
    served.service.profile.update_settings(served.owner, {"menu": menu})
    page = open_admin()
    page.get_by_role("link", name="View site").first.click()
    expect(page.get_by_role("link", name="Writing 19")).to_be_visible()
    for size in (WIDE, PHONE):
        page.set_viewport_size({"width": size["width"], "height": size["height"]})
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
    served.service.profile.update_settings(served.owner, {"menu": before})


def test_image_page_is_accessible(open_admin: OpenAdmin, served: Served) -> None:
    image = image_file(800, 500, "olive")
    media = served.service.media.upload(served.owner, image, "hills.png", "Green hills")
    page = open_admin("media", media.name)
    assert find_axe_violations(page) == []
