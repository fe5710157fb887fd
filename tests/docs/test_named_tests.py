"""Every test that a page names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.sources import DOCUMENTS, ROOT, name_of

NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
NAMING = [path for path in DOCUMENTS if NAMED.search(path.read_text())]


@pytest.mark.parametrize("path", NAMING, ids=name_of)
def test_tests_named_on_a_page_exist(path: Path) -> None:
    missing = [
        f"{file}::{name}"
        for file, name in NAMED.findall(path.read_text())
        if not (ROOT / file).exists()
        or not re.search(rf"^(async )?def {name}\(", (ROOT / file).read_text(), re.MULTILINE)
    ]
    assert not missing, f"{name_of(path)} names tests that are not there: {', '.join(missing)}"


# A documented departure without a test is only a promise.
def test_every_correction_since_polls_names_its_test() -> None:
    page = (ROOT / "docs/corrections.md").read_text()
    section = page.partition("\n## Polls")[2]
    rows = [line for line in section.splitlines() if re.match(r"\| [^-]", line)]
    bare = [row for row in rows if not NAMED.search(row) and "| shown by |" not in row]
    assert len(rows) > 2
    assert not bare, f"name the test that shows it: {bare}"
