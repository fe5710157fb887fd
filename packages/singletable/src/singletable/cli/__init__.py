"""The command line."""

from singletable.cli.app import main

__all__ = ["main"]
