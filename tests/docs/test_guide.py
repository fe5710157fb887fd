"""The guide's first page links to every chapter."""

from __future__ import annotations

from tests.docs.markdown import links
from tests.house.sources import ROOT

GUIDE = ROOT / "docs/guide"


# Readers do not find a chapter that nothing links to.
def test_every_chapter_is_listed() -> None:
    listed = set(links(GUIDE / "README.md"))
    missing = sorted(
        path.name for path in GUIDE.glob("*.md") if path.name not in {*listed, "README.md"}
    )
    assert not missing, f"give each a line in docs/guide/README.md: {', '.join(missing)}"
