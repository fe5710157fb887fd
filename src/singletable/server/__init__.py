"""Any driver on the wire, for every DynamoDB client."""

from typing import TYPE_CHECKING

from singletable.server.address import check_address
from singletable.server.app import DynamoDBApp
from singletable.server.limits import Limits
from singletable.server.listener import Listener
from singletable.server.observe import AccessLog, Metrics, Observer
from singletable.server.run import run_until_stopped

if TYPE_CHECKING:
    from singletable.server.guard import Guard

__all__ = [
    "AccessLog",
    "DynamoDBApp",
    "Guard",
    "Limits",
    "Listener",
    "Metrics",
    "Observer",
    "check_address",
    "run_until_stopped",
]


def __getattr__(name: str) -> object:
    # Most endpoints have no guard, and none waits for what it needs.
    if name == "Guard":
        from singletable.server.guard import Guard

        return Guard
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
