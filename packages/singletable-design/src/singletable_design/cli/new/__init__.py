"""`singletable new`: start an app, or add an entity with its patterns and tests to one."""

from singletable_design.cli.new.commands import app

__all__ = ["app"]
