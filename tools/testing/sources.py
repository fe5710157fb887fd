"""The files that the house rules apply to."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The importable packages, and the folders of their tests and of all other tests.
PACKAGES = sorted(ROOT.glob("packages/*/src/*"))
TEST_FOLDERS = [ROOT / "tests", *sorted(ROOT.glob("packages/*/tests"))]
# The projects that `singletable new` copies.
TEMPLATES = sorted(ROOT.glob("packages/singletable-apps/src/*/new/template*"))
SOURCES = sorted(
    path
    for package in PACKAGES
    for path in package.rglob("*.py")
    if not any(template in path.parents for template in TEMPLATES)
)
TESTS = sorted(path for folder in TEST_FOLDERS for path in folder.rglob("*.py"))
BENCHMARKS = sorted((ROOT / "benchmarks").rglob("*.py"))
DRILLS = sorted((ROOT / "drills").rglob("*.py"))
TOOLS = sorted((ROOT / "tools").rglob("*.py"))
EXAMPLES = sorted(
    path for folder in (ROOT / "examples", *TEMPLATES) for path in folder.rglob("*.py")
)
DOCUMENTS = sorted(
    path for folder in (ROOT, ROOT / "drills") for path in folder.glob("*.md")
) + sorted(
    path for folder in ("docs", "examples", "packages") for path in (ROOT / folder).rglob("*.md")
)


def name_of(path: Path) -> str:
    """Return the path in the repository, or in its package: singletable/store/plan.py."""
    return re.sub("^packages/[^/]+/(src/)?", "", path.relative_to(ROOT).as_posix())


def find_file(name: str) -> Path | None:
    """Return the file that `name_of` names, or None."""
    folders = [ROOT, *ROOT.glob("packages/*"), *ROOT.glob("packages/*/src")]
    return next((path for folder in folders if (path := folder / name).exists()), None)


def tree_of(path: Path) -> ast.Module:
    """Return the parsed file."""
    return ast.parse(path.read_text())
