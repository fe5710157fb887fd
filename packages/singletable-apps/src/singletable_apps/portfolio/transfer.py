"""Export the site as a folder of Markdown, and import such a folder, from here or from elsewhere.

    portfolio.json               the person, the projects, the positions and the settings
    posts/2026-03-01-a-title.md  a post; drafts have no date in their name
    pages/imprint.md             a page
    posts/2026-03-01-a-title.json  its likes, comments and earlier versions, if there are any
    media/{name}/{width}.webp    the images, described in media/media.json
    subscribers.json             the readers of the newsletter

Links between these files are relative, so that any Markdown editor shows them. An export that is
imported into an empty site and exported again is the same, byte for byte.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import partial
from io import BytesIO
from pathlib import PurePosixPath
from posixpath import dirname, join, normpath, relpath

from pydantic import BaseModel, TypeAdapter

from singletable_apps.portfolio import entities, patterns, profile_rules, rules, site_files
from singletable_apps.portfolio.rules import MAX_MARKDOWN_BYTES, PERMISSIONS, Permission, Post
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.portfolio.service.comments import PENDING_LIFETIME
from singletable_apps.portfolio.service.context import Context
from singletable_apps.portfolio.service.media import MAX_ALT
from singletable_apps.portfolio.service.posts import Outcome
from singletable_apps.shared.archives import Files, read_zip, write_zip
from singletable_apps.shared.errors import Busy, InvalidInput, NotFound, RequestRejected
from singletable_apps.shared.images import InvalidImage, process_image
from singletable_apps.shared.languages import Phrase, join_phrases
from singletable_apps.shared.objects import ObjectNotFound
from singletable_apps.shared.permissions import NotPermitted

_IMAGES = (".webp", ".jpg", ".jpeg", ".png", ".gif", ".avif")
_MARKDOWN = (".md", ".markdown")
# The text and its front matter.
_MAX_MARKDOWN_FILE = 2 * MAX_MARKDOWN_BYTES
_PORTFOLIO = ("portfolio.json", "portfolio.yaml", "portfolio.yml")
# The settings are a part of that file.
_SETTINGS = "#settings"
_MEDIA_LIST, _SUBSCRIBERS = "media/media.json", "subscribers.json"
# What the last import replaced, in the bucket.
_UNDO, _UNDO_RECORD = "imports/undo.zip", "undo.json"
_OWN_IMAGE = re.compile(r"media/([0-9a-f]{16}_[0-9]{1,8}x[0-9]{1,8})/([0-9]{1,4})\.webp")

OnProgress = Callable[[int, int], None]


class _MediaEntry(BaseModel):
    """The description of an image."""

    name: str
    alt: str = ""
    filename: str = ""
    uploaded_at: site_files.Time | None = None


class _Reader(BaseModel):
    """A subscriber of the newsletter with a confirmed address."""

    email: str
    confirmed_at: site_files.Time


_MediaEntries, _Readers = TypeAdapter(list[_MediaEntry]), TypeAdapter(list[_Reader])


# Export


def export_site(service: PortfolioService) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file."""
    posts = {post.blog.blog_id: site_files.PostFile.of(post) for post in _all_posts(service)}
    names = {
        post.slug if post.is_page else f"blog/{post.slug}": post.filename for post in posts.values()
    }
    activities = activities_of(service, posts)
    prefix = service.context.urls.prefix
    site = site_files.SiteFile.of(service.profile.get_portfolio(), service.profile.get_settings())
    yield (
        "portfolio.json",
        site_files.write_site(site.map_links(_relative(prefix, "", names))).encode(),
    )
    subscribers = sorted(service.newsletter.list_all(), key=lambda each: each.email)
    if readers := [_Reader.model_validate(each, from_attributes=True) for each in subscribers]:
        yield _SUBSCRIBERS, _Readers.dump_json(readers, indent=2)
    for blog_id, post in sorted(posts.items(), key=lambda each: each[1].filename):
        rewrite = _relative(prefix, dirname(post.filename), names)
        yield post.filename, site_files.write_post(post.map_links(rewrite)).encode()
        if activity := site_files.write_activity(activities[blog_id].map_links(rewrite)):
            yield _activity_path(post.filename), activity.encode()
    images = sorted(service.context.store.run(patterns.all_images), key=lambda each: each.name)
    if images:
        entries = [_MediaEntry.model_validate(each, from_attributes=True) for each in images]
        yield _MEDIA_LIST, _MediaEntries.dump_json(entries, indent=2)
    for image in images:
        for width in image.widths:
            yield f"media/{image.name}/{width}.webp", service.media.open(image.name, width)


