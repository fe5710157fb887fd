"""Links between documents, and the tests and files that they name, exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.testing.markdown import anchors, links
from tools.testing.sources import DOCUMENTS, ROOT, find_file, name_of

every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
_SOURCE = re.compile(r"`(packages/[\w/.\-]+|docs/[\w/.\-]+|benchmarks/[\w/.]+)`")


@every_document
def test_links_resolve(path: Path) -> None:
    for link in links(path):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), f"{link} leads nowhere"
        assert not anchor or anchor in anchors(target), f"{link} names no heading"


# A claim whose test is gone has no proof.
@every_document
def test_named_tests_exist(path: Path) -> None:
    for file, test in _TEST.findall(path.read_text()):
        assert (found := find_file(file)) is not None, f"{file} is gone"
        defined = rf"^(async )?def {test}\("
        assert not test or re.search(defined, found.read_text(), re.MULTILINE), test


@every_document
def test_named_files_exist(path: Path) -> None:
    for name in _SOURCE.findall(path.read_text()):
        assert (ROOT / name).exists(), f"{name} is gone"


# A documented departure without a test is only a promise.
def test_every_correction_since_polls_names_its_test() -> None:
    page = (ROOT / "docs/corrections.md").read_text()
    section = page.partition("\n## Polls")[2]
    rows = [line for line in section.splitlines() if re.match(r"\| [^-]", line)]
    shown = [row for row in rows if any(test for _, test in _TEST.findall(row))]
    bare = [row for row in rows if row not in shown and "| shown by |" not in row]
    assert len(rows) > 2
    assert not bare, f"name the test that shows it: {bare}"


# Readers do not find a chapter that nothing links to.
def test_every_chapter_is_listed() -> None:
    listed = set(links(ROOT / "docs/guide/README.md"))
    chapters = {path.name for path in (ROOT / "docs/guide").glob("*.md")}
    missing = sorted(chapters - {*listed, "README.md"})
    assert not missing, f"give each a line in docs/guide/README.md: {', '.join(missing)}"
