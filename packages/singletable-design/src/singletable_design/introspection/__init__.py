"""Introspect existing tables and write Python source that declares them."""

from singletable_design.introspection.introspector import Introspection, introspect
from singletable_design.introspection.sample import EntityHint, TableSample, read_sample

__all__ = ["EntityHint", "Introspection", "TableSample", "introspect", "read_sample"]