def _activity_path(path: str) -> str:
    """Return the file beside a post, with its likes, comments and earlier versions."""
    return f"{path.rpartition('.')[0]}.json"


def activities_of(
    service: PortfolioService, blog_ids: Iterable[str]
) -> dict[str, site_files.ActivityFile]:
    """Return the likes, comments and earlier versions of posts, by id, oldest first.

    Likes are a number: visitors are known only as keyed hashes, which are of no use elsewhere.
    """
    waiting = _waiting(service)
    return {
        blog_id: site_files.ActivityFile.model_validate(
            {
                "likes": count,
                "comments": [*service.comments.of_post(blog_id), *waiting[blog_id]],
                "history": service.posts.history(blog_id)[::-1],
            }
        )
        for blog_id, count in service.likes.counts(blog_ids).items()
    }


def _waiting(service: PortfolioService) -> defaultdict[str, list[entities.PendingComment]]:
    found: defaultdict[str, list[entities.PendingComment]] = defaultdict(list)
    for comment in service.context.store.run(patterns.pending_comments):
        found[comment.blog_id].append(comment)
    return found


def _all_posts(service: PortfolioService) -> Iterator[Post]:
    blogs = [*service.posts.list_all(), *service.posts.list_in(entities.Listing.PAGES)]
    texts = service.posts.contents(blog.blog_id for blog in blogs)
    return (Post(blog, texts[blog.blog_id]) for blog in blogs if blog.blog_id in texts)


def _relative(prefix: str, folder: str, posts: Mapping[str, str]) -> site_files.Rewrite:
    """Return a function that turns URLs of this site into paths of files, from a folder."""

    def rewrite(url: str, _alt: str) -> str:
        path = url.removeprefix(f"{prefix}/")
        if path == url:
            return url
        file = path if _OWN_IMAGE.fullmatch(path) else posts.get(path)
        return relpath(file, folder or ".") if file else url

    return rewrite


# Import


class Kind(StrEnum):
    """What an import can change. Owners choose the kinds."""

    POSTS = "posts"
    IMAGES = "images"
    PROFILE = "profile"
    SETTINGS = "settings"
    SUBSCRIBERS = "subscribers"


@dataclass(frozen=True, slots=True)
class ImportEntry:
    """What happened to a file: why if it was skipped or failed, or which fields it changes."""

    path: str
    outcome: Outcome
    reason: str = ""
    blog_id: str = field(default="", compare=False)

    @property
    def kind(self) -> Kind | None:
        """Return what the file contains, or None for a file that is not imported."""
        name = self.path.lower()
        if name.endswith(_SETTINGS):
            return Kind.SETTINGS
        if name.startswith("media/") or name.endswith(_IMAGES):
            return Kind.IMAGES
        if name.startswith(_SUBSCRIBERS):
            return Kind.SUBSCRIBERS
        if name.endswith(_MARKDOWN):
            return Kind.POSTS
        return Kind.PROFILE if name.endswith((".json", ".yaml", ".yml")) else None


def import_site(
    service: PortfolioService,
    actor: entities.User,
    files: Files,
    *,
    kinds: Collection[Kind] = tuple(Kind),
    dry_run: bool = False,
    on_progress: OnProgress | None = None,
) -> list[ImportEntry]:
    """Import posts, images and the portfolio; a post replaces the one with the same slug.

    Each file is imported completely or not at all, and one that fails does not stop the others.
    """
    PERMISSIONS.check(actor.role, Permission.EDIT_SITE)
    report = _Import(service, actor, files, kinds, dry_run=dry_run).run(on_progress)
    return [entry for entry in report if entry.kind is None or entry.kind in kinds]


