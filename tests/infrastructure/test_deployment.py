"""What cannot be deployed is refused in words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from singletable import DeclarationError
from singletable.infrastructure import CustomerKey, Deployment, Scaling, cloudformation, real_names
from tests.infrastructure.declarations import log, votes


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Deployment(recovery_days=36), "within 1 to 35 days, and here it is 36"),
        (lambda: Deployment(recovery_days=0), "None switches it off"),
        (lambda: CustomerKey("alias/mine"), "'alias/mine' is not the ARN of a key"),
        (lambda: CustomerKey("arn:aws:s3:::bucket"), "is not the ARN of a key"),
        (lambda: Scaling(most=0), "most is 1 or more"),
        (lambda: Scaling(target_percent=95), "from 20 to 90"),
        (lambda: cloudformation([votes], Deployment(names={"x": "y"})), "no table 'x' to be named"),
        (lambda: real_names([votes, log], {"vote_data": "vote_event_log"}), "2 tables would be"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Callable[[], object], said: str) -> None:
    with pytest.raises(DeclarationError, match=said):
        make()


def test_a_table_may_have_another_name_there() -> None:
    text = cloudformation([votes], Deployment(names={"vote_data": "vote_data-prod"}))
    assert '"TableName": "vote_data-prod"' in text
