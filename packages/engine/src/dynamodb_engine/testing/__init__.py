"""Test doubles and an endpoint for tests of programs, and checks for authors of storages."""

from dynamodb_engine.testing.drivers import (
    AsyncInterruptedDriver,
    Crash,
    InterruptedDriver,
    InterruptibleDriver,
)
from dynamodb_engine.testing.endpoint_thread import endpoint
from dynamodb_engine.testing.lagging_driver import LaggingDriver

__all__ = [
    "AsyncInterruptedDriver",
    "Crash",
    "InterruptedDriver",
    "InterruptibleDriver",
    "LaggingDriver",
    "endpoint",
]
