"""The public site in a browser: small, still, accessible, and complete without scripts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.conftest import PHONE, WIDE, OpenPage
from tests.browser.page_checks import collect_errors, find_axe_violations, measure_load
from tests.browser.portfolio.public_server import PublicSite

# Bytes of a post with fonts, styles, scripts and headers, but without images.
BUDGET = 60_000
SHIFT = """new Promise((resolve) => {
  let total = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) total += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(total), 300);
})"""
PAGES = (
    (),
    ("blog",),
    ("blog", "everything"),
    ("blog", "a-title-of-sixty-characters-which-is-as-long-as-titles-get"),
    ("about",),
    ("projects",),
    ("experience",),
    ("contact",),
    ("tags",),
    ("tags", "engines"),
    ("archive",),
    ("search",),
    ("missing",),
)


def test_post_loads_little_and_does_not_move(open_page: OpenPage, public_site: PublicSite) -> None:
    page = open_page(viewport=PHONE)
    loaded = measure_load(page, public_site.url("blog", "everything"))
    sizes = {url: size for url, size in loaded.items() if not url.endswith(".webp")}
    assert sum(sizes.values()) < BUDGET, sizes
    assert all(url.startswith(public_site.address) for url in loaded)
    assert any("serif-italic" in url for url in sizes)
    # Lazy images come while the reader scrolls.
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_load_state("networkidle")
    assert page.evaluate(SHIFT) == 0


def test_second_visit_keeps_styles_and_scripts(
    open_page: OpenPage, public_site: PublicSite
) -> None:
    page = open_page(viewport=PHONE)
    errors = collect_errors(page)
    for parts in (("blog", "everything"), ("blog",)) * 3:
        page.goto(public_site.url(*parts))
        assert page.evaluate("document.styleSheets.length") == 2
    assert not errors


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")])
def test_pages_are_accessible_and_fit_the_screen(
    open_page: OpenPage, public_site: PublicSite, size: dict[str, int], scheme: str
) -> None:
    page = open_page(viewport=size, color_scheme=scheme)
    errors = collect_errors(page)
    wrong: dict[str, list[str]] = {}
    for parts in PAGES:
        page.goto(public_site.url(*parts))
        faults = find_axe_violations(page)
        if (width := page.evaluate("document.documentElement.scrollWidth")) > size["width"]:
            faults.append(f"{width} pixels wide")
        # The browser reports a missing page as an error itself.
        faults += [error for error in errors if "404" not in error]
        errors.clear()
        if page.locator("h1").count() != 1:
            faults.append("not one h1")
        if faults:
            wrong["/".join(parts)] = faults
    assert wrong == {}


# Between 62 and 68 characters are comfortable to read (Bringhurst, 2.1.2).
def test_lines_of_a_post_have_a_comfortable_length(
    open_page: OpenPage, public_site: PublicSite
) -> None:
    page = open_page(viewport=WIDE)
    page.goto(public_site.url("blog", "everything"))
    paragraph = page.locator(".prose > p").last
    width = paragraph.evaluate("(node) => node.clientWidth")
    whole = paragraph.evaluate(
        """(node) => {
          node.style.cssText = "white-space: nowrap; width: max-content";
          return node.clientWidth;
        }"""
    )
    assert 62 <= len(paragraph.inner_text()) * width / whole <= 68


def test_like_is_instant_and_can_be_undone(open_page: OpenPage, public_site: PublicSite) -> None:
    page = open_page()
    errors = collect_errors(page)
    page.goto(public_site.url("blog", "everything"))
    button = page.get_by_role("button", name=re.compile("Like this post"))
    expect(button).to_have_attribute("aria-pressed", "false")
    # The button changes before the server answers; what it counted is stored after the answer.
    with page.expect_response(is_counted):
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(button).to_contain_text("1")
    # The page is the same for everyone; the heart comes from the second request.
    page.reload()
    expect(button).to_have_attribute("aria-pressed", "true")
    with page.expect_response(is_counted):
        button.click()
        expect(button).to_have_attribute("aria-pressed", "false")
        expect(button).to_contain_text("Like")
    assert errors == []


def is_counted(response: Response) -> bool:
    return response.request.method == "POST" and response.url.endswith("/like")


def test_like_that_fails_is_taken_back(open_page: OpenPage, public_site: PublicSite) -> None:
    page = open_page()
    page.goto(public_site.url("blog", "everything"))
    button = page.get_by_role("button", name=re.compile("Like this post"))
    page.wait_for_load_state("networkidle")
    page.route("**/like", lambda route: route.abort())
    button.click()
    expect(page.locator("#like [role=status]")).to_have_text("That did not work. Please try again.")
    expect(button).to_have_attribute("aria-pressed", "false")


def test_view_is_counted_once_unless_the_reader_objects(
    open_page: OpenPage, public_site: PublicSite
) -> None:
    stats, post = public_site.service.stats, public_site.post.blog_id
    before = stats.days(post, 1)[0].views
    page = open_page()
    with page.expect_response("**/view") as counted:
        page.goto(public_site.url("blog", "everything"))
    assert counted.value.status == 204
    assert stats.days(post, 1)[0].views == before + 1
    assert page.context.cookies() == []
    private = open_page()
    private.add_init_script(
        "Object.defineProperty(navigator, 'globalPrivacyControl', {value: true})"
    )
    private.goto(public_site.url("blog", "everything"), wait_until="networkidle")
    assert stats.days(post, 1)[0].views == before + 1


def test_theme_of_the_reader_is_kept_and_applied_before_painting(
    open_page: OpenPage, public_site: PublicSite
) -> None:
    page = open_page(color_scheme="light")
    page.goto(public_site.url())
    paper = _paper(page)
    page.get_by_role("button", name="Dark").click()
    assert _paper(page) != paper
    page.goto(public_site.url("blog"), wait_until="commit")
    page.wait_for_selector("h1")
    assert _paper(page) != paper
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Auto").click()
    assert _paper(page) == paper


def _paper(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_everything_works_without_scripts(open_page: OpenPage, public_site: PublicSite) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(public_site.url("blog", "short"))
    expect(page.get_by_role("group", name="Theme")).to_be_hidden()
    expect(page.locator("[data-share]")).to_be_hidden()
    like = page.get_by_role("button", name=re.compile("Like this post"))
    like.click()
    expect(page).to_have_url(re.compile("like=1#like$"))
    expect(like).to_have_attribute("aria-pressed", "true")
    like.click()
    expect(like).to_have_attribute("aria-pressed", "false")
    page.get_by_label("Write a comment").fill("Hello.")
    page.get_by_label("Name").fill("Ben")
    page.get_by_role("button", name="Send comment").click()
    expect(page.get_by_text("appears here once it is approved")).to_be_visible()
    page.goto(public_site.url("search"))
    page.get_by_role("searchbox").fill("tide")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("mark").first).to_be_visible()


# Keyboard and screen reader users must never land in the field for bots.
def test_trap_field_cannot_be_reached(open_page: OpenPage, public_site: PublicSite) -> None:
    page = open_page()
    page.goto(public_site.url("contact"))
    page.get_by_label("Message").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Send message")).to_be_focused()
    expect(page.get_by_role("textbox", name="Website")).to_have_count(0)


def test_skip_link_is_first_and_leads_to_the_text(
    open_page: OpenPage, public_site: PublicSite
) -> None:
    page = open_page()
    page.goto(public_site.url("blog"))
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
