"""The command line of the engine."""

from dynamodb_engine.cli.app import main

__all__ = ["main"]
