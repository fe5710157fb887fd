"""A declaration drafted from an existing table."""

from singletable.drafting.draft import Draft, draft
from singletable.drafting.drafted import DraftEntity, DraftTable, Unplaced
from singletable.drafting.sample import Sample, Told, read_sample

__all__ = [
    "Draft",
    "DraftEntity",
    "DraftTable",
    "Sample",
    "Told",
    "Unplaced",
    "draft",
    "read_sample",
]
