"""Write the sync modules that are generated from async ones.

A class that exists for both kinds of drivers is written once, with `async` and `await`. `PAIRS`
lists the modules; `make generate` writes the sync one next to its source, and a test fails when it
is stale. To add a pair, append an entry. The rules below cover most of the text; `replace` covers
the rest, mostly docstrings. A statement or `except` clause that only the async module needs ends
its first line with `# async only`.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "packages/singletable/src/singletable"

# The words of the async source, anywhere in it, and what the sync module has in their place.
RULES = [
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\bAsync(?=[A-Z])", ""),  # AsyncStore, AsyncIterator
    (r"(?<=\.)async_(?=\w)", ""),  # modules: remote.async_transport
    (r"\b(run|connect)_async\b", r"\1"),
]
ASYNC_ONLY = "# async only"
# Sort the imports, drop those that only the async module uses, and write `yield from` for a loop.
FIXES = "I001,F401,UP028"


@dataclass(frozen=True)
class Pair:
    """An async module and the sync one that is generated from it, below SOURCES."""

    source: str
    target: str
    # Text of the source and what replaces it, before the rules; each must occur.
    replace: dict[str, str] = field(default_factory=dict[str, str])


PAIRS = [
    Pair(
        "store/async_store.py",
        "store/store.py",
        {
            "The async store: read and write entities on any async driver.": (
                "The store: read and write entities on any driver."
            ),
            "entities with an async driver.": "entities with a driver.",
            "check_async_driver": "check_driver",
        },
    ),
    Pair(
        "remote/async_remote.py",
        "remote/remote.py",
        {
            "The async driver for DynamoDB": "The driver for DynamoDB",
            ", finish=is_write(operation)": "",
            "sends each request once.": "sends each request once; safe to use from many threads.",
        },
    ),
]


def sync_source(pair: Pair) -> str:
    """Return the text of the sync module."""
    text = _without_async_only((SOURCES / pair.source).read_text())
    for old, new in pair.replace.items():
        if old not in text:
            raise ValueError(f"{pair.source} does not contain {old!r}: correct PAIRS.")
        text = text.replace(old, new)
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    name = Path(pair.source).name
    text = f"# Generated from {name} by `make generate`; edit it there.\n{text}"
    target = str(SOURCES / pair.target)
    fixed = _ruff(text, "check", "--quiet", "--fix", "--unsafe-fixes", "--select", FIXES, at=target)
    return _ruff(fixed, "format", "--quiet", at=target)


def _without_async_only(text: str) -> str:
    lines = text.splitlines(keepends=True)
    marked = {
        number
        for number, line in enumerate(lines, 1)
        if line.rstrip().endswith(ASYNC_ONLY) and not line.lstrip().startswith("#")
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt | ast.ExceptHandler) and node.lineno in marked:
            lines[node.lineno - 1 : node.end_lineno] = [""] * (
                (node.end_lineno or node.lineno) - node.lineno + 1
            )
    return "".join(lines)


def _ruff(text: str, *command: str, at: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--stdin-filename", at, "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


def main() -> None:
    """Write every sync module."""
    for pair in PAIRS:
        (SOURCES / pair.target).write_text(sync_source(pair))


if __name__ == "__main__":
    main()