class _Import:
    """An import in progress."""

    def __init__(
        self,
        service: PortfolioService,
        actor: entities.User,
        files: Files,
        kinds: Collection[Kind],
        *,
        dry_run: bool,
    ) -> None:
        self._service = service
        self._actor = actor
        self._files = files
        self._kinds = kinds
        self._dry_run = dry_run
        self._entries: dict[str, ImportEntry] = {}
        self._documents: dict[str, site_files.PostFile | site_files.SiteFile] = {}
        # Likes, comments and earlier versions, by the path of their post.
        self._activities: dict[str, site_files.ActivityFile] = {}
        # The URLs of images and posts here, by the path of the file.
        self._urls: dict[str, str] = {}
        self._slugs: dict[str, str] = {}

    def run(self, on_progress: OnProgress | None) -> list[ImportEntry]:
        posts = [path for path in self._files if path.lower().endswith(_MARKDOWN)]
        known = {_MEDIA_LIST, _SUBSCRIBERS, *map(_activity_path, posts)}
        for path in self._files:
            if path in _PORTFOLIO or path.lower().endswith(_MARKDOWN):
                self._report(path, partial(self._read, path))
        self._restore_images()
        if Kind.IMAGES in self._kinds:
            self._upload_images()
        if _SUBSCRIBERS in self._files and Kind.SUBSCRIBERS in self._kinds:
            self._report(_SUBSCRIBERS, self._subscribe)
        for done, (path, document) in enumerate(self._documents.items(), 1):
            self._save(path, document.map_links(partial(self._url, path)))
            if on_progress is not None:
                on_progress(done, len(self._documents))
        for path in self._files.keys() - self._entries.keys() - known:
            if not _OWN_IMAGE.fullmatch(path):
                self._note(
                    path, Outcome.SKIPPED, "It is neither Markdown nor an image that a post shows."
                )
        return [self._entries[path] for path in sorted(self._entries)]

    def _note(self, path: str, outcome: Outcome, reason: str = "", blog_id: str = "") -> None:
        self._entries[path] = ImportEntry(path, outcome, reason, blog_id)

    def _report(self, path: str, action: Callable[[], Outcome | None]) -> None:
        """Run an action, and note its outcome if it returns one, or why it failed."""
        try:
            outcome = action()
        except InvalidInput as error:
            reason = join_phrases(" ", (join_phrases(": ", each) for each in error.errors.items()))
            self._note(path, Outcome.FAILED, reason)
        except NotPermitted:
            raise
        except (RequestRejected, Busy, InvalidImage) as error:
            self._note(path, Outcome.FAILED, str(error))
        else:
            if outcome is not None:
                self._note(path, outcome)

    def _read(self, path: str) -> None:
        size = len(self._files[path])
        if path not in _PORTFOLIO and size > _MAX_MARKDOWN_FILE:
            raise InvalidInput({"text": Phrase(rules.TOO_LONG, most=MAX_MARKDOWN_BYTES, size=size)})
        text = self._decode(path)
        if path in _PORTFOLIO:
            self._documents[path] = site_files.read_site(text)
            return
        if (beside := _activity_path(path)) in self._files:
            self._activities[path] = site_files.read_activity(self._decode(beside))
        self._add_post(path, site_files.read_post(path, text))

    def _decode(self, path: str) -> str:
        try:
            return self._files[path].decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InvalidInput({path: "Save the file as UTF-8."}) from None

    def _add_post(self, path: str, post: site_files.PostFile) -> None:
        if post.slug:
            first = self._slugs.setdefault(post.slug, path)
            if first != path:
                text = "%(file)s has the same slug “%(slug)s”."
                raise InvalidInput({"slug": Phrase(text, file=first, slug=post.slug)})
            parts = [] if post.is_page else ["blog"]
            self._urls[path] = self._service.context.urls.page(*parts, post.slug)
        self._documents[path] = post

    def _find(self, path: str, target: str) -> str | None:
        """Return the file that a link in a file leads to, or None."""
        if target.startswith("/"):
            # Hugo serves the files of the folder `static` at the root.
            tries = [target.lstrip("/"), f"static{target}"]
        else:
            tries = [normpath(join(path.rpartition("/")[0], target))]
        return next((each for each in tries if each in self._files), None)

    def _url(self, path: str, target: str, _alt: str) -> str:
        return self._urls.get(self._find(path, target) or "", target)

    def _subscribe(self) -> None:
        with site_files.invalid_input():
            readers = _Readers.validate_json(self._files[_SUBSCRIBERS])
        found = {each.email: each.confirmed_at for each in readers}
        outcomes = self._service.newsletter.restore(self._actor, found, dry_run=self._dry_run)
        for email, outcome in outcomes.items():
            reason = "Unsubscribed, or was removed." if outcome is Outcome.LEFT_OUT else ""
            self._note(f"{_SUBSCRIBERS}#{email}", outcome, reason)

    # Images

    def _restore_images(self) -> None:
        """Store the images of an export under their names."""
        described: dict[str, _MediaEntry] = {}

        def read_list() -> None:
            with site_files.invalid_input():
                entries = _MediaEntries.validate_json(self._files.get(_MEDIA_LIST, b"[]"))
            described.update((entry.name, entry) for entry in entries)

        self._report(_MEDIA_LIST, read_list)
        images: defaultdict[str, dict[int, bytes]] = defaultdict(dict)
        for path, content in self._files.items():
            if match := _OWN_IMAGE.fullmatch(path):
                name, width = match[1], int(match[2])
                images[name][width] = content
                self._urls[path] = self._service.context.urls.media(name, width)
        for name, contents in images.items():
            entry = described.get(name) or _MediaEntry(name=name)
            if Kind.IMAGES in self._kinds:
                self._report(f"media/{name}", partial(self._restore, entry, contents))

    def _restore(self, entry: _MediaEntry, contents: dict[int, bytes]) -> Outcome:
        is_new = self._service.media.restore(
            self._actor,
            entry.name,
            contents,
            alt=entry.alt,
            filename=entry.filename,
            at=entry.uploaded_at,
            dry_run=self._dry_run,
        )
        return Outcome.CREATED if is_new else Outcome.SKIPPED

    def _upload_images(self) -> None:
        """Upload the other images that posts and the portfolio show, two at a time."""
        alts: dict[str, str] = {}

        def note_image(path: str, target: str, alt: str) -> str:
            image = self._find(path, target)
            if image and image.lower().endswith(_IMAGES) and image not in self._urls:
                alts[image] = alts.get(image) or alt
            return target

        for path, document in self._documents.items():
            document.map_links(partial(note_image, path))
        with ThreadPoolExecutor(2) as pool:
            uploads = [partial(self._upload, path, alt) for path, alt in alts.items()]
            list(pool.map(self._report, alts, uploads))

    def _upload(self, path: str, alt: str) -> Outcome:
        content = self._files[path]
        if self._dry_run:
            image = process_image(content)
            name, widths = image.name, sorted(image.variants)
        else:
            filename = PurePosixPath(path).name
            media = self._service.media.upload(self._actor, content, filename, alt[:MAX_ALT])
            name, widths = media.name, media.widths
        self._urls[path] = self._service.context.urls.media(name, widths[:2][-1])
        return Outcome.CREATED

    # Posts and the portfolio

    def _save(self, path: str, document: site_files.PostFile | site_files.SiteFile) -> None:
        if isinstance(document, site_files.PostFile):
            if Kind.POSTS in self._kinds:
                self._report(path, partial(self._save_post, path, document))
            return
        if Kind.PROFILE in self._kinds:
            self._report(path, partial(self._save_profile, path, document.portfolio))
        if Kind.SETTINGS in self._kinds and document.settings:
            name = f"{path}{_SETTINGS}"
            self._report(name, partial(self._save_settings, name, document.settings))

    def _save_post(self, path: str, post: site_files.PostFile) -> None:
        activity = self._activities.get(path, site_files.ActivityFile())
        activity = activity.map_links(partial(self._url, path))
        last = max((old.number for old in activity.history), default=0)
        outcome, blog = self._service.posts.import_post(
            self._actor, post, revisions=last, dry_run=self._dry_run
        )
        is_changed = restore_activity(self._service, blog, activity, dry_run=self._dry_run)
        if is_changed and outcome is Outcome.SKIPPED:
            outcome = Outcome.UPDATED
        self._note(path, outcome, blog_id=blog.blog_id)

    def _save_profile(self, path: str, changes: profile_rules.Changes) -> None:
        profile, checked = self._service.profile, profile_rules.check_portfolio(changes)
        if self._note_fields(path, profile.get_portfolio(consistent=True), checked):
            profile.update_portfolio(self._actor, checked)

    def _save_settings(self, path: str, changes: profile_rules.Changes) -> None:
        profile, checked = self._service.profile, profile_rules.check_settings(changes)
        if self._note_fields(path, profile.get_settings(consistent=True), checked):
            profile.update_settings(self._actor, checked)

    def _note_fields(
        self,
        path: str,
        stored: entities.Portfolio | entities.SiteSettings,
        changes: profile_rules.Changes,
    ) -> bool:
        """Note which fields change; return whether they are to be written."""
        changed = [name for name, value in changes.items() if getattr(stored, name) != value]
        outcome = Outcome.UPDATED if changed else Outcome.SKIPPED
        self._note(path, outcome, ", ".join(changed).replace("_", " "))
        return bool(changed) and not self._dry_run


