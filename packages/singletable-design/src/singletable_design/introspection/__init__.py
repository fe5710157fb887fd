"""Introspect existing tables and write Python source that declares them."""

from singletable_design.introspection.introspector import Introspection, introspect
from singletable_design.introspection.sample import TableSample, read_sample

__all__ = ["Introspection", "TableSample", "introspect", "read_sample"]
