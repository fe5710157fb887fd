"""House rules for tracked files of any language."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tools.testing.sources import DOCUMENTS, ROOT, SOURCES, name_of

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
PROMISE = re.compile(
    r"\bplanned\s+(?:next|for\s+(?:a|the)\s+(?:next|later|future))|\bcoming\s+soon|\broadmap\b"
    r"|\bwill\s+be\s+(?:added|available|implemented|possible|supported)\b|\bwe\s+plan\s+to\b"
    r"|\b(?:not|nor)\s+(?:yet\s+)?(?:available|implemented|met|possible|published|supported|tried)"
    r"(?:\s+\w+){0,2}\s+yet\b|\bnot\s+yet\s+(?:available|implemented|possible|supported)\b"
    r"|\bin\s+an?\s+(?:future|later)\s+(?:release|version)|\bonly\s+\S+\s+for\s+now\b"
    r"|\b(?:not\s+)?tried\s+yet\b|\bFIXME\b|\bTODO\b",
    re.IGNORECASE,
)
# Each true promise, with the reason why it is there.
PROMISES = {
    "README.md: not published on pypi yet": "links to the page that says how to install",
    "docs/guide/installation.md: not published on pypi yet": "the page that says how to install",
    "README.md: not met yet": "docs/performance.md lists the missed goals",
    "docs/performance.md: not met yet": "it lists the missed goals",
    "docs/performance.md: not tried yet": "what may still make writes faster",
    "dynamodb_engine/server/guard/signature.py: only {algorithm} for now": (
        "the words of AWS's error"
    ),
}


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


# A sentence about the future is read as a fact, and nobody comes back to it.
def test_promises_are_true() -> None:
    found = {
        f"{name_of(path)}: {' '.join(match[0].split()).lower()}"
        for path in [*DOCUMENTS, *SOURCES]
        if path != ROOT / "CHANGELOG.md"
        for match in PROMISE.finditer(path.read_text())
    }
    assert found == PROMISES.keys()
