"""A policy for patterns of writes grants what the store sends for them, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable import AccessDenied, PatternCatalog, Store, upserts
from singletable.patterns import planned_requests
from singletable_design.infrastructure.iam import ArnScope, create_policy, grants_for_patterns
from tools.testing.designs.writes import CASES, NOON, OTHER_CALLS, Org, Stamped, design, pattern_of
from tools.testing.enforcement import enforce


# Patterns of single items also allow batches of them.
@pytest.mark.parametrize("name", CASES)
def test_pattern_of_a_write_grants_its_planned_requests(name: str) -> None:
    pattern = pattern_of(CASES[name])
    planned = {request.action for request in planned_requests(pattern)}
    granted = {grant.action for grant in grants_for_patterns([pattern])}
    assert planned in (granted, granted - {"BatchWriteItem"})


def test_policy_for_patterns_allows_their_calls_and_no_others(tmp_path: Path) -> None:
    patterns = [pattern_of(case) for case in CASES.values()]
    here = ArnScope("us-east-1", "123456789012")
    policy = create_policy(grants_for_patterns(patterns), scope=here)
    with enforce(policy, tmp_path, [design]) as both:
        operator, app = (Store(driver, clock=lambda: NOON) for driver in (both.operator, both.app))
        for case in CASES.values():
            operator.admin.clear(design)
            for name in ("acme", "other"):
                operator.put(Org(name=name))
            case.stored(operator)
            case.call(app)
        for call in OTHER_CALLS:
            with pytest.raises(AccessDenied):
                call(app)


# A transaction of one upsert without edits is a condition check, too.
def test_upsert_alone_may_be_a_condition_check() -> None:
    save = PatternCatalog("c", design).write("AP1", "Save", upserts(Stamped))
    assert "ConditionCheckItem" not in {one.action for one in planned_requests(save)}
    assert "ConditionCheckItem" in {grant.action for grant in grants_for_patterns([save])}
