"""The README of the example shows the costs that its generated docs have."""

from __future__ import annotations

import re

from tools.testing.sources import ROOT

TRACKER = ROOT / "examples/tracker"


def test_costs_in_the_readme_are_those_of_the_generated_docs() -> None:
    table = cost_table((TRACKER / "docs/README.md").read_text())
    assert table in (TRACKER / "README.md").read_text(), f"Expected this table:\n{table}"


def cost_table(docs: str) -> str:
    """Return the units of each pattern as a table, from the generated docs."""
    titles = dict(re.findall(r"^\| \*\*(\w+)\*\* \| (.*?)<br>", docs, re.MULTILINE))
    lines = ["|  | pattern | items | reads | writes |", "|---|---|---:|---:|---:|"]
    for code, cells in re.findall(r"^\| \*\*([A-Z]\d+)\*\* \| (\d.*) \|$", docs, re.MULTILINE):
        items, _, reads, writes, *_ = (cell.strip() for cell in cells.split("|"))
        lines.append(f"| {code} | {titles[code]} | {items} | {reads} | {writes} |")
    return "\n".join(lines)
