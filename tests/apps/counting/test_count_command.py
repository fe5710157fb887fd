"""`singletable count`: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from singletable.cli import main
from singletable_apps.counting import instant_runoff, schulze
from singletable_apps.counting.formats import read_ballots

Run = Callable[..., tuple[int, str, str]]

CAPITAL = """\
42:Memphis>Nashville>Chattanooga>Knoxville
26:Nashville>Chattanooga>Knoxville>Memphis
15:Chattanooga>Knoxville>Nashville>Memphis
17:Knoxville>Chattanooga>Nashville>Memphis
"""
HEAT = "5:Ada>Ben\n5:Ben>Ada\n"
METHODS = ["schulze", "ranked-pairs", "runoff", "copeland", "borda", "plurality"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Type the command in a folder with two files; its exit code, output and errors."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    Path("capital.abif").write_text(CAPITAL)
    Path("heat.abif").write_text(HEAT)

    def typed(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["count", *arguments])
        printed = capsys.readouterr()
        code = ended.value.code
        assert code is None or isinstance(code, int)
        return code or 0, printed.out, printed.err

    return typed


def test_the_result_is_told_with_its_reasons_numbers_rules_and_ballots(run: Run) -> None:
    code, out, err = run("capital.abif")
    assert (code, err) == (0, "")
    result = schulze(read_ballots("capital.abif").ballots)
    assert "Schulze: Nashville wins" in out
    for sentence in result.explanation:
        assert f"- {sentence}\n" in out
    for rule in result.rules:
        assert rule.sentence in out
    assert "100 ballots read (abif), 100 kept" in out
    assert "100 cast = 100 counted + 0 blank" in out
    assert re.search(r"^Nashville +- +68 \* +68 \* +58 \*$", out, re.MULTILINE)


def test_rounds_are_a_table(run: Run) -> None:
    _, out, _ = run("capital.abif", "--method", "runoff")
    for line in (r"Knoxville +17 +32 +58 ✓", r"Nashville +26 +26 ✕", r"Half +50 +50 +50"):
        assert re.search(rf"^{line}$", out, re.MULTILINE), line


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_counted(run: Run, method: str) -> None:
    code, out, _ = run("capital.abif", "-m", method)
    assert code == 0
    assert re.search(r"^[A-Z][\w ]+: \w+ wins$", out, re.MULTILINE)


def test_all_methods_are_counted_one_after_another(run: Run) -> None:
    _, out, _ = run("capital.abif", "-m", "all")
    won = re.findall(r"^([A-Z][\w ]+): (\w+) wins$", out, re.MULTILINE)
    assert [winner for _, winner in won] == [
        "Nashville",
        "Nashville",
        "Knoxville",
        "Nashville",
        "Nashville",
        "Memphis",
    ]


# Ties are never broken in silence: without a seed they are the result, with one it is shown.
def test_a_tie_is_reported_and_a_seed_that_breaks_it_is_disclosed(run: Run) -> None:
    _, out, _ = run("heat.abif")
    assert "Schulze: Ada and Ben are tied" in out
    assert "SHA-256" not in out
    _, out, _ = run("heat.abif", "--seed", "2026-11-15")
    result = schulze(read_ballots("heat.abif").ballots, seed="2026-11-15")
    assert f"Schulze: {result.winner} wins, by the seed" in out
    assert result.tie_break is not None
    for name, digest in zip(result.tie_break.order, result.tie_break.digests, strict=True):
        assert re.search(rf"^{name} +{digest}$", out, re.MULTILINE)


def test_json_is_the_result_and_nothing_else(run: Run) -> None:
    code, out, err = run("capital.abif", "--json", "--margins")
    assert code == 0
    assert out == schulze(read_ballots("capital.abif").ballots, strength="margins").to_json()
    assert "100 ballots read" in err


def test_json_of_all_methods_is_a_list(run: Run) -> None:
    _, out, _ = run("capital.abif", "--json", "-m", "all")
    assert [each["winner"] for each in json.loads(out)][2] == "Knoxville"
    assert len(json.loads(out)) == len(METHODS)


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (("--margins",), "strength (margins)"),
        (("--no-opinion",), "unranked (no opinion)"),
        (("-m", "runoff", "--equal-ranks", "exhaust-at-once"), "equal ranks (exhaust at once)"),
        (("-m", "plurality", "--equal-ranks", "skip"), "equal ranks (skip)"),
    ],
)
def test_a_rule_that_is_asked_for_is_used_and_told(
    run: Run, options: tuple[str, ...], rule: str
) -> None:
    _, out, _ = run("capital.abif", *options)
    assert rule in out


def test_pictures_are_written_where_they_are_asked_for(run: Run) -> None:
    _, out, _ = run("capital.abif", "-m", "all", "--svg", "new/pictures")
    drawn = sorted(Path("new/pictures").iterdir())
    assert [path.name for path in drawn] == [
        "copeland-pairs.svg",
        "ranked-pairs-pairs.svg",
        "runoff-rounds.svg",
        "runoff-transfers.svg",
        "schulze-pairs.svg",
        "schulze-paths.svg",
    ]
    for path in drawn:
        assert str(path) in out
        assert ET.parse(path).getroot().tag.endswith("svg")


def test_where_there_is_nothing_to_draw_it_says_so(run: Run) -> None:
    assert "no pictures of points alone" in run("capital.abif", "-m", "borda", "--svg", "new")[1]


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (None, (), "There is no file 'votes.txt'"),
        ("", (), "There is nothing in 'votes.txt'"),
        ("Dear Ada,\n", (), "votes.txt: No format fits."),
        (CAPITAL, ("--format", "papyrus"), "There is no format 'papyrus'; there are: cef, abif"),
        (CAPITAL, ("--format", "csv"), "votes.txt: Line 2: "),
        (CAPITAL, ("-m", "borda", "--margins"), "--margins is for schulze and ranked-pairs"),
        (CAPITAL, ("-m", "schulze", "--equal-ranks", "skip"), "--equal-ranks is for runoff"),
        (CAPITAL, ("--svg", "votes.txt"), "could not be written"),
        ("rank1,rank2\n,\n,\n", (), "votes.txt"),
    ],
)
def test_what_cannot_be_counted_is_explained(
    run: Run, content: str | None, options: tuple[str, ...], said: str
) -> None:
    if content is not None:
        Path("votes.txt").write_text(content)
    code, out, err = run("votes.txt", *options)
    assert (code, out) == (2, "") or "--svg" in options
    assert err.startswith("singletable: ")
    assert said in err
    assert "Traceback" not in err


def test_blank_ballots_alone_are_nothing_to_count(run: Run) -> None:
    Path("blank.csv").write_text("Ada,Ben\n,\n,\n")
    code, _, err = run("blank.csv")
    assert code == 2
    assert "There is nothing to count in blank.csv: no ballot ranks anybody (2 ballots read" in err


@pytest.mark.parametrize("arguments", [("capital.abif", "-m", "dice"), ()])
def test_a_wrong_use_is_a_usage_error(run: Run, arguments: tuple[str, ...]) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert "dice" in err or "FILE" in err


# A name may be anything; on a terminal it is still only words.
def test_names_do_not_steer_the_terminal(run: Run) -> None:
    Path("odd.csv").write_text('"[red]Ada[/red]","Ben \x1b[31m","\u202eCy"\n1,2,3\n1,3,2\n')
    code, out, _ = run("odd.csv")
    assert code == 0
    assert "[red]Ada[/red] wins" in out
    assert not set(out) & {"\x1b", "\u202e"}


def _at_a_terminal(*arguments: str) -> str:
    """What the command prints where it finds a terminal."""
    here, there = pty.openpty()
    command = [sys.executable, "-c", "from singletable.cli import main; main()", *arguments]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "60"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(command, stdout=there, stderr=there, env=environment) as process:
        os.close(there)
        printed = b""
        try:
            while part := os.read(here, 65536):
                printed += part
        except OSError:  # Linux tells the end of a terminal so
            pass
        assert process.wait() == 0
    os.close(here)
    return printed.decode()


def test_a_terminal_gets_colours_and_tables_that_have_room(tmp_path: Path) -> None:
    file = tmp_path / "many.csv"
    names = [f"Candidate {at}" for at in range(14)]
    file.write_text(",".join(names) + "\n" + ",".join(map(str, range(1, 15))) + "\n")
    out = _at_a_terminal("count", str(file))
    assert "\x1b[1m" in out
    words = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", out)
    assert max(len(line.rstrip()) for line in words.splitlines()) <= 60
    assert len(re.findall(r"^ 1 Candidate 0 ", words, re.MULTILINE)) > 1


def test_a_large_file_has_a_bar_on_a_terminal_and_none_in_a_pipe(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "large.csv"
    file.write_text("Ada,Ben,Cy\n" + "1,2,3\n" * 200_000)
    assert "Reading" in _at_a_terminal("count", str(file), "--json")
    _, _, err = run(str(file), "--json")
    assert "Reading" not in err


def test_the_runoff_of_the_command_is_that_of_the_library(run: Run) -> None:
    _, out, _ = run("capital.abif", "-m", "runoff", "--json", "--seed", "s")
    assert out == instant_runoff(read_ballots("capital.abif").ballots, seed="s").to_json()


# The library is often installed without the apps' extra: the way out is one line long.
def test_without_numpy_it_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['numpy'] = None\n"
        "from singletable.cli import main; main(['count', 'votes.abif'])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ran.returncode == 2
    assert ran.stderr == ("singletable: Counting needs NumPy: pip install 'singletable[apps]'.\n")