def restore_activity(
    service: PortfolioService,
    blog: entities.Blog,
    activity: site_files.ActivityFile,
    *,
    dry_run: bool = False,
) -> bool:
    """Add what a post does not have yet; return whether there was anything.

    A post that has earlier versions keeps them.
    """
    blog_id, context = blog.blog_id, service.context
    known: list[entities.Comment | entities.PendingComment] = []
    if activity.comments:
        known = [*service.comments.of_post(blog_id), *_waiting(service)[blog_id]]
    ids = {comment.comment_id for comment in known}
    # A file may name the same comment or version twice.
    added = {
        each.comment_id: _comment(context, blog_id, each)
        for each in activity.comments
        if each.comment_id not in ids
    }
    versions = {
        old.number: entities.Revision(blog_id=blog_id, **dict(old))
        for old in (activity.history if not service.posts.history(blog_id) else ())
        # Later edits count on from this number.
        if old.number <= blog.revisions
    }
    if not dry_run:
        context.store.put_many(versions.values())
        for kind in (entities.Comment, entities.PendingComment):
            context.store.put_many(each for each in added.values() if type(each) is kind)
    is_liked_more = service.likes.raise_to(blog_id, activity.likes, dry_run=dry_run)
    return bool(added or versions or is_liked_more)


def _comment(
    context: Context, blog_id: str, entry: site_files.CommentEntry
) -> entities.Comment | entities.PendingComment:
    if entry.approved_by:
        return entities.Comment(blog_id=blog_id, **dict(entry))
    return entities.PendingComment(
        blog_id=blog_id,
        **entry.model_dump(exclude={"approved_by", "is_author"}),
        visitor=context.keyed_hash("comment", "import"),
        ends=context.clock() + PENDING_LIFETIME,
    )


