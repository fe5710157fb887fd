"""Choices that several commands offer, in DynamoDB's words."""

from __future__ import annotations

from enum import Enum


class StreamView(Enum):
    """What the records of a stream show."""

    NEW_IMAGE = "NEW_IMAGE"
    OLD_IMAGE = "OLD_IMAGE"
    NEW_AND_OLD_IMAGES = "NEW_AND_OLD_IMAGES"
    KEYS_ONLY = "KEYS_ONLY"


class TableKind(Enum):
    """The storage class of a table."""

    STANDARD = "STANDARD"
    STANDARD_INFREQUENT_ACCESS = "STANDARD_INFREQUENT_ACCESS"
