"""Classes that declare how instances of another class are stored."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

M = TypeVar("M")


class StandsFor(Generic[M]):
    """A class whose fields and keys are those of entity M, which cannot declare them itself."""


STANDS_FOR: dict[type, type] = {}


def entity_behind(owner: type[Any]) -> type[Any]:
    """The entity that a class declares: itself, or the one it stands for."""
    return STANDS_FOR.get(owner, owner)
