"""The page about formats says what is so."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from singletable_apps.counting import formats
from singletable_apps.counting.formats import FORMATS
from singletable_apps.counting.formats.rules import Malformed, Overvotes, Repeats
from tests.docs.markdown import blocks

PAGE = Path(formats.__file__).with_name("README.md")


def test_the_example_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = list(blocks(PAGE))
    exec(compile(code.text, str(PAGE), "exec"), {})
    assert capsys.readouterr().out == printed.text


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_on_the_page_with_its_marks(name: str) -> None:
    row = next(line for line in PAGE.read_text().splitlines() if f"`{name}`" in line)
    assert all(mark in row or mark == "|" for mark in FORMATS[name].reserved)


@pytest.mark.parametrize("choice", [*get_args(Overvotes), *get_args(Repeats), *get_args(Malformed)])
def test_a_choice_is_on_the_page(choice: str) -> None:
    assert f'`"{choice}"`' in PAGE.read_text()
