"""Handle DescribeLimits."""

from __future__ import annotations

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.operations import DescribeLimits, DescribeLimitsOutput

ACCOUNT_UNITS = 80_000
TABLE_UNITS = 40_000


def run(request: DescribeLimits, session: Session) -> DescribeLimitsOutput:
    """Return the limits of a new AWS account, which the engine does not enforce."""
    return DescribeLimitsOutput(ACCOUNT_UNITS, ACCOUNT_UNITS, TABLE_UNITS, TABLE_UNITS)
