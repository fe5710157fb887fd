"""Projections: which attributes an index carries beside its keys."""

from __future__ import annotations

from msgspec.structs import replace

from singletable.errors import ValidationError
from singletable.operations import Projection
from singletable.values import INVALID


def check_projection(projection: Projection) -> None:
    """Raise unless attributes are named for INCLUDE, each once, and only then."""
    kind, attributes = projection.projection_type, projection.non_key_attributes
    if kind is None:
        raise ValidationError(f"{INVALID}Unknown ProjectionType: null")
    if kind != "INCLUDE" and attributes is not None:
        raise ValidationError(
            f"{INVALID}ProjectionType is {kind}, but NonKeyAttributes is specified"
        )
    if kind == "INCLUDE" and not attributes:
        raise ValidationError(
            f"{INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified"
        )
    seen: set[str] = set()
    for name in attributes or ():
        if name in seen:
            raise ValidationError(f"{INVALID}Duplicate element in NonKeyAttributes: {name}")
        seen.add(name)


def kept_projection(projection: Projection) -> Projection:
    """The projection as AWS shows it: attributes by name."""
    attributes = projection.non_key_attributes
    return replace(projection, non_key_attributes=attributes and sorted(attributes))
