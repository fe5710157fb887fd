"""Introspect existing tables and write Python source that declares them."""

from singletable.introspection.introspector import Introspection, introspect
from singletable.introspection.sample import EntityHint, Sample, read_sample

__all__ = ["EntityHint", "Introspection", "Sample", "introspect", "read_sample"]
