"""The tests shown in the guide pass."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.testing.markdown import blocks
from tools.testing.sources import ROOT


def test_tests_of_the_guide_pass(pytester: pytest.Pytester) -> None:
    settings = ""
    for block in blocks(ROOT / "docs/guide/testing.md"):
        if named := re.match(r"# (\w+\.py)\n", block.text):
            Path(pytester.path / named[1]).write_text(block.text)
        elif block.language == "toml":
            settings = block.text
    Path(pytester.path / "pyproject.toml").write_text(f'{settings}pythonpath = ["."]\n')
    # Our plugin is loaded automatically; another that happens to be installed takes a second.
    options = ("--singletable-strict", "--singletable-report", "-p", "no:schemathesis")
    result = pytester.runpytest_subprocess(*options)
    result.assert_outcomes(passed=7)
    result.stdout.fnmatch_lines(["pattern *calls *slowest ms", "shop:AP1 *", "shop:AP2 *"])
