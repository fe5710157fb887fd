"""The page of the documentation that shows the last run."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"


def with_block(page: str, name: str, block: str) -> str:
    """The page with what stands between the markers of a benchmark replaced."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    between = re.compile(f"{re.escape(begin)}\n.*?{re.escape(end)}", re.DOTALL)
    replaced, found = between.subn(lambda _: f"{begin}\n{block}\n{end}", page)
    if found != 1:
        raise ValueError(
            f"The page has {found} blocks from '{begin}' to '{end}', and should have one. "
            "Add the two lines where the tables should stand."
        )
    return replaced
