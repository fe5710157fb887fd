"""Serve any driver over HTTP, for every DynamoDB client."""

from typing import TYPE_CHECKING

from singletable.server.app import DynamoDBApp
from singletable.server.connection import Limits
from singletable.server.listener import Listener, load_tls, run_until_stopped
from singletable.server.loopback import check_host
from singletable.server.observe import AccessLog, Metrics, Observer

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
    "check_host",
    "load_tls",
    "run_until_stopped",
]


def __getattr__(name: str) -> object:
    # Imported on first use: most endpoints have no guard.
    if name == "Guard":
        from singletable.server.guard import Guard

        return Guard
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
