"""Introspect existing tables and write Python source that declares them."""

from singletable.introspection.introspector import Introspection, introspect
from singletable.introspection.sample import EntityHint, TableSample, read_sample

__all__ = ["EntityHint", "Introspection", "TableSample", "introspect", "read_sample"]
