"""`singletable explain` shows the units that the plan computes."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from rich.console import Console

from singletable.cli.explain_view import print_plan
from singletable_design.planning import create_plan
from tests.planning.designs import news_catalog


def test_explained_units_are_those_of_the_plan_and_the_most() -> None:
    catalog = news_catalog()
    for one in create_plan([catalog]).patterns:
        text, cost = StringIO(), one.estimate
        print_plan(Console(file=text, width=300), one.pattern, catalog)
        kinds = {"read": (cost.typical_read, cost.read), "write": (cost.typical_write, cost.write)}
        for kind, (typical, most) in kinds.items():
            shown = re.search(rf"([\d.]+) {kind} units?(?: \(at most ([\d.]+)\))?", text.getvalue())
            figures = (
                (0.0, 0.0) if shown is None else (float(shown[1]), float(shown[2] or shown[1]))
            )
            assert figures == pytest.approx((typical, most), abs=0.01), one.pattern
