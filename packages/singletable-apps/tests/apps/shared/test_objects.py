"""Buckets: objects by key, in memory and in a folder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from singletable_apps.shared.objects import (
    Bucket,
    FolderBucket,
    InvalidObjectKey,
    MemoryBucket,
    ObjectNotFound,
)


@pytest.fixture(params=("memory", "folder"))
def bucket(request: pytest.FixtureRequest, tmp_path: Path) -> Bucket:
    return MemoryBucket() if request.param == "memory" else FolderBucket(tmp_path / "a" / "b")


def test_objects_are_stored_replaced_listed_and_deleted(bucket: Bucket) -> None:
    for key, body in (("media/b/1.webp", b"one"), ("media/a.webp", b"two"), ("x", b"")):
        bucket.put_object(key, body, "image/webp")
    bucket.put_object("media/a.webp", b"three", "image/webp")
    assert bucket.get_object("media/a.webp") == b"three"
    assert bucket.get_object("x") == b""
    assert bucket.list_objects() == ["media/a.webp", "media/b/1.webp", "x"]
    assert bucket.list_objects("media/b/") == ["media/b/1.webp"]
    assert bucket.list_objects("media/a.") == ["media/a.webp"]
    assert bucket.list_objects("other/") == []
    bucket.delete_object("media/a.webp")
    bucket.delete_object("media/a.webp")
    assert bucket.list_objects("media/") == ["media/b/1.webp"]


@pytest.mark.parametrize("key", ["missing", "media", "media/b/1.webp/x", "media/b"])
def test_missing_objects_are_not_found(bucket: Bucket, key: str) -> None:
    bucket.put_object("media/b/1.webp", b"one", "image/webp")
    with pytest.raises(ObjectNotFound):
        bucket.get_object(key)
    if key != "media" and key != "media/b":
        bucket.delete_object(key)
    assert bucket.list_objects() == ["media/b/1.webp"]


@pytest.mark.parametrize(
    "key",
    ["", "/etc/passwd", "../x", "a/../../x", "a/./b", "a//b", "a/", ".hidden", "a/.b", "a\\b",
     "a b",     "a\0b", "a\n", "C:x", "ä", "a" * 600],
)  # fmt: skip
def test_invalid_keys_are_rejected(bucket: Bucket, key: str) -> None:
    with pytest.raises(InvalidObjectKey):
        bucket.put_object(key, b"x", "text/plain")
    with pytest.raises((InvalidObjectKey, ObjectNotFound)):
        bucket.get_object(key)


def test_a_failed_write_leaves_the_old_object_and_no_temporary_file(tmp_path: Path) -> None:
    bucket = FolderBucket(tmp_path)
    bucket.put_object("a/b", b"old", "text/plain")
    with pytest.raises(IsADirectoryError):
        bucket.put_object("a", b"new", "text/plain")
    assert bucket.get_object("a/b") == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_readers_see_whole_objects_only(tmp_path: Path) -> None:
    bucket = FolderBucket(tmp_path)
    bodies = [bytes([number]) * 100_000 for number in range(8)]
    bucket.put_object("x", bodies[0], "text/plain")
    with ThreadPoolExecutor(4) as pool:
        writes = [pool.submit(bucket.put_object, "x", body, "text/plain") for body in bodies * 4]
        while not all(write.done() for write in writes):
            assert bucket.get_object("x") in bodies
    assert bucket.list_objects() == ["x"]
