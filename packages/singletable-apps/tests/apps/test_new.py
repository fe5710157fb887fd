"""`singletable new` creates a project that passes its own checks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from singletable_apps.new.project import MAX_NAME_LENGTH
from tools.testing.commands import Run
from tools.testing.commands import folder as folder
from tools.testing.commands import run as run


# The longest name, so that lines with it still have the right length.
@pytest.mark.rest
def test_new_app_passes_its_own_checks(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "a" * MAX_NAME_LENGTH
    assert run("new", name)[0] == 0
    monkeypatch.chdir(folder / name)
    assert run("diff", f"{name}.entities")[0] == 0
    assert run("docs", f"{name}.patterns", "--output", "docs")[0] == 0
    assert run("plan", f"{name}.patterns")[0] == 0
    _check("ruff", "check", ".")
    _check("ruff", "format", "--check", ".")
    # Other plugins that happen to be installed would take most of the time.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    _check("pytest", "-p", "singletable.testing.plugin")


@pytest.mark.rest
def test_new_app_with_pages_passes_its_own_checks(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "a" * MAX_NAME_LENGTH
    assert run("new", name, "--pages")[0] == 0
    monkeypatch.chdir(folder / name)
    assert run("diff", f"{name}.entities")[0] == 0
    assert run("plan", f"{name}.patterns")[0] == 0
    _check("ruff", "check", ".")
    _check("ruff", "format", "--check", ".")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    _check("pytest")
    command = [sys.executable, "-m", name, "serve", "--sample", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        printed = [server.stdout.readline() for _ in range(2)]
        server.terminate()
    _check("python", "-m", name, "outbox")
    assert "is running at http://127.0.0.1:" in printed[1]
    # An error page shows the message of the form before it, so the tests check the status too.
    (folder / name / name / "templates" / name / "notes.html").write_text("{{ undefined_name }}")
    with pytest.raises(AssertionError, match="assert 500 < 500"):
        _check("pytest", "-k", "test_notes_are_written")


def _check(program: str, *arguments: str) -> None:
    """Run a check of the project as its Makefile does."""
    installed = Path(sys.executable).with_name(program)
    process = subprocess.run([installed, *arguments], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr


def test_folder_can_have_another_name(run: Run, folder: Path) -> None:
    code, out, _ = run("new", "bookings", "--folder", "projects/new")
    assert code == 0
    assert "cd projects/new" in out
    assert (folder / "projects/new/bookings/schema.lock").exists()
    assert ".github/workflows/test.yml" in out
    assert run("new", "notebook", "--folder", "projects/pages", "--pages")[0] == 0
    written = [path for path in folder.rglob("*") if path.is_file()]
    texts = [f"{path.relative_to(folder)} {path.read_text()}".lower() for path in written]
    assert not [text for text in texts if "myapp" in text or "mysite" in text]


def test_folder_that_is_not_empty_is_rejected(run: Run, folder: Path) -> None:
    (folder / "bookings").mkdir()
    assert run("new", "bookings")[0] == 0
    before = sorted(folder.rglob("*"))
    (folder / "bookings/README.md").write_text("mine")
    assert "not empty" in run.rejected("new", "bookings")
    assert sorted(folder.rglob("*")) == before
    assert (folder / "bookings/README.md").read_text() == "mine"
    assert run("new", "other", "--folder", "bookings/README.md")[0] == 2


# The shell is completed for `singletable`, not for one of its commands.
@pytest.mark.parametrize("command", ["infrastructure", "new"])
def test_command_does_not_offer_to_complete_the_shell(run: Run, command: str) -> None:
    status, output, _ = run(command, "--help")
    assert status == 0
    assert "completion" not in output


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("My-App", "Did you mean my_app?"),
        ("9lives", "Did you mean n9lives?"),
        ("class", "is not a name for a package"),
        ("../up", "is not a name for a package"),
        ("", "is not a name for a package"),
        ("ab", "is too short"),
        ("b" * (MAX_NAME_LENGTH + 1), "has at most 30"),
        ("json", "is the name of another package"),
        ("singletable", "is the name of another package"),
        ("tests", "is the name of another package"),
    ],
)
def test_invalid_name_is_rejected(run: Run, folder: Path, name: str, expected: str) -> None:
    assert expected in run.rejected("new", name)
    assert not list(folder.iterdir())
