"""Write docs/pictures/*.svg, screenshots of the command line: python -m tools.terminal_pictures.

The commands run in a terminal of fixed width on the shop of the guide, and Rich draws their output.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import chdir, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from singletable.cli import main as cli

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "docs/guide"
FOLDER = ROOT / "docs/pictures"
COLUMNS = 92

COMMANDS = {
    "explain.svg": "singletable explain shop orders_of ada --address file:shop.db",
    "plan.svg": "singletable plan shop",
    "show.svg": "singletable show file:shop.db shop --app shop --partition CUSTOMER#ada",
}
_SNIPPET = re.compile(r"^```python\n# fill\.py\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Parts of the output that differ on each run.
_DURATION = re.compile(r",\s+[\d.]+ ms")


def outputs() -> dict[str, str]:
    """Run each command on the sample data of the guide and return its output with colors."""
    snippet = _SNIPPET.search((GUIDE / "patterns.md").read_text())
    assert snippet is not None
    fill = snippet[1].replace(
        "datetime.now(UTC) + timedelta(days=7)", "datetime(2030, 1, 1, tzinfo=UTC)"
    )
    environment = {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS)}
    with (
        TemporaryDirectory() as folder,
        chdir(folder),
        patch.dict(os.environ, environment),
        patch.object(sys, "path", [folder, *sys.path]),
    ):
        Path("shop.py").write_text((GUIDE / "shop.py").read_text())
        sys.modules.pop("shop", None)
        exec(fill, {})
        printed = {name: _output(command.split()[1:]) for name, command in COMMANDS.items()}
        del sys.modules["shop"]
    return printed


def _output(arguments: list[str]) -> str:
    """Run a command and return what it prints, without durations."""
    printed = StringIO()
    with redirect_stdout(printed), suppress(SystemExit):
        cli(arguments)
    return _DURATION.sub("", printed.getvalue())


def draw(command: str, output: str) -> str:
    """Draw the command and its output as a terminal window."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    console.print(f"[bold]$ {command}[/bold]\n", highlight=False)
    console.print(Text.from_ansi(output.rstrip()))
    svg = console.export_svg(title="singletable", theme=MONOKAI, unique_id="terminal")
    # Rich loads its font from a CDN; viewers have a monospace font of their own.
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def main() -> None:
    """Write each picture."""
    for name, output in outputs().items():
        (FOLDER / name).write_text(draw(COMMANDS[name], output))


if __name__ == "__main__":
    main()
