"""The shop of the guide: the module that the chapter shows, with up-to-date docs."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

import pytest

from singletable.errors import StaleDocs
from singletable_design.docs_generator import check_docs
from tools.testing.markdown import blocks
from tools.testing.sources import ROOT

GUIDE = ROOT / "docs/guide"


@pytest.fixture(scope="module")
def shop() -> ModuleType:
    spec = spec_from_file_location("shop", GUIDE / "shop.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_shop_chapter_shows_the_module() -> None:
    first = next(block for block in blocks(GUIDE / "patterns.md") if block.language == "python")
    assert first.text == (GUIDE / "shop.py").read_text(), (
        "docs/guide/patterns.md and docs/guide/shop.py show different shops. Copy one to the other."
    )


# We check our own docs as we advise users to check theirs.
def test_shop_docs_are_up_to_date(shop: ModuleType) -> None:
    try:
        check_docs(shop, GUIDE / "shop")
    except StaleDocs as stale:
        pytest.fail(f"{stale}, in docs/guide")
