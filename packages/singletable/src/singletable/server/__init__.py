"""Serve any driver over HTTP, for every DynamoDB client."""

from typing import TYPE_CHECKING

from singletable.server.app import DynamoDBApp as DynamoDBApp
from singletable.server.connection import Limits as Limits
from singletable.server.listener import Listener as Listener
from singletable.server.listener import load_tls as load_tls
from singletable.server.listener import run_until_stopped as run_until_stopped
from singletable.server.loopback import check_host as check_host
from singletable.server.observe import AccessLog as AccessLog
from singletable.server.observe import Metrics as Metrics
from singletable.server.observe import Observer as Observer

if TYPE_CHECKING:
    from singletable.server.guard import Guard as Guard


def __getattr__(name: str) -> object:
    # Imported on first use: most endpoints have no guard.
    if name == "Guard":
        from singletable.server.guard import Guard

        return Guard
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
