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


class MemoryBucket:
    """A bucket in memory, for tests."""

    def __init__(self) -> None:
        self._objects: dict[str, bytes] = {}

    def put_object(self, key: str, body: bytes, content_type: str) -> None:
        """Store an object, over the one with the same key."""
        self._objects[key] = body

    def get_object(self, key: str) -> bytes:
        """Return the bytes of an object, or raise ObjectNotFound."""
        if key not in self._objects:
            raise ObjectNotFound(f"There is no object {key}.")
        return self._objects[key]

    def delete_object(self, key: str) -> None:
        """Delete an object; a missing one is ignored."""
        self._objects.pop(key, None)

    def list_objects(self, prefix: str = "") -> list[str]:
        """Return the keys that start with a prefix, in order."""
        return sorted(key for key in self._objects if key.startswith(prefix))
