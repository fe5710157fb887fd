"""Upload, describe, list and delete images."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Engine
from singletable_apps.portfolio.entities import Media
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.objects import MemoryBucket
from tests.apps.portfolio.support.harness import World
from tests.apps.portfolio.support.images import image_file
from tests.apps.support.concurrency import run_concurrently


def test_upload_stores_the_image_in_its_widths(world: World) -> None:
    media = world.service.media.upload(
        world.user(), image_file(1000, 500), "C:\\photos\\sea\u0007.png", " The  sea "
    )
    assert (media.width, media.height, media.widths) == (1000, 500, [480, 960, 1000])
    assert (media.alt, media.filename) == ("The sea", "sea.png")
    assert media.uploaded_by == "ada@example.org"
    assert world.service.media.get(media.name) == media
    assert len(world.bucket.list_objects(f"media/{media.name}/")) == 3
    bodies = [world.service.media.open(media.name, width) for width in media.widths]
    assert media.size == sum(map(len, bodies))
    assert all(body[8:12] == b"WEBP" for body in bodies)


def test_the_same_file_is_stored_once(memory: World) -> None:
    first = memory.service.media.upload(memory.user(), image_file(), "a.png", "One")
    again = memory.open().media.upload(memory.user(email="b@example.org"), image_file(), "b", "Two")
    assert again == first
    assert [media.name for media in memory.service.media.list().items] == [first.name]


def test_concurrent_uploads_of_a_file_give_one_image(memory: World) -> None:
    data, owner = image_file(), memory.user()
    uploaded, _ = run_concurrently(
        4, lambda: memory.service.media.upload(owner, data, "a.png"), NotFound
    )
    assert len({media.uploaded_at for media in uploaded}) == 1
    assert len(memory.service.media.list().items) == 1


def test_delete_removes_the_item_and_every_file(memory: World) -> None:
    kept = memory.service.media.upload(memory.user(), image_file(color="red"), "a.png")
    media = memory.service.media.upload(memory.user(), image_file(1000, 10), "b.png")
    memory.service.media.delete(memory.user(), media.name)
    assert memory.bucket.list_objects("media/") == [f"media/{kept.name}/64.webp"]
    with pytest.raises(NotFound):
        memory.service.media.get(media.name)
    with pytest.raises(NotFound):
        memory.service.media.open(media.name, 960)
    with pytest.raises(NotFound):
        memory.service.media.delete(memory.user(), media.name)
    with pytest.raises(NotFound):
        memory.service.media.edit_alt(memory.user(), media.name, "x")
    assert (
        memory.service.media.upload(memory.user(), image_file(1000, 10), "b.png").name == media.name
    )
    assert memory.service.media.open(media.name, 960)


def test_every_usual_width_of_a_small_image_is_its_own(memory: World) -> None:
    name = memory.service.media.upload(memory.user(), image_file(700, 7), "a.png").name
    own = memory.service.media.open(name, 700)
    assert memory.service.media.open(name, 960) == own
    assert memory.service.media.open(name, 1600) == own
    assert memory.service.media.open(name, 480) != own
    for width in (0, -1, 1, 479, 701, 2000):
        with pytest.raises(NotFound):
            memory.service.media.open(name, width)


@pytest.mark.parametrize("name", ["", "..", "../secret", "x" * 5000, "0123456789abcdef_1x1"])
def test_other_names_are_not_found(memory: World, name: str) -> None:
    with pytest.raises(NotFound):
        memory.service.media.open(name, 480)
    with pytest.raises(NotFound):
        memory.service.media.get(name)


@pytest.mark.parametrize("data", [b"", b"<svg/>", b"hello", image_file()[:60]])
def test_invalid_files_are_rejected_and_nothing_is_stored(memory: World, data: bytes) -> None:
    with pytest.raises(InvalidInput) as error:
        memory.service.media.upload(memory.user(), data, "a.png")
    assert list(error.value.errors) == ["file"]
    assert memory.bucket.list_objects() == []
    assert memory.service.media.list().items == []


# A crash may leave files without an item, but never an item without its files.
@pytest.mark.parametrize("operations", range(4))
def test_power_cuts_never_leave_an_image_without_its_files(operations: int) -> None:
    with Engine.in_memory() as engine:
        world = World(engine)
        driver = InterruptedDriver(engine)
        service = world.open(driver).media
        kept = service.upload(world.user(), image_file(color="red"), "kept.png")
        driver.crash_after(operations)
        for act in (
            lambda: service.delete(world.user(), kept.name),
            lambda: service.upload(world.user(), image_file(1000, 10), "new.png"),
        ):
            try:
                act()
            except Crash:
                break
        for media in world.service.media.list().items:
            assert all(world.service.media.open(media.name, width) for width in media.widths)
        world.service.media.upload(world.user(), image_file(1000, 10), "new.png")


class RacingBucket(MemoryBucket):
    """A bucket that does something else before one of its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.before_delete: Callable[[], object] | None = None
        self.before_put: Callable[[], object] | None = None

    def put_object(self, key: str, body: bytes, content_type: str) -> None:
        self._run(self.before_put)
        super().put_object(key, body, content_type)

    def delete_object(self, key: str) -> None:
        self._run(self.before_delete)
        super().delete_object(key)

    def _run(self, what: Callable[[], object] | None) -> None:
        if what is not None:
            self.before_delete = self.before_put = None
            what()


def _check_files(world: World, media: Media) -> None:
    for width in media.widths:
        assert world.service.media.open(media.name, width)


def test_an_upload_during_a_deletion_keeps_its_files(memory: World) -> None:
    bucket = RacingBucket()
    memory.bucket = bucket
    service = memory.open().media
    data = image_file(1000, 10)
    media = service.upload(memory.user(), data, "a.png")
    bucket.before_delete = lambda: service.upload(memory.user(), data, "a.png")
    service.delete(memory.user(), media.name)
    _check_files(World(memory.driver, like=memory), service.get(media.name))


def test_a_deletion_during_an_upload_leaves_nothing_broken(memory: World) -> None:
    bucket = RacingBucket()
    memory.bucket = bucket
    service = memory.open().media
    data = image_file(1000, 10)
    media = service.upload(memory.user(), data, "a.png")
    bucket.before_put = lambda: service.delete(memory.user(), media.name)
    again = service.upload(memory.user(), data, "a.png")
    _check_files(World(memory.driver, like=memory), again)
