"""Every benchmark runs and yields tables; their figures are not tested."""

from __future__ import annotations

import re

import pytest

from benchmarks.__main__ import benchmark, main, names
from benchmarks.harness.report import PAGE, replace_block
from tests.benchmarks.tiny import TINY


@pytest.mark.parametrize("name", names())
def test_benchmark_yields_tables_with_figures(name: str) -> None:
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
def test_benchmark_has_a_claim(name: str) -> None:
    claim = benchmark(name).CLAIM
    assert claim
    assert not claim.endswith(".")


# `make bench WRITE=1` writes the tables there, after it has measured.
@pytest.mark.parametrize("name", ["machine", *names()])
def test_documentation_has_a_block_for_benchmark(name: str) -> None:
    assert "as fast as light" in replace_block(PAGE.read_text(), name, "as fast as light")


def test_unknown_name_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["growht"]) == 2
    assert "growht" in capsys.readouterr().err
