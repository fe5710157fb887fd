"""The files that the house rules apply to."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("packages/singletable/src/singletable", "packages/singletable-apps/src/singletable_apps")
# The project that `singletable new app` copies.
TEMPLATE = ROOT / "packages/singletable-design/src/singletable_design/cli/new/template"
SOURCES = sorted(
    path
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if TEMPLATE not in path.parents
)
TESTS = sorted((ROOT / "tests").rglob("*.py"))
BENCHMARKS = sorted((ROOT / "benchmarks").rglob("*.py"))
DRILLS = sorted((ROOT / "drills").rglob("*.py"))
TOOLS = sorted((ROOT / "tools").rglob("*.py"))
EXAMPLES = sorted([*(ROOT / "examples").rglob("*.py"), *TEMPLATE.rglob("*.py")])
DOCUMENTS = sorted(
    path for folder in (ROOT, ROOT / "drills") for path in folder.glob("*.md")
) + sorted(path for folder in ("docs", "examples", "src") for path in (ROOT / folder).rglob("*.md"))


def name_of(path: Path) -> str:
    """Return the path as a test id."""
    return str(path.relative_to(ROOT))


def tree_of(path: Path) -> ast.Module:
    """Return the parsed file."""
    return ast.parse(path.read_text())
