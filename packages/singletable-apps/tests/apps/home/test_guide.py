"""The guide: every document is a page, links lead to pages, and code can be copied."""

from __future__ import annotations

import re
import tomllib
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from singletable_apps.home.app import make_site_app
from singletable_apps.home.guide import (
    Guide,
    GuidePage,
    docs_folder,
    render_document,
)
from tools.testing.sources import ROOT


@pytest.fixture(scope="module")
def guide() -> Guide:
    return Guide(docs_folder())


@pytest.fixture(scope="module")
def browser() -> TestClient:
    return TestClient(make_site_app([]), headers={"Accept": "text/html"})


def _render(text: str) -> GuidePage:
    return render_document(text, lambda href: {"keys.md": "/guide/keys"}.get(href))


@pytest.fixture(scope="module")
def pages(guide: Guide) -> dict[str, GuidePage]:
    """Return all documents by URL."""
    urls = [guide.url_of(path.relative_to(ROOT).as_posix()) for path in ROOT.glob("docs/**/*.md")]
    pages = {url: guide.page(url) for url in urls if url is not None}
    return {url: page for url, page in pages.items() if page is not None}


def test_every_document_has_a_page_without_styles_scripts_or_dead_images(
    pages: dict[str, GuidePage], browser: TestClient
) -> None:
    assert len(pages) == len([*ROOT.glob("docs/**/*.md")])
    for url, page in pages.items():
        assert page.title != "Guide", url
        assert not re.search(r"<[^>]*\s(style|on[a-z]+)=|<script|<style|<!--", page.html), url
        for source in re.findall(r'<img[^>]* src="([^"]*)"', page.html):
            assert browser.get(source).headers["content-type"].startswith("image/"), (url, source)


def test_links_between_documents_lead_to_pages_and_headings(
    guide: Guide, pages: dict[str, GuidePage]
) -> None:
    for url, page in pages.items():
        for href in re.findall(r'<a href="([^"]+)"', page.html):
            target, _, anchor = unescape(href).partition("#")
            if target.startswith("http") or target == "/":
                continue  # the README is the home page
            linked = pages.get(target or url) or guide.page(target)
            assert linked is not None, (url, href)
            if anchor:
                assert f'id="{anchor}"' in linked.html, (url, href)


def test_table_of_contents_lists_every_page_of_the_guide(guide: Guide) -> None:
    entries = [entry.url for group in guide.groups for entry in group.entries]
    documents = [path for path in ROOT.glob("docs/guide/*.md") if path.name != "README.md"]
    assert {f"/guide/{path.stem}" for path in documents} <= set(entries)
    assert {
        f"/guide/reference/{path.stem}" for path in ROOT.glob("docs/reference/[a-z]*.md")
    } <= set(entries)
    assert guide.groups[0].entries[0].url == "/guide/first-design"
    before, after = guide.neighbors("/guide/declaring")
    assert (before, after) == (guide.groups[0].entries[-2], guide.groups[1].entries[0])
    assert guide.neighbors(entries[0])[0] is None
    assert guide.neighbors(entries[-1])[1] is None


def test_page_shows_its_headings_and_its_place_in_the_guide(browser: TestClient) -> None:
    page = browser.get("/guide/keys")
    assert page.status_code == 200
    assert "<h1>Keys</h1>" in page.text
    assert '<a href="/guide/keys" aria-current="page">' in page.text
    assert '<a href="#keys-never-collide">' in page.text
    assert 'rel="prev"' in page.text
    assert 'rel="next"' in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/guide/nowhere",
        "/guide/files/docs/guide/keys.md",
        "/guide/files/pyproject.toml",
        "/guide/source/src/singletable_apps/../../../pyproject.toml",
        "/guide/%2e%2e/%2e%2e/pyproject.toml",
    ],
)
def test_only_documents_images_and_sources_of_apps_are_served(
    browser: TestClient, path: str
) -> None:
    assert browser.get(path).status_code == 404


def test_links_to_modules_of_apps_show_their_source(guide: Guide, browser: TestClient) -> None:
    url = guide.url_of("packages/singletable-apps/src/singletable_apps/polls/patterns.py")
    assert url is not None
    page = browser.get(url)
    assert page.status_code == 200
    assert '<span class="code-keyword">from</span> __future__' in page.text