# Undo


class UndoRecord(BaseModel):
    """The record of an import: its time, the posts that it created, and the texts it replaced."""

    at: datetime
    created: list[str] = []
    replaced: list[str] = []
    kinds: list[Kind] = []


def import_with_undo(
    service: PortfolioService, actor: entities.User, files: Files, kinds: Collection[Kind]
) -> list[ImportEntry]:
    """Import the chosen kinds. What they replace is kept until the next import."""
    plan = import_site(service, actor, files, kinds=kinds, dry_run=True)
    updated = [entry for entry in plan if entry.outcome is Outcome.UPDATED]
    record = UndoRecord(
        at=service.context.clock(),
        replaced=[entry.blog_id for entry in updated if entry.blog_id],
        kinds=[entry.kind for entry in updated if entry.kind and not entry.blog_id],
    )
    site = site_files.SiteFile.of(service.profile.get_portfolio(), service.profile.get_settings())
    kept = {"portfolio.json": site_files.write_site(site).encode()}
    for blog_id in record.replaced:
        post = site_files.PostFile.of(service.posts.get(blog_id))
        kept[f"posts/{blog_id}.md"] = site_files.write_post(post).encode()
    _keep(service, record, kept)
    report = import_site(service, actor, files, kinds=kinds)
    created = [each.blog_id for each in report if each.outcome is Outcome.CREATED and each.blog_id]
    _keep(service, record.model_copy(update={"created": created}), kept)
    return report


def _keep(service: PortfolioService, record: UndoRecord, files: Files) -> None:
    archive = BytesIO()
    write_zip([*files.items(), (_UNDO_RECORD, record.model_dump_json().encode())], archive)
    service.context.bucket.put_object(_UNDO, archive.getvalue(), "application/zip")


def find_undo(service: PortfolioService) -> tuple[UndoRecord, Files] | None:
    """Return what the last import did and the files that it replaced, or None."""
    try:
        files = dict(read_zip(service.context.bucket.get_object(_UNDO)))
    except ObjectNotFound:
        return None
    return UndoRecord.model_validate_json(files.pop(_UNDO_RECORD)), files


def undo_import(service: PortfolioService, actor: entities.User) -> None:
    """Delete the posts that the last import created, and restore what it replaced."""
    PERMISSIONS.check(actor.role, Permission.EDIT_SITE)
    found = find_undo(service)
    if found is None:
        raise NotFound("There is no import to undo.")
    record, files = found
    for blog_id in record.created:
        with suppress(NotFound):
            service.posts.delete(actor, blog_id)
    report = import_site(service, actor, files, kinds=[Kind.POSTS, *record.kinds])
    failed = [f"{each.path}: {each.reason}" for each in report if each.outcome is Outcome.FAILED]
    if failed:
        raise Busy(f"Not everything could be restored. Try again. {' '.join(failed)}")
    service.context.bucket.delete_object(_UNDO)
