"""Access patterns as code: what an app asks of its tables, named, typed and checked."""

from singletable.patterns.catalog import PatternCatalog
from singletable.patterns.effect import checks, creates, deletes, puts, updates
from singletable.patterns.estimate import Estimate, estimate
from singletable.patterns.listed import catalogues_in
from singletable.patterns.pattern import (
    FeedPattern,
    Pattern,
    ReadPattern,
    ScanPattern,
    WritePattern,
)
from singletable.patterns.rate import Rate, per_day, per_hour, per_minute, per_second
from singletable.patterns.requests import Request, requests_of

__all__ = [
    "Estimate",
    "FeedPattern",
    "Pattern",
    "PatternCatalog",
    "Rate",
    "ReadPattern",
    "Request",
    "ScanPattern",
    "WritePattern",
    "catalogues_in",
    "checks",
    "creates",
    "deletes",
    "estimate",
    "per_day",
    "per_hour",
    "per_minute",
    "per_second",
    "puts",
    "requests_of",
    "updates",
]
