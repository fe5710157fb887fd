"""What the marker `@pytest.mark.faults(throttle=0.1)` of a test says."""

from __future__ import annotations

import pytest

from singletable.errors import FaultsError
from singletable.faults import Faults


def faults_marked(item: pytest.Item) -> Faults | None:
    """The faults of a test; None if it is not marked."""
    marker = item.get_closest_marker("faults")
    if marker is None:
        return None
    strange = [*map(repr, marker.args), *(set(marker.kwargs) - set(Faults.__struct_fields__))]
    if strange or not marker.kwargs:
        raise FaultsError(
            f"{item.nodeid}: @pytest.mark.faults expects faults by name, such as throttle=0.1, but "
            f"got {', '.join(sorted(strange)) or 'none'}. There are: "
            f"{', '.join(Faults.__struct_fields__)}."
        )
    return Faults(**marker.kwargs)
