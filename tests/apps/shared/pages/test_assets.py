"""Static files are kept for ever under an address that changes with them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from singletable_apps.shared.pages import Pages
from singletable_apps.shared.pages.static_files import StaticFiles


def test_a_file_is_kept_for_ever(browser: TestClient, pages: Pages) -> None:
    answer = browser.get(pages.asset("notes/notes.css"))
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
    assert answer.headers["Content-Encoding"] == "gzip"
    assert int(answer.headers["Content-Length"]) < len(answer.content)


def test_another_content_is_another_address(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a {}")
    before = StaticFiles("notes", tmp_path).url("a.css")
    assert StaticFiles("notes", tmp_path).url("a.css") == before
    (tmp_path / "a.css").write_text("b {}")
    assert StaticFiles("notes", tmp_path).url("a.css") != before


# Pages that were open when the files changed ask by the address they know.
def test_an_older_address_is_answered_and_asked_again_each_time(
    browser: TestClient, pages: Pages
) -> None:
    answer = browser.get("/static/000000000000/notes/notes.css")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "public, no-cache"
    again = browser.get(
        "/static/000000000000/notes/notes.css", headers={"If-None-Match": answer.headers["ETag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


def test_a_stylesheet_finds_its_fonts_beside_itself(browser: TestClient, pages: Pages) -> None:
    folder = pages.asset("shared/site.css").removesuffix("site.css")
    font = browser.get(f"{folder}fonts/inter-latin.woff2")
    assert font.headers["Content-Type"] == "font/woff2"
    assert "Content-Encoding" not in font.headers


def test_files_may_be_made_by_the_app(browser: TestClient, pages: Pages) -> None:
    assert browser.get(pages.asset("notes/made.css")).text == ".made {}"


def test_a_packed_file_is_the_same_each_time() -> None:
    packed = [StaticFiles("x", None, {"a.css": "a {}"}).files["a.css"].compressed for _ in range(2)]
    assert packed[0] == packed[1]
    assert gzip.decompress(packed[0] or b"") == b"a {}"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("notes/gone.css", r"notes has no static file gone.css"),
        ("others/a.css", "Expected shared/… or notes/…, but got others/a.css"),
    ],
)
def test_a_file_that_is_not_there_is_an_error_that_says_which_are(
    pages: Pages, path: str, words: str
) -> None:
    with pytest.raises(LookupError, match=words):
        pages.asset(path)


@pytest.mark.parametrize(
    "path", ["../door.py", "..%2f..%2fdoor.py", "%2e%2e/door.py", "/etc/passwd", "fonts", ""]
)
def test_nothing_but_the_files_is_served(browser: TestClient, pages: Pages, path: str) -> None:
    folder = pages.asset("shared/site.css").removesuffix("site.css")
    assert browser.get(f"{folder}{path}").status_code == 404
