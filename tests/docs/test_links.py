"""Links between documents, and the tests and files they name, exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.markdown import anchors, links
from tests.house.sources import DOCUMENTS, ROOT, name_of

every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
_SOURCE = re.compile(r"`(src/[\w/.]+|docs/[\w/.\-]+|benchmarks/[\w/.]+)`")


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
        assert (ROOT / file).is_file(), f"{file} is gone"
        assert not test or f"def {test}(" in (ROOT / file).read_text(), f"{file}::{test} is gone"


@every_document
def test_named_files_exist(path: Path) -> None:
    for name in _SOURCE.findall(path.read_text()):
        assert (ROOT / name).exists(), f"{name} is gone"
