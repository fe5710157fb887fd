"""`singletable new`: start an app."""

from singletable_apps.new.project import new

__all__ = ["new"]
