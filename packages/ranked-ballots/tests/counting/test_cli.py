"""The command: its output, files, errors and exit codes."""

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
from rich.console import Console

import ranked_ballots
from ranked_ballots import Ballots, Ranking, instant_runoff, schulze
from ranked_ballots.cli import main
from ranked_ballots.formats import read_ballots, write_ballots
from ranked_ballots.report import ReportWriter, write_report

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
    """Return a function that runs the command in a folder with two files."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    Path("capital.abif").write_text(CAPITAL)
    Path("heat.abif").write_text(HEAT)

    def run_command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ranked-ballots", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        code = ended.value.code
        assert code is None or isinstance(code, int)
        return code or 0, printed.out, printed.err

    return run_command


def test_report_has_reasons_numbers_rules_and_ballots(run: Run) -> None:
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


def test_report_has_a_table_of_rounds(run: Run) -> None:
    _, out, _ = run("capital.abif", "--method", "runoff")
    for line in (r"Knoxville +17 +32 +58 ✓", r"Nashville +26 +26 ✕", r"Half +50 +50 +50"):
        assert re.search(rf"^{line}$", out, re.MULTILINE), line


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_chosen(run: Run, method: str) -> None:
    code, out, _ = run("capital.abif", "-m", method)
    assert code == 0
    assert re.search(r"^[A-Z][\w ]+: \w+ wins$", out, re.MULTILINE)


def test_method_all_counts_by_every_method(run: Run) -> None:
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


@pytest.mark.parametrize("method", ["scottish-stv", "meek-stv"])
def test_stv_fills_the_seats_of_the_option_or_of_the_file(run: Run, method: str) -> None:
    _, out, _ = run("capital.abif", "-m", method, "--seats", "2", "--svg", "drawn")
    assert re.search(r"STV: Memphis and \w+ are elected$", out, re.MULTILINE)
    assert re.search(r"^Memphis +42 ✓", out, re.MULTILINE)
    assert re.search(r"^Quota +3[34]", out, re.MULTILINE)
    assert Path(f"drawn/{method}-transfers.svg").exists()
    Path("capital.blt").write_bytes(
        write_ballots(read_ballots("capital.abif").ballots, "blt", seats=2)
    )
    assert run("capital.blt", "-m", method, "--json")[1] in (
        count(read_ballots("capital.blt").ballots, seats=2).to_json()
        for count in ranked_ballots.STV_METHODS.values()
    )


def test_stv_tie_is_reported(run: Run) -> None:
    _, out, _ = run("heat.abif", "-m", "scottish-stv", "--seats", "1")
    assert "Scottish STV: Ada and Ben are tied" in out


# Ties are never broken silently.
def test_tie_is_reported_and_its_tie_break_is_shown(run: Run) -> None:
    _, out, _ = run("heat.abif")
    assert "Schulze: Ada and Ben are tied" in out
    assert "SHA-256" not in out
    _, out, _ = run("heat.abif", "--seed", "2026-11-15")
    result = schulze(read_ballots("heat.abif").ballots, seed="2026-11-15")
    assert f"Schulze: {result.winner} wins after the tie-break" in out
    assert result.tie_break is not None
    for name, digest in zip(result.tie_break.order, result.tie_break.digests, strict=True):
        assert re.search(rf"^{name} +{digest}$", out, re.MULTILINE)


def test_json_output_is_only_the_result(run: Run) -> None:
    code, out, err = run("capital.abif", "--json")
    assert code == 0
    assert out == schulze(read_ballots("capital.abif").ballots).to_json()
    assert "100 ballots read" in err


def test_json_of_all_methods_is_a_list(run: Run) -> None:
    _, out, _ = run("capital.abif", "--json", "-m", "all")
    assert [result["winner"] for result in json.loads(out)][2] == "Knoxville"
    assert len(json.loads(out)) == len(METHODS)


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (("-m", "runoff", "--equal-ranks", "exhaust-at-once"), "equal ranks (exhaust at once)"),
        (("-m", "plurality", "--equal-ranks", "skip"), "equal ranks (skip)"),
    ],
)
def test_report_shows_the_chosen_rule(run: Run, options: tuple[str, ...], rule: str) -> None:
    _, out, _ = run("capital.abif", *options)
    assert rule in out


def test_svg_writes_pictures_to_the_folder(run: Run) -> None:
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


def test_svg_says_if_there_are_no_pictures(run: Run) -> None:
    assert "no pictures" in run("capital.abif", "-m", "borda", "--svg", "new")[1]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (None, (), "There is no file 'votes.txt'"),
        ("", (), "'votes.txt' is empty"),
        ("Dear Ada,\n", (), "votes.txt: No format matches."),
        (CAPITAL, ("--format", "papyrus"), "There is no format 'papyrus'. Formats: cef, abif"),
        (CAPITAL, ("--format", "csv"), "votes.txt: Line 2: "),
        (CAPITAL, ("-m", "schulze", "--equal-ranks", "skip"), "--equal-ranks is for runoff"),
        (CAPITAL, ("--svg", "votes.txt"), "Could not write"),
        ("rank1,rank2\n,\n,\n", (), "votes.txt"),
        (CAPITAL, ("--seats", "2"), "--seats is for scottish-stv and meek-stv"),
        (CAPITAL, ("-m", "meek-stv", "--equal-ranks", "split"), "split is not possible with STV"),
        (CAPITAL, ("-m", "meek-stv"), "votes.txt does not say how many seats to fill"),
    ],
)
def test_errors_are_explained_without_a_traceback(
    run: Run, content: str | None, options: tuple[str, ...], message: str
) -> None:
    if content is not None:
        Path("votes.txt").write_text(content)
    code, out, err = run("votes.txt", *options)
    assert (code, out) == (2, "") or "--svg" in options
    assert err.startswith("ranked-ballots: ")
    assert message in err
    assert "Traceback" not in err


def test_only_blank_ballots_is_an_error(run: Run) -> None:
    Path("blank.csv").write_text("Ada,Ben\n,\n,\n")
    code, _, err = run("blank.csv")
    assert code == 2
    assert "blank.csv has nothing to count: no ballot ranks a candidate (2 ballots read" in err


@pytest.mark.parametrize("arguments", [("capital.abif", "-m", "dice"), ()])
def test_wrong_arguments_are_a_usage_error(run: Run, arguments: tuple[str, ...]) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert "dice" in err or "FILE" in err


def test_names_do_not_control_the_terminal(run: Run) -> None:
    Path("odd.csv").write_text('"[red]Ada[/red]","Ben \x1b[31m","\u202eCy"\n1,2,3\n1,3,2\n')
    code, out, _ = run("odd.csv")
    assert code == 0
    assert "[red]Ada[/red] wins" in out
    assert not set(out) & {"\x1b", "\u202e"}


def _run_in_terminal(*arguments: str) -> str:
    """Run the command in a pseudo-terminal and return its output."""
    here, there = pty.openpty()
    command = [sys.executable, "-c", "from ranked_ballots.cli import main; main()", *arguments]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "60"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(command, stdout=there, stderr=there, env=environment) as process:
        os.close(there)
        printed = b""
        try:
            while part := os.read(here, 65536):
                printed += part
        except OSError:  # how Linux reports the end of a terminal
            pass
        assert process.wait() == 0
    os.close(here)
    return printed.decode()


def test_terminal_gets_colors_and_tables_that_fit(tmp_path: Path) -> None:
    file = tmp_path / "many.csv"
    names = [f"Candidate {at}" for at in range(14)]
    file.write_text(",".join(names) + "\n" + ",".join(map(str, range(1, 15))) + "\n")
    out = _run_in_terminal(str(file))
    assert "\x1b[1m" in out
    words = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", out)
    assert max(len(line.rstrip()) for line in words.splitlines()) <= 60
    assert len(re.findall(r"^ 1 Candidate 0 ", words, re.MULTILINE)) > 1


def test_large_file_has_a_progress_bar_only_in_a_terminal(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "large.csv"
    file.write_text("Ada,Ben,Cy\n" + "1,2,3\n" * 200_000)
    assert "Reading" in _run_in_terminal(str(file), "--json")
    _, _, err = run(str(file), "--json")
    assert "Reading" not in err


def test_runoff_equals_that_of_the_library(run: Run) -> None:
    _, out, _ = run("capital.abif", "-m", "runoff", "--json", "--seed", "s")
    assert out == instant_runoff(read_ballots("capital.abif").ballots, seed="s").to_json()


# `singletable --help` loads the commands of all installed packages.
def test_command_is_light_to_import() -> None:
    script = "import sys, ranked_ballots.cli; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"numpy", "rich.console", "msgspec"} & set(ran.stdout.split())


def test_public_names_can_be_imported() -> None:
    for name in ranked_ballots.__all__:
        assert getattr(ranked_ballots, name) is not None
    with pytest.raises(AttributeError, match="'ballots_of'"):
        ranked_ballots.ballots_of  # noqa: B018


def test_report_of_an_open_vote_announces_no_winner(capsys: pytest.CaptureFixture[str]) -> None:
    ballots = Ballots.from_rankings(["Ada", "Ben"], [Ranking.from_levels(["Ada"])])
    write_report(ReportWriter(Console()), schulze(ballots), is_final=False)
    out = capsys.readouterr().out
    assert "Schulze: Ada would win if voting closed now" in out
    assert " wins" not in out.partition("Head to head")[0]
