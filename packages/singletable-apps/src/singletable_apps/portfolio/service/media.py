"""Images: upload, describe, list and delete them, and read their files.

An image is an item in the table and a file per width in the bucket. Files are written before the
item and deleted after it, so a crash can leave unused files, but never an item without its files.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

from singletable import AlreadyExists, ConditionFailed, Page, key_of
from singletable import NotFound as NoSuchItem
from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import Media, TrashKind, User
from singletable_apps.portfolio.rules import PERMISSIONS, Permission
from singletable_apps.portfolio.service.context import Context
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.images import (
    WIDTHS,
    InvalidImage,
    ProcessedImage,
    image_widths,
    parse_image_name,
    process_image,
    read_processed_image,
)
from singletable_apps.shared.objects import ObjectNotFound
from singletable_apps.shared.service import UNKNOWN_OUTCOME
from singletable_apps.shared.text import InputChecks, clean_filename

MAX_ALT = 500


class MediaService:
    """The images of the site."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def upload(self, actor: User, data: bytes, filename: str, alt: str = "") -> Media:
        """Store an image. The same file again returns the image that is there already."""
        PERMISSIONS.check(actor.role, Permission.WRITE)
        alt = _check_alt(alt)
        try:
            image = process_image(data)
        except InvalidImage as error:
            raise InvalidInput({"file": str(error)}) from error
        return self._create(actor.email, image, alt=alt, filename=filename)

    def restore(
        self,
        actor: User,
        name: str,
        files: Mapping[int, bytes],
        *,
        alt: str = "",
        filename: str = "",
        at: datetime | None = None,
        dry_run: bool = False,
    ) -> bool:
        """Store the files of an exported image under its name; return False if it is there.

        Raise InvalidImage for other files.
        """
        PERMISSIONS.check(actor.role, Permission.WRITE)
        alt, image = _check_alt(alt), read_processed_image(name, files)
        if self._context.store.run(patterns.image_by_name, name) is not None:
            return False
        if not dry_run:
            self._create(actor.email, image, alt=alt, filename=filename, at=at)
        return True

    def _create(
        self, by: str, image: ProcessedImage, *, alt: str, filename: str, at: datetime | None = None
    ) -> Media:
        media = Media(
            name=image.name,
            alt=alt,
            filename=clean_filename(filename),
            width=image.size.width,
            height=image.size.height,
            widths=sorted(image.variants),
            size=sum(len(body) for body in image.variants.values()),
            uploaded_by=by,
            uploaded_at=(at or self._context.clock()).replace(microsecond=0),
        )
        self._write_files(image)
        try:
            media = self._context.store.create(media)
        except (AlreadyExists, *UNKNOWN_OUTCOME):
            stored = self._context.store.run(patterns.image_by_name, image.name)
            if stored is None:
                raise
            media = stored
        # If the image was being deleted at the same time, its files may be gone again.
        if len(self._context.bucket.list_objects(_folder(image.name))) < len(image.variants):
            self._write_files(image)
        return media

    def list(self, limit: int = 50, cursor: str | None = None) -> Page[Media]:
        """Return a page of images, newest first."""
        return self._context.store.page(patterns.all_images(), limit, cursor=cursor, reverse=True)

    def get(self, name: str) -> Media:
        """Return an image, or raise NotFound."""
        media = None
        if parse_image_name(name) is not None:
            media = self._context.store.run(patterns.image_by_name, name)
        if media is None:
            raise _not_found()
        return media

    def edit_alt(self, actor: User, name: str, alt: str) -> Media:
        """Change the alternative text of an image."""
        media = self._get_own(actor, name)
        try:
            return self._context.store.update(key_of(media), Media.alt.set(_check_alt(alt)))
        except (NoSuchItem, ConditionFailed):
            raise _not_found() from None

    def delete(self, actor: User, name: str) -> None:
        """Move an image with its files to the trash. Posts show its description instead."""
        media = self._get_own(actor, name)
        title, by = media.filename or media.name, media.uploaded_by
        store = self._context.store
        store.put(self._context.trashed(TrashKind.IMAGE, name, title, by, vars(media)))
        store.delete(key_of(media))
        self._move_files(_folder(name), _trash_folder(name))
        # Someone may have uploaded the same image again in the meantime.
        if store.run(patterns.image_by_name, name) is not None:
            self._move_files(_trash_folder(name), _folder(name))

    def put_back(self, media: Media) -> None:
        """Restore an image from the trash; it may have been uploaded again meanwhile."""
        self._move_files(_trash_folder(media.name), _folder(media.name))
        with suppress(AlreadyExists):
            self._context.store.create(media)

    def delete_trashed(self, name: str) -> None:
        """Delete the files of an image in the trash; a crash may have left some outside of it."""
        self._move_files(_trash_folder(name))
        if self._context.store.run(patterns.image_by_name, name) is None:
            self._move_files(_folder(name))

    def _move_files(self, source: str, target: str = "") -> None:
        """Move the files of a folder, or delete them without a target."""
        bucket = self._context.bucket
        for key in bucket.list_objects(source):
            if target:
                moved = f"{target}{key.removeprefix(source)}"
                bucket.put_object(moved, bucket.get_object(key), "image/webp")
            bucket.delete_object(key)

    def open(self, name: str, width: int) -> bytes:
        """Return an image in a width, or in its own if that is smaller; raise NotFound.

        This reads the bucket only.
        """
        size = parse_image_name(name)
        widths = image_widths(size.width) if size else ()
        if size is None or width not in (*WIDTHS, *widths):
            raise _not_found()
        try:
            return self._context.bucket.get_object(_key(name, min(width, max(widths))))
        except ObjectNotFound:
            raise _not_found() from None

    def _get_own(self, actor: User, name: str) -> Media:
        PERMISSIONS.check(actor.role, Permission.WRITE)
        media = self.get(name)
        if media.uploaded_by != actor.email:
            PERMISSIONS.check(actor.role, Permission.EDIT_ANY)
        return media

    def _write_files(self, image: ProcessedImage) -> None:
        for width, body in image.variants.items():
            self._context.bucket.put_object(_key(image.name, width), body, "image/webp")


def _folder(name: str) -> str:
    return f"media/{name}/"


def _trash_folder(name: str) -> str:
    return f"trash/{name}/"


def _key(name: str, width: int) -> str:
    return f"{_folder(name)}{width}.webp"


def _not_found() -> NotFound:
    return NotFound("There is no such image.")


def _check_alt(alt: str) -> str:
    checks = InputChecks()
    alt = checks.line("alt", alt, longest=MAX_ALT)
    checks.raise_errors()
    return alt