def test_terminal_session_shows_its_last_line() -> None:
    html = _render("```console\n$ make run\n$ make test\n```").html
    assert html.count("make test") == 2  # shown, and copied
    assert html.count('<span class="code-prompt">$ </span>') == 2


def test_headings_have_no_gap_below_the_title() -> None:
    html = _render("# Title\n\n### Error\n\n#### Error.member\n").html
    assert "<h2" in html
    assert "<h3" in html
    assert "<h4" not in html


def test_link_to_a_missing_file_becomes_text() -> None:
    assert _render("[a](missing.md) [b](keys.md)").html == (
        '<p><a>a</a> <a href="/guide/keys">b</a></p>\n'
    )


def test_raw_html_is_escaped_except_line_breaks() -> None:
    html = _render("a<br>b <b>c</b>\n\n<script>x</script>\n\n<!-- note -->\n").html
    assert "a<br>b &lt;b&gt;c" in html
    assert "&lt;script&gt;" in html
    assert "note" not in html


def test_copy_button_copies_code_and_of_a_terminal_only_the_commands() -> None:
    html = _render("```python\nx = 1\n```\n\n```console\n$ make run\nrunning\n```\n").html
    assert '<code id="code-0">x = 1</code>' in html
    assert 'data-copy="code-0"' in html
    assert '<span id="code-1" hidden>make run</span>' in html
    assert 'data-copy="code-1"' in html
    assert "data-copy" not in _render("```text\noutput\n```\n").html


def test_repeated_headings_have_different_ids() -> None:
    page = _render("# Title\n\n## A `b`\n\n## A b\n")
    assert page.title == "Title"
    assert [(heading.text, heading.id) for heading in page.headings] == [
        ("A b", "a-b"),
        ("A b", "a-b-1"),
    ]


# In an installed package there is no folder `docs` beside `src`.
def test_wheel_contains_the_documents_where_the_site_looks_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = ROOT / "packages/singletable-apps"
    wheel = tomllib.loads((project / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    ((source, target),) = wheel["targets"]["wheel"]["force-include"].items()
    assert (project / source).samefile(ROOT / "docs")
    package = tmp_path / target
    package.mkdir(parents=True)
    monkeypatch.setattr(
        "singletable_apps.home.guide.__file__", str(tmp_path / "singletable_apps/home/guide.py")
    )
    assert docs_folder() == package


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("put_many", "/guide/reference/store#storeput_many"),
        ("pages and cursors", "/guide/reading#pages-and-cursors-both-ways"),
        # A page of the guide about a word comes before the names that contain it.
        ("transaction", "/guide/transactions"),
        ("key", "/guide/keys"),
    ],
)
def test_search_finds_sections(browser: TestClient, query: str, first: str) -> None:
    answer = browser.get("/guide/search", params={"q": query})
    found = re.findall(r'<li><a href="([^"]+)"><strong>', answer.text)
    assert found[0] == first
    url, _, id_ = first.partition("#")
    assert not id_ or f'id="{id_}"' in browser.get(url).text


@pytest.mark.parametrize("query", ["", "zzzqqq", '"', "<zzzqqq>", "x" * 500])
def test_search_says_what_to_do_if_nothing_is_found(browser: TestClient, query: str) -> None:
    answer = browser.get("/guide/search", params={"q": query})
    assert answer.status_code == 200
    assert "guide-none" in answer.text
    assert "<zzzqqq>" not in answer.text


def test_headings_can_be_searched_without_a_connection(browser: TestClient) -> None:
    answer = browser.get("/guide/search/headings")
    assert ["/guide/reference/store#storeput_many", "Store.put_many", "The store"] in answer.json()
    known = {"If-None-Match": answer.headers["etag"]}
    assert browser.get("/guide/search/headings", headers=known).status_code == 304


def test_sources_of_all_packages_are_pages(browser: TestClient) -> None:
    text = browser.get("/guide/source").text
    assert all(
        f"<summary>{name} " in text
        for name in ("singletable", "singletable_design", "ranked_ballots", "singletable_apps")
    )
    links = re.findall(r'href="(/guide/source/[^"]+)"', text)
    assert len(links) > 500
    assert browser.get(next(link for link in links if link.endswith("store.py"))).status_code == 200


def test_pages_that_do_not_exist_lead_to_the_search(browser: TestClient) -> None:
    answer = browser.get("/guide/nothing")
    assert answer.status_code == 404
    assert "search the guide" in answer.text
