"""The frame of the apps has few fields: who adds one removes one."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from singletable_apps.shared.frame import AppSpec, PeopleSpec

MOST = 25
FRAME: tuple[Any, ...] = (AppSpec, PeopleSpec)


def test_frame_has_at_most_twenty_five_fields() -> None:
    found = [f"{kind.__name__}.{field.name}" for kind in FRAME for field in fields(kind)]
    assert len(found) <= MOST, found
