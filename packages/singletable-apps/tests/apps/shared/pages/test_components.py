"""Templates comply with the content security policy, and the gallery shows all components."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import singletable_apps.shared.pages as room
from tests.apps.support import gallery
from tests.apps.support.gallery import make_gallery

ROOM = Path(room.__file__).parent
FORBIDDEN = re.compile(
    r"""\sstyle\s*=|<style|\son[a-z]+\s*=|\shx-on|javascript:|<script(?![^>]*\ssrc=)""",
    re.IGNORECASE,
)
TEMPLATES = sorted((ROOM / "templates").rglob("*.html"))


@pytest.fixture(scope="module")
def parts() -> str:
    return TestClient(make_gallery()).get("/parts").text


@pytest.mark.parametrize(
    "bad",
    ['<p style="color:red">', "<style>", '<a onclick="x">', "<script>x</script>", "<a hx-on:x>"],
)
def test_policy_check_finds_violations(bad: str) -> None:
    assert FORBIDDEN.search(bad)


def test_templates_comply_with_the_content_security_policy(parts: str) -> None:
    assert not FORBIDDEN.findall(parts)
    assert not [name.name for name in TEMPLATES if FORBIDDEN.search(name.read_text())]


def test_every_macro_is_in_the_gallery_and_the_readme(parts: str) -> None:
    shown = (Path(gallery.__file__).parent / "templates" / "parts.html").read_text()
    listed = (ROOM.parent / "README.md").read_text()
    macros = {
        name
        for path in TEMPLATES
        if path.parent.name == "macros"
        for name in re.findall(r"{% macro ([a-z]\w*)\(", path.read_text())
    }
    inner = {"mark", "icon", "drawing", "hidden", "preview", "sheet"}
    assert not {name for name in macros if f"`{name}(" not in listed and f"`{name}`" not in listed}
    assert not {name for name in macros - inner if f".{name}(" not in shown}


# CSS ignores undefined tokens silently.
def test_every_css_token_is_defined() -> None:
    sheets = "".join(path.read_text() for path in sorted((ROOM / "styles").glob("*.css")))
    set_here = set(re.findall(r"(--[a-z0-9-]+)\s*:", sheets))
    assert not set(re.findall(r"var\((--[a-z0-9-]+)", sheets)) - set_here


def test_element_ids_are_unique(parts: str) -> None:
    ids = re.findall(r'\sid="([^"]+)"', parts)
    assert sorted(ids) == sorted(set(ids))
