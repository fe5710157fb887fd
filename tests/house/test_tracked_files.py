"""House rules for tracked files of any language."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.house.sources import ROOT, name_of

# Package names are enough; users choose their own registry.
REGISTRIES = re.compile(
    r"index-" r"url|registry\.npm" r"js|pypi\.org/sim" r"ple|files\.python" r"hosted"
)
TEXT = {"", ".cfg", ".html", ".ini", ".json", ".md", ".py", ".toml", ".txt", ".yaml", ".yml"}

INSTALLATION = ROOT / "docs/guide/installation.md"
# With extras, quotes and options, or from a registry under another name.
INSTALLS_ONE = re.compile(
    r"(?:pip|pipx|uv tool) install (?:-\S+ |[\w-]+ )*['\"]?(?:singletable|ranked-ballots)\b"
    r"|uv add ['\"]?(?:singletable|ranked-ballots)\b"
)


def _tracked() -> list[Path]:
    """Return the tracked files; none in an unpacked archive without git."""
    if not (ROOT / ".git").exists():
        return []
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.suffix in TEXT and path.is_file()]


def test_no_file_names_a_package_registry() -> None:
    assert not [name_of(path) for path in _tracked() if REGISTRIES.search(path.read_text())]


# A command that cannot work is the first thing that a reader would try.
def test_one_page_says_how_to_install_packages_that_are_not_published() -> None:
    text = INSTALLATION.read_text()
    assert INSTALLS_ONE.search(text)
    if "not published" in text:
        found = [name_of(path) for path in _tracked() if INSTALLS_ONE.search(path.read_text())]
        assert found in ([], [name_of(INSTALLATION)])


# Databases are created at run time; one in the tree would be somebody's data.
def test_no_database_is_tracked() -> None:
    assert not [path for path in _tracked() if path.name.endswith((".db", ".db-wal", ".lock"))]
