"""Installed packages add commands; a broken one is reported in one line."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from singletable.cli import plugins
from tools.testing.commands import Run
from tools.testing.sources import ROOT

pytestmark = pytest.mark.usefixtures("wide_terminal")
Install = Callable[[str, dict[str, str]], None]

HELLO = '''
import typer

def hello(name: str, loud: bool = False) -> None:
    """Greet somebody."""
    typer.echo(f"HELLO {name.upper()}" if loud else f"Hello {name}")

family = typer.Typer(help="Greet many.")

@family.command()
def aunts() -> None:
    """Greet the aunts."""
    typer.echo("Hello aunts")

@family.command()
def uncles() -> None:
    """Greet the uncles."""

from singletable import AddressError

def fails() -> None:
    """Never greet."""
    raise AddressError("no such address")

number = 7
'''


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a package: its module and the metadata of its entry points."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    modules: list[str] = []

    def put(module: str, commands: dict[str, str]) -> None:
        modules.append(module)
        (tmp_path / f"{module}.py").write_text(HELLO)
        metadata = tmp_path / f"{module}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        lines = [f"{name} = {value}" for name, value in commands.items()]
        (metadata / "entry_points.txt").write_text("\n".join(["[singletable.commands]", *lines]))

    yield put
    for name in modules:
        sys.modules.pop(name, None)


def test_function_becomes_a_command(install: Install, run: Run) -> None:
    install("greeting", {"hello": "greeting:hello"})
    assert run("hello", "Ada", "--loud") == (0, "HELLO ADA\n", "")
    code, out, _ = run("hello", "-h")
    assert code == 0
    assert "Usage: " in out
    assert "Greet somebody." in out


def test_typer_app_becomes_a_command_group(install: Install, run: Run) -> None:
    install("families", {"family": "families:family"})
    assert run("family", "aunts") == (0, "Hello aunts\n", "")
    assert "uncles" in run("family", "--help")[1]


def test_help_lists_plugin_commands(install: Install, run: Run) -> None:
    install("listed", {"hello": "listed:hello", "family": "listed:family"})
    _, out, _ = run("--help")
    for words in ("hello", "Greet somebody.", "family", "Greet many.", "plan", "partiql"):
        assert words in out


def test_plugin_errors_end_like_our_own(install: Install, run: Run) -> None:
    install("failing", {"fail": "failing:fails"})
    assert run("fail") == (2, "", "singletable: no such address\n")


def test_plugins_cannot_replace_our_commands(install: Install, run: Run) -> None:
    install("impostor", {"show": "impostor:hello"})
    code, out, _ = run("show", "--help")
    assert code == 0
    assert "partition by partition" in out


BROKEN = [
    ("not_there:hello", "ModuleNotFoundError: No module named 'not_there'"),
    ("broken:goodbye", "AttributeError: module 'broken' has no attribute 'goodbye'"),
    ("broken:number", "TypeError"),
    ("broken:hello:hello", ""),
]


# A broken package must not break help or other commands.
@pytest.mark.parametrize(("value", "reason"), BROKEN)
@pytest.mark.parametrize("arguments", [(), ("some", "--thing"), ("--help",)])
def test_broken_plugin_is_reported_in_one_line(
    install: Install, run: Run, value: str, reason: str, arguments: tuple[str, ...]
) -> None:
    install("broken", {"bad": value, "hello": "broken:hello"})
    code, out, err = run("bad", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("singletable: The command 'bad' of the package broken could not be ")
    assert f"from {value}: {reason}" in err
    assert err.count("\n") == 1


def test_help_marks_broken_plugins(install: Install, run: Run) -> None:
    install("halves", {"bad": "not_there:hello", "hello": "halves:hello"})
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    assert "could not be loaded: ModuleNotFoundError" in out
    assert "Greet somebody." in out


def _modules_after(*arguments: str) -> set[str]:
    script = (
        "import sys\nfrom singletable.cli import main\n"
        f"try:\n    main({list(arguments)!r})\n"
        "except SystemExit:\n    print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(ran.stderr.split())


# A command must not import what only another command needs.
def test_help_imports_no_heavy_packages() -> None:
    assert not {"numpy", "botocore", "sqlalchemy", "fastapi"} & _modules_after("--help")


def test_own_commands_do_not_import_plugins() -> None:
    assert not [name for name in _modules_after("--version") if name.startswith("singletable_apps")]


# Without the package, its command says what to install.
def test_commands_of_packages_that_are_not_installed_name_the_package(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugins, "entry_points", lambda group: ())
    assert "install singletable-design and singletable-apps" in run("--help")[1]
    for package in ("singletable-apps", "singletable-design"):
        project = tomllib.loads((ROOT / "packages" / package / "pyproject.toml").read_text())
        for name in project["project"]["entry-points"][plugins.GROUP]:
            assert run.rejected(name, "shop", "-x").endswith(f"Install {package}."), name
