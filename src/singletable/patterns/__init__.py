"""Access patterns as code: named, typed and checked."""

from singletable.patterns.catalog import PatternCatalog, find_catalogs
from singletable.patterns.estimate import Estimate, estimate
from singletable.patterns.pattern import (
    FeedPattern,
    Pattern,
    Rate,
    ReadPattern,
    ScanPattern,
    WritePattern,
    checks,
    clears,
    creates,
    deletes,
    loads,
    modifies,
    per_day,
    per_hour,
    per_minute,
    per_second,
    puts,
    updates,
    upserts,
)
from singletable.patterns.requests import PlannedRequest, planned_requests

__all__ = [
    "Estimate",
    "FeedPattern",
    "Pattern",
    "PatternCatalog",
    "PlannedRequest",
    "Rate",
    "ReadPattern",
    "ScanPattern",
    "WritePattern",
    "checks",
    "clears",
    "creates",
    "deletes",
    "estimate",
    "find_catalogs",
    "loads",
    "modifies",
    "per_day",
    "per_hour",
    "per_minute",
    "per_second",
    "planned_requests",
    "puts",
    "updates",
    "upserts",
]
