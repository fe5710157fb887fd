"""House rules for names that files share in strings: headers, CSS classes and data attributes.

No type checker compares these, so that a rename may miss one side.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tools.testing.sources import BENCHMARKS, DRILLS, EXAMPLES, PACKAGES, SOURCES, TESTS, name_of

FOLDERS = [path for path in PACKAGES if path.name in ("ranked_ballots", "singletable_apps")]
PAGES = (".html", ".js", ".py", ".svg")


@cache
def _texts(*endings: str) -> dict[Path, str]:
    paths = [path for folder in FOLDERS for path in sorted(folder.rglob("*"))]
    return {
        path: path.read_text()
        for path in paths
        if path.suffix in endings and "vendor" not in path.parts
    }


# ------------------------------------------------------------------------------ headers

# Registered by IANA, or defined by AWS, htmx, CDNs or our own servers.
HEADERS = """
    accept accept-encoding access-control-allow-origin allow authorization cache-control
    cdn-cache-control connection content-disposition content-encoding content-length
    content-security-policy content-type cross-origin-opener-policy cross-origin-resource-policy
    date dnt etag expect host hx-redirect hx-refresh hx-request idempotency-key if-match
    if-modified-since if-none-match last-event-id last-modified link location origin
    permissions-policy ratelimit ratelimit-policy referrer-policy retry-after sec-fetch-site
    sec-gpc set-cookie strict-transport-security user-agent vary www-authenticate
    x-accel-buffering x-amz-content-sha256 x-amz-crc32 x-amz-date x-amz-meta
    x-amz-security-token x-amz-target x-amzn-requestid x-content-type-options x-frame-options
    x-request-id
"""
_HEADER = re.compile(
    r'"([A-Z][A-Za-z0-9]*(?:-[A-Z][A-Za-z0-9]*)+)": '  # a key of a dict
    r'|\bheaders(?:\.get\(|\[)"([^"]+)"'
)


def test_headers_have_registered_names() -> None:
    python = [*SOURCES, *TESTS, *BENCHMARKS, *DRILLS, *EXAMPLES]
    texts, known = _texts(".js") | {path: path.read_text() for path in python}, set(HEADERS.split())
    assert not [
        f"{name_of(path)}: {match[0]}"
        for path, text in texts.items()
        for match in _HEADER.finditer(text)
        if (match[1] or match[2]).lower() not in known
    ]


# ------------------------------------------------------------------------------ CSS classes

_WORD = re.compile(r"[A-Za-z][\w-]*")
# The start of a class that is completed later: `level-{{ rank }}`, `is-${phase}`, `tone-{tone}`.
_PREFIX = re.compile(r"([a-z][\w-]*-)\$?\{")
_SELECTORS = re.compile(r"([^{};]+)\{")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CODE = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\$\{[^{}]*\}")
_CLASS = re.compile(r'\bclass="([^"]*)"')
# Added by htmx.
_HTMX = "htmx-"
# A list with any class has no bullets.
_UNSTYLED = {"menu-list"}


def _styled() -> set[str]:
    """Return the classes that stylesheets name."""
    selectors = (
        selector
        for text in _texts(".css").values()
        for selector in _SELECTORS.findall(_COMMENT.sub("", text))
    )
    return {name for selector in selectors for name in re.findall(r"\.([A-Za-z][\w-]*)", selector)}


def test_styled_classes_are_used_by_pages() -> None:
    text = "\n".join(_texts(*PAGES).values())
    words, prefixes = set(_WORD.findall(text)), (_HTMX, *set(_PREFIX.findall(text)))
    assert not {name for name in _styled() - words if not name.startswith(prefixes)}


def test_classes_in_pages_are_styled() -> None:
    styled = _styled() | _UNSTYLED
    assert not [
        f"{name_of(path)}: {name}"
        for path, text in _texts(*PAGES).items()
        if path.suffix in (".html", ".js")
        for classes in _CLASS.findall(_CODE.sub("", text))
        for name in classes.split()
        if name not in styled
        if not (name.endswith("-") and any(each.startswith(name) for each in styled))
    ]


# ------------------------------------------------------------------------------ data attributes

_ATTRIBUTE = re.compile(r"""\bdata-[a-z-]+(?=["'=\]])""")
_DATASET = re.compile(r"\bdataset\.(\w+)")


def _attributes(text: str) -> set[str]:
    """Return the data attributes that a script, a stylesheet or a test names."""
    names = (re.sub("([A-Z])", r"-\1", name).lower() for name in _DATASET.findall(text))
    return {*_ATTRIBUTE.findall(text), *(f"data-{name}" for name in names)}


def test_data_attributes_are_written_by_pages() -> None:
    # `[data-…]` is a selector.
    written = {
        name
        for text in _texts(*PAGES).values()
        for name in re.findall(r"(?<!\[)data-[a-z-]+", text)
    }
    tests = {path: path.read_text() for path in TESTS if {"apps", "browser"} & {*path.parts}}
    assert not [
        f"{name_of(path)}: {name}"
        for path, text in (_texts(".js", ".css") | tests).items()
        for name in _attributes(text) - written
    ]
