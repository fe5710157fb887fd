"""Every benchmark runs, and gives tables that can be printed and pasted; how fast is not tested."""

from __future__ import annotations

import re

import pytest

from benchmarks.__main__ import benchmark, main, names
from benchmarks.measuring.document import PAGE, with_block
from tests.benchmarks.tiny import TINY


@pytest.mark.parametrize("name", names())
def test_a_benchmark_gives_tables_with_figures(name: str) -> None:
    tables = list(benchmark(name).measure(TINY))
    assert tables
    for table in tables:
        assert table.rows
        for row in table.rows:
            assert len(row) == len(table.columns), row
            assert row[0], row
            assert re.search(r"\d", "".join(row[1:])), row
        assert not [note for note in table.notes if "missing" in note]


@pytest.mark.parametrize("name", names())
def test_a_benchmark_says_what_it_claims(name: str) -> None:
    claim = benchmark(name).CLAIM
    assert claim
    assert not claim.endswith(".")


# `make bench WRITE=1` puts the tables of each there, and says so only after it has measured.
@pytest.mark.parametrize("name", ["machine", *names()])
def test_the_documentation_has_a_place_for_it(name: str) -> None:
    assert "as fast as light" in with_block(PAGE.read_text(), name, "as fast as light")


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["growht"]) == 2
    assert "no benchmark growht; there are: " in capsys.readouterr().err
