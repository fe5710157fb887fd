"""Objects by key, such as images: in a folder, in memory, or in anything shaped like S3."""

from __future__ import annotations

from typing import Protocol


class ObjectNotFound(LookupError):
    """There is no object with this key."""


class Bucket(Protocol):
    """Where an app keeps files. Keys are paths such as `media/3f2a/960.webp`."""

    def put_object(self, key: str, body: bytes, content_type: str) -> None:
        """Store an object, over the one with the same key."""
        ...

    def get_object(self, key: str) -> bytes:
        """Return the bytes of an object, or raise ObjectNotFound."""
        ...

    def delete_object(self, key: str) -> None:
        """Delete an object; a missing one is ignored."""
        ...

    def list_objects(self, prefix: str = "") -> list[str]:
        """Return the keys that start with a prefix, in order."""
        ...
