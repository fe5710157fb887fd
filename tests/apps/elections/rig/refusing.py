"""Whether a command is refused, and has then changed nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import ElectionsError
from singletable_apps.elections.events import event_log
from tests.apps.elections.rig.world import World, dump

E = TypeVar("E", bound=ElectionsError)


def refused(world: World, why: type[E], command: Callable[[], object]) -> E:
    """The refusal; the log has no event more, and the table is what it was."""
    before = dump(world.driver, event_log), dump(world.driver, votes)
    with pytest.raises(why) as refusal:
        command()
    assert type(refusal.value) is why
    assert str(refusal.value).endswith((".", "?")), "a refusal is a sentence"
    assert (dump(world.driver, event_log), dump(world.driver, votes)) == before
    return refusal.value
