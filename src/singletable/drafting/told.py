"""What somebody has said of items beforehand: the names of their entities."""

from __future__ import annotations

from collections.abc import Sequence

from singletable.drafting.grouping import Group
from singletable.drafting.sample import Sample


def name_groups(sample: Sample, groups: Sequence[Group]) -> None:
    """Give each group the name of the smallest set of items that holds all of its own."""
    for group in groups:
        fitting = [
            told
            for told in sample.told
            if told.items and all(item in told.items for item in group.items)
        ]
        if fitting:
            group.name = min(fitting, key=lambda told: len(told.items)).name
