"""Every Python snippet in the documentation runs and prints what the page shows."""

from __future__ import annotations

import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import CodeType

import pytest

from dynamodb_engine.testing import endpoint
from singletable import Engine
from singletable.cli import main
from tools.testing.markdown import Block, blocks
from tools.testing.sources import DOCUMENTS, ROOT, name_of

# A block that starts with `# votes.py` is also that file, for later commands and snippets.
_FILE = re.compile(r"# ((?:\w+/)*\w+\.(?:py|abif))\n")
# A command may be shown with the exit code that it ends with, if it is not 0.
_EXIT_CODE = re.compile(r"# exit code (\d)")


def every_page_with(language: str) -> pytest.MarkDecorator:
    """Run a test for each document that has blocks of a language."""
    pages = [path for path in DOCUMENTS if any(one.language == language for one in blocks(path))]
    return pytest.mark.parametrize("path", pages, ids=name_of)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in the current directory, and forget modules imported from it afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    _forget_modules(tmp_path)


def _forget_modules(folder: Path) -> None:
    inside = f"{folder}/"
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(inside):
            del sys.modules[name]


# The snippets of a page are one session. A `text` block after one is its output.
@every_page_with("python")
def test_snippets_run(path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _run_snippets(path, folder, capsys)


# A consumer of a stream is the same program elsewhere.
@pytest.mark.parametrize("where", ["file", "endpoint"])
def test_recipes_for_streams_run(
    where: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Engine.in_memory() as engine, endpoint(engine) as url:
        address = f"dynamodb+{url}" if where == "endpoint" else f"file:{folder / 'shop.db'}"
        _run_snippets(ROOT / "docs/guide/streams.md", folder, capsys, address)


def _run_snippets(
    path: Path, folder: Path, capsys: pytest.CaptureFixture[str], address: str = "memory:"
) -> None:
    session: dict[str, object] = {"__name__": "__main__"}
    printed = ""
    for block in blocks(path):
        _kept(block, folder)
        match block.language:
            case "python":
                block = replace(block, text=block.text.replace('"memory:"', f'"{address}"'))
                exec(_compiled(block, path), session)
                printed = capsys.readouterr().out
            case "text" if printed:
                assert printed == block.text, f"{name_of(path)}, line {block.line}"
                printed = ""
            case _:
                printed = ""


# Our commands run as shown; the lines below one are part of its output, and "…" matches anything.
@pytest.mark.rest
@every_page_with("console")
def test_commands_run(
    path: Path,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for block in blocks(path):
        _kept(block, folder)
        if block.language != "console":
            continue
        for command, shown in _commands(block):
            program, *arguments = shlex.split(command.partition("  #")[0])
            _forget_modules(folder)  # each command is a process of its own
            if program == "singletable":
                with pytest.raises(SystemExit) as ended:
                    main(arguments)
                code = _EXIT_CODE.search(command)
                assert ended.value.code == (int(code[1]) if code else 0), command
            elif program == "cd":
                monkeypatch.chdir(arguments[0])
            elif program == "python":
                monkeypatch.setattr(sys, "argv", arguments)
                runpy.run_path(arguments[0])
            if program in ("singletable", "python"):
                printed = capsys.readouterr().out
                for line in shown:
                    assert re.search(re.escape(line).replace("…", ".*"), printed), line
            elif program == "make":
                makefile = (ROOT / "Makefile").read_text()
                assert re.search(rf"^{arguments[0]}:", makefile, re.MULTILINE), command


def _kept(block: Block, folder: Path) -> None:
    """Write the block to the file that it names, if it names one."""
    if named := _FILE.match(block.text):
        (folder / named[1]).parent.mkdir(exist_ok=True)
        (folder / named[1]).write_text(block.text)


def _compiled(block: Block, path: Path) -> CodeType:
    """Return the snippet compiled with its page and line, so that a failure points there."""
    text = "\n" * (block.line - 1) + block.text
    return compile(text, name_of(path), "exec", dont_inherit=True)


def _commands(block: Block) -> list[tuple[str, list[str]]]:
    """Yield each command of a block, and the lines shown below it."""
    commands: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif line.strip() and commands:
            commands[-1][1].append(line.strip())
    return commands
