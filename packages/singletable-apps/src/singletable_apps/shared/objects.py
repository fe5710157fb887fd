"""Objects by key, such as images: in a folder, in memory, or in anything shaped like S3."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from dynamodb_engine.private_files import create_folder, open_file

_MAX_KEY = 512
# No part is empty or starts with a dot, so a key never leads out of its folder.
_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(?:/[A-Za-z0-9_][A-Za-z0-9._-]*)*")


class ObjectNotFound(LookupError):
    """No object has this key."""


class InvalidObjectKey(ValueError):
    """The key is not a path of letters, digits, hyphens, underscores and dots."""


def check_object_key(key: str) -> str:
    """Return the key, or raise InvalidObjectKey unless it is valid in every kind of bucket."""
    if len(key) > _MAX_KEY or not _KEY.fullmatch(key):
        raise InvalidObjectKey(f"Expected a key such as media/photo.webp, but got {key[:80]!r}.")
    return key


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
        self._objects[check_object_key(key)] = body

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


class FolderBucket:
    """A bucket in a folder: each object is a file, and its type follows from its name.

    Only the user who runs the process can read them. A reader sees a whole object or none, also
    after a power failure.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()
        create_folder(self._folder)

    def put_object(self, key: str, body: bytes, content_type: str) -> None:
        """Store an object, over the one with the same key."""
        target = self._path(key)
        create_folder(target.parent)
        new = target.with_name(f".new-{os.urandom(8).hex()}")
        try:
            with open_file(new, "xb") as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            new.replace(target)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
        for folder in (target.parent, target.parent.parent):
            _sync_folder(folder)

    def get_object(self, key: str) -> bytes:
        """Return the bytes of an object, or raise ObjectNotFound."""
        try:
            return self._path(key).read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            raise ObjectNotFound(f"There is no object {key}.") from None

    def delete_object(self, key: str) -> None:
        """Delete an object; a missing one is ignored."""
        with suppress(FileNotFoundError, NotADirectoryError):
            self._path(key).unlink()

    def list_objects(self, prefix: str = "") -> list[str]:
        """Return the keys that start with a prefix, in order."""
        folder = prefix.rpartition("/")[0]
        start = self._path(folder) if folder else self._folder
        keys = (
            path.relative_to(self._folder).as_posix() for path in start.rglob("*") if path.is_file()
        )
        return sorted(key for key in keys if key.startswith(prefix) and _KEY.fullmatch(key))

    def _path(self, key: str) -> Path:
        return self._folder / check_object_key(key)


def _sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
