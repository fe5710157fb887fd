"""The declared load agrees with the document, and the plan of it is believable."""

from __future__ import annotations

import pytest

from singletable_apps.skills.patterns import patterns
from singletable_design.planning import advise, create_plan


# The document's list of access patterns; those of skills are its 100 more reads and 50 writes.
@pytest.mark.parametrize(
    ("code", "per_second"), [("AP1", 500), ("AP2", 50), ("AP3", 10), ("AP4", 100), ("AP5", 1)]
)
def test_rates_are_those_of_the_document(code: str, per_second: float) -> None:
    rate = patterns[code].expected.rate
    assert rate is not None
    assert rate.peak_per_second == per_second


def test_every_pattern_has_a_rate_and_counts_agree_with_it() -> None:
    plan = create_plan([patterns])
    assert plan.assumptions == ()
    kinds = {each.kind for each in advise(plan)}
    assert not kinds & {"growing-count", "missing-rate", "hot-key", "contended-item"}
