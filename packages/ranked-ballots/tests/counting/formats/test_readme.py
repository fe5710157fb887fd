"""The README of formats: its example runs, and it lists all formats and rules."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from ranked_ballots import formats
from ranked_ballots.formats import FORMATS
from ranked_ballots.formats.rules import Malformed, Overvotes, Repeats

PAGE = Path(formats.__file__).with_name("README.md")


def test_example_prints_what_the_readme_says(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = re.findall(r"^```\w+\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    exec(compile(code, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("name", FORMATS)
def test_readme_lists_format_with_its_reserved_characters(name: str) -> None:
    row = next(line for line in PAGE.read_text().splitlines() if f"`{name}`" in line)
    assert all(mark in row or mark == "|" for mark in FORMATS[name].reserved)


@pytest.mark.parametrize("choice", [*get_args(Overvotes), *get_args(Repeats), *get_args(Malformed)])
def test_readme_lists_rule(choice: str) -> None:
    assert f'`"{choice}"`' in PAGE.read_text()
