"""Serve any driver over HTTP, for every DynamoDB client."""

from typing import TYPE_CHECKING

from dynamodb_engine.server.app import DynamoDBApp as DynamoDBApp
from dynamodb_engine.server.connection import Limits as Limits
from dynamodb_engine.server.listener import Listener as Listener
from dynamodb_engine.server.listener import load_tls as load_tls
from dynamodb_engine.server.listener import run_until_stopped as run_until_stopped
from dynamodb_engine.server.loopback import check_host as check_host
from dynamodb_engine.server.observe import AccessLog as AccessLog
from dynamodb_engine.server.observe import Metrics as Metrics
from dynamodb_engine.server.observe import Observer as Observer

if TYPE_CHECKING:
    from dynamodb_engine.server.guard import Guard as Guard


def __getattr__(name: str) -> object:
    # Imported on first use: most endpoints have no guard.
    if name == "Guard":
        from dynamodb_engine.server.guard import Guard

        return Guard
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
