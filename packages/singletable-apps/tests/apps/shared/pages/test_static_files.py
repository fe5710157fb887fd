"""Static files are cached forever under a URL that changes with their content."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from singletable_apps.shared.pages import Pages
from singletable_apps.shared.pages.static_files import StaticFiles


def test_current_file_is_cached_forever(browser: TestClient, pages: Pages) -> None:
    answer = browser.get(pages.asset("notes/notes.css"))
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Content-Type"] == "text/css; charset=utf-8"
    assert answer.headers["Content-Encoding"] == "gzip"
    assert int(answer.headers["Content-Length"]) < len(answer.content)


def test_url_changes_with_the_content(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a {}")
    before = StaticFiles("notes", tmp_path).url("a.css")
    assert StaticFiles("notes", tmp_path).url("a.css") == before
    (tmp_path / "a.css").write_text("b {}")
    assert StaticFiles("notes", tmp_path).url("a.css") != before


# Pages that were open when the files changed request the old URLs.
def test_old_url_is_served_without_caching(browser: TestClient, pages: Pages) -> None:
    answer = browser.get("/static/000000000000/notes/notes.css")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "public, no-cache"
    again = browser.get(
        "/static/000000000000/notes/notes.css", headers={"If-None-Match": answer.headers["ETag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


def test_stylesheet_finds_its_fonts(browser: TestClient, pages: Pages) -> None:
    folder = pages.asset("shared/site.css").removesuffix("site.css")
    font = browser.get(f"{folder}fonts/inter-latin.woff2")
    assert font.headers["Content-Type"] == "font/woff2"
    assert "Content-Encoding" not in font.headers


def test_files_can_be_generated_by_the_app(browser: TestClient, pages: Pages) -> None:
    assert browser.get(pages.asset("notes/made.css")).text == ".made {}"


def test_compressed_file_is_reproducible() -> None:
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
def test_missing_file_error_lists_the_files(pages: Pages, path: str, words: str) -> None:
    with pytest.raises(LookupError, match=words):
        pages.asset(path)


@pytest.mark.parametrize(
    "path", ["../door.py", "..%2f..%2fdoor.py", "%2e%2e/door.py", "/etc/passwd", "fonts", ""]
)
def test_only_listed_files_are_served(browser: TestClient, pages: Pages, path: str) -> None:
    folder = pages.asset("shared/site.css").removesuffix("site.css")
    assert browser.get(f"{folder}{path}").status_code == 404
