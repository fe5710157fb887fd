"""Fault injection: wrap a driver in one that fails the way DynamoDB does."""

from singletable.faults.config import (
    Chance,
    FaultKind,
    Faults,
    Next,
    ThrottleLimit,
    format_faults,
    parse_faults,
)
from singletable.faults.drivers import AsyncFaultyDriver, FaultyDriver
from singletable.faults.header import HeaderFaults
from singletable.faults.injection import FaultDecision, FaultState, decide
from singletable.faults.targets import FaultTarget, describe_target

__all__ = [
    "AsyncFaultyDriver",
    "Chance",
    "FaultDecision",
    "FaultKind",
    "FaultState",
    "FaultTarget",
    "Faults",
    "FaultyDriver",
    "HeaderFaults",
    "Next",
    "ThrottleLimit",
    "decide",
    "describe_target",
    "format_faults",
    "parse_faults",
]
