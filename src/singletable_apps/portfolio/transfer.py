"""Export the site as a folder of Markdown, and import such a folder, from here or from elsewhere.

    portfolio.json               the person, the projects, the positions and the settings
    posts/2026-03-01-a-title.md  a post; drafts have no date in their name
    media/{name}/{width}.webp    the images, described in media/media.json

Links between these files are relative, so that any Markdown editor shows them. An export that is
imported into an empty site and exported again is the same, byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any, cast

from singletable_apps.portfolio.entities import Blog, Media, User
from singletable_apps.portfolio.errors import InvalidInput, PortfolioError
from singletable_apps.portfolio.profile_rules import (
    PortfolioEdits,
    SettingsEdits,
    changes_of,
    check_portfolio_edits,
    check_settings_edits,
)
from singletable_apps.portfolio.rules import PERMISSIONS, Permission, Post, PostStatus, post_status
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.portfolio.service.media import MAX_ALT
from singletable_apps.portfolio.service.post_imports import Outcome, PostImporter
from singletable_apps.portfolio.site_files import (
    PostFile,
    read_original_post,
    read_portfolio,
    read_portfolio_fields,
    read_post,
    read_time,
    write_portfolio,
    write_post,
)
from singletable_apps.shared.archives import Files
from singletable_apps.shared.images import InvalidImage, process_image

_PAGE = 100
_IMAGES = (".webp", ".jpg", ".jpeg", ".png", ".gif", ".avif")
_MARKDOWN = (".md", ".markdown")
_PORTFOLIO = ("portfolio.json", "portfolio.yaml", "portfolio.yml")
_MEDIA_LIST = "media/media.json"
_OWN_IMAGE = re.compile(r"media/([0-9a-f]{16}_\d+x\d+)/(\d+)\.webp")
# The target of a link or an image in Markdown, and in the HTML inside it.
_LINK = re.compile(r'(\]\(\s*<?|\b(?:src|href)="|^\[[^\]\n]+\]:[ \t]*)([^\s)>"#?]+)', re.MULTILINE)
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\(\s*<?([^\s)>]+)")

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ImportEntry:
    """What happened to a file, and why if it was skipped or failed."""

    path: str
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What happened to each file."""

    entries: Sequence[ImportEntry]

    def count(self, outcome: Outcome) -> int:
        """Return how many files had this outcome."""
        return sum(entry.outcome is outcome for entry in self.entries)


def rewrite_links(text: str, rewrite: Callable[[str], str | None]) -> str:
    """Replace the targets of links and images for which `rewrite` returns another one."""
    return _LINK.sub(lambda match: match[1] + (rewrite(match[2]) or match[2]), text)


# Export


def export_site(service: PortfolioService) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file."""
    posts = list(_all_posts(service))
    names = {post.blog.slug: _post_file(post).filename for post in posts}
    portfolio = write_portfolio(service.profile.get_portfolio(), service.profile.get_settings())
    to_root = _Relative(service, "", {slug: f"posts/{name}" for slug, name in names.items()})
    yield "portfolio.json", _json(_map_portfolio(portfolio, to_root))
    to_post = _Relative(service, "../", names)
    now = service.context.clock()
    for post in sorted(posts, key=lambda each: names[each.blog.slug]):
        file = _post_file(post)
        draft = replace(
            file.draft,
            markdown=rewrite_links(file.draft.markdown, to_post),
            featured_image_url=to_post(file.draft.featured_image_url)
            or file.draft.featured_image_url,
        )
        text = write_post(
            replace(file, draft=draft),
            is_scheduled=post_status(post.blog, now) is PostStatus.SCHEDULED,
        )
        yield f"posts/{file.filename}", text.encode()
    media = sorted(_all_media(service), key=lambda each: each.name)
    if media:
        yield _MEDIA_LIST, _json([_describe(each) for each in media])
    for each in media:
        for width in each.widths:
            path = f"media/{each.name}/{width}.webp"
            yield path, service.media.open(each.name, width)


def _all_posts(service: PortfolioService) -> Iterator[Post]:
    blogs: list[Blog] = service.posts.list_drafts()
    cursor = None
    while True:
        page = service.posts.list_all(_PAGE, cursor)
        blogs += page.items
        cursor = page.cursor
        if cursor is None:
            break
    for start in range(0, len(blogs), _PAGE):
        some = blogs[start : start + _PAGE]
        texts = service.posts.contents(blog.blog_id for blog in some)
        yield from (Post(blog, texts[blog.blog_id]) for blog in some if blog.blog_id in texts)


def _all_media(service: PortfolioService) -> Iterator[Media]:
    cursor = None
    while True:
        page = service.media.list(_PAGE, cursor)
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return


def _post_file(post: Post) -> PostFile:
    blog = post.blog
    return PostFile(
        post.draft,
        date=blog.listed_at,
        updated=blog.updated_at,
        is_draft=blog.published_at is None,
        author=blog.author,
        author_name=blog.author_name,
        old_slugs=tuple(blog.old_slugs),
    )


class _Relative:
    """Turns URLs of this site into paths of files, relative to the folder of a file."""

    def __init__(self, service: PortfolioService, up: str, posts: Mapping[str, str]) -> None:
        self._prefix = service.context.urls.prefix
        self._up = up
        self._posts = posts

    def __call__(self, url: str) -> str | None:
        if not url.startswith(f"{self._prefix}/"):
            return None
        path = url.removeprefix(f"{self._prefix}/")
        if _OWN_IMAGE.fullmatch(path):
            return f"{self._up}{path}"
        return self._posts.get(path.removeprefix("blog/")) if path.startswith("blog/") else None


def _map_portfolio(values: dict[str, Any], rewrite: Callable[[str], str | None]) -> dict[str, Any]:
    """Return the portfolio with other targets of its images and links."""
    projects = [
        {**each, "image_url": rewrite(each["image_url"]) or each["image_url"]}
        for each in values["projects"]
    ]
    return {
        **values,
        "profile_pic_url": rewrite(values["profile_pic_url"]) or values["profile_pic_url"],
        "about_markdown": rewrite_links(values["about_markdown"], rewrite),
        "projects": projects,
    }


def _describe(media: Media) -> dict[str, str]:
    return {
        "name": media.name,
        "alt": media.alt,
        "filename": media.filename,
        "uploaded_at": f"{media.uploaded_at:%Y-%m-%dT%H:%M:%SZ}",
    }


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


# Import


def import_site(
    service: PortfolioService,
    actor: User,
    files: Files,
    *,
    dry_run: bool = False,
    on_progress: OnProgress | None = None,
) -> ImportReport:
    """Import posts, images and the portfolio; a post replaces the one with the same slug.

    Each file is imported completely or not at all, and one that fails does not stop the others.
    """
    PERMISSIONS.check(actor.role, Permission.EDIT_SITE)
    return _Import(service, actor, files, dry_run=dry_run).run(on_progress)


class _Import:
    """An import in progress."""

    def __init__(
        self, service: PortfolioService, actor: User, files: Files, *, dry_run: bool
    ) -> None:
        self._service = service
        self._urls = service.context.urls
        self._actor = actor
        self._files = files
        self._dry_run = dry_run
        self._importer = PostImporter(service.context, service.posts)
        self._entries: dict[str, ImportEntry] = {}
        # What links in files lead to: paths of images and posts, and their URLs here.
        self._targets: dict[str, str] = {}
        self._slugs: dict[str, str] = {}

    def run(self, on_progress: OnProgress | None) -> ImportReport:
        posts = self._read_posts()
        # A URL is known before posts link to it.
        for path, post in posts.items():
            if post.draft.slug:
                self._targets.setdefault(path.partition("#")[0], self._urls.post(post.draft.slug))
        self._import_own_images()
        self._import_other_images(posts)
        for done, (path, post) in enumerate(posts.items(), 1):
            self._report(path, partial(self._save, path, post))
            if on_progress is not None:
                on_progress(done, len(posts))
        for path in self._files:
            if path in _PORTFOLIO:
                self._report(path, partial(self._import_portfolio, path))
        for path in self._files.keys() - self._entries.keys() - {_MEDIA_LIST}:
            if not any(each.startswith(f"{path}#") for each in self._entries):
                self._note(path, Outcome.SKIPPED, "It is neither a post nor an image of one.")
        if not self._dry_run:
            self._service.catalog.expire()
        return ImportReport([self._entries[path] for path in sorted(self._entries)])

    def _note(self, path: str, outcome: Outcome, reason: str = "") -> None:
        self._entries[path] = ImportEntry(path, outcome, reason)

    def _report(self, path: str, action: Callable[[], Outcome | None]) -> None:
        """Run an action, and note its outcome, or why it failed."""
        try:
            outcome = action()
        except InvalidInput as error:
            reason = "; ".join(f"{name}: {text}" for name, text in error.errors.items())
            self._note(path, Outcome.FAILED, reason)
        except PortfolioError as error:
            self._note(path, Outcome.FAILED, str(error))
        else:
            if outcome is not None:
                self._note(path, outcome)

    def _text(self, path: str) -> str:
        try:
            return self._files[path].decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InvalidInput({"text": "Save the file as UTF-8."}) from None

    def _read_posts(self) -> dict[str, PostFile]:
        """Return the posts in all files; posts in one JSON file are numbered: `blogs.json#3`."""
        posts: dict[str, PostFile] = {}
        for path in self._files:
            suffix = PurePosixPath(path).suffix.lower()
            if suffix in _MARKDOWN:
                self._report(path, partial(self._read_markdown, path, posts))
            elif suffix == ".json" and path not in (*_PORTFOLIO, _MEDIA_LIST):
                self._report(path, partial(self._read_original, path, posts))
        return posts

    def _read_markdown(self, path: str, posts: dict[str, PostFile]) -> None:
        posts[path] = read_post(path, self._text(path))

    def _read_original(self, path: str, posts: dict[str, PostFile]) -> Outcome | None:
        """Read posts or the portfolio as the API of the original system returned them."""
        try:
            value: object = json.loads(self._files[path])
        except (ValueError, RecursionError):
            raise InvalidInput({"text": "This is not JSON."}) from None
        for name in ("data", "items"):
            if isinstance(value, dict) and name in value:
                value = cast(dict[str, object], value)[name]
        if isinstance(value, dict) and "content" not in value:
            fields = cast(dict[str, Any], value)
            if not fields.keys() & {"bio", "projects", "experience", "about_content"}:
                return None
            return self._save_portfolio(*read_portfolio_fields(fields))
        blogs = cast(list[object], value if isinstance(value, list) else [value])
        for number, blog in enumerate(blogs, 1):
            name = f"{path}#{number}"
            self._report(name, partial(_read_entry, posts, name, blog))
        return None

    def _resolve(self, path: str, target: str) -> str | None:
        """Return the file that a link in a file leads to, or None."""
        folder = path.rpartition("/")[0]
        site_path = target.lstrip("/")
        tries = (
            # Hugo serves the files of the folder `static` at the root.
            (site_path, f"static/{site_path}")
            if target.startswith("/")
            else (normpath(f"{folder}/{target}" if folder else target),)
        )
        return next((each for each in tries if each in self._files), None)

    def _url(self, path: str, target: str) -> str | None:
        found = self._resolve(path, target)
        return None if found is None else self._targets.get(found)

    # Images

    def _import_own_images(self) -> None:
        described = self._described_images()
        variants: dict[str, dict[int, bytes]] = {}
        for path, content in self._files.items():
            if match := _OWN_IMAGE.fullmatch(path):
                variants.setdefault(match[1], {})[int(match[2])] = content
        for name, files in variants.items():
            path = f"media/{name}"
            about = described.get(name, {})
            self._report(path, partial(self._restore, name, files, about))
            for width in files:
                file = f"{path}/{width}.webp"
                self._targets[file] = self._urls.media(name, width)
                self._entries[file] = self._entries[path]
            del self._entries[path]

    def _described_images(self) -> dict[str, dict[str, Any]]:
        try:
            found: object = json.loads(self._files.get(_MEDIA_LIST, b"[]"))
        except (ValueError, RecursionError):
            found = []
        entries = cast(list[object], found) if isinstance(found, list) else []
        about = [cast(dict[str, Any], each) for each in entries if isinstance(each, dict)]
        return {str(each.get("name")): each for each in about}

    def _restore(self, name: str, files: dict[int, bytes], about: dict[str, Any]) -> Outcome:
        is_new = self._service.media.restore(
            self._actor,
            name,
            files,
            alt=str(about.get("alt", "")),
            filename=str(about.get("filename", "")),
            at=read_time("uploaded_at", about.get("uploaded_at")),
            dry_run=self._dry_run,
        )
        return Outcome.CREATED if is_new else Outcome.SKIPPED

    def _import_other_images(self, posts: Mapping[str, PostFile]) -> None:
        """Upload the images that posts and the portfolio show, two at a time."""
        wanted: dict[str, str] = {}
        for path, post in posts.items():
            draft = post.draft
            self._want(wanted, path, draft.featured_image_url, draft.featured_image_alt)
            for image in _IMAGE.finditer(draft.markdown):
                self._want(wanted, path, image[2], image[1])
            for link in _LINK.finditer(draft.markdown):
                self._want(wanted, path, link[2], "")
        for path in _PORTFOLIO:
            if path in self._files:
                for other in self._files:
                    if other.encode() in self._files[path]:
                        self._want(wanted, path, other, "")
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(self._upload, wanted, wanted.values()))
        for path, result in zip(wanted, results, strict=True):
            if isinstance(result, str):
                self._note(path, Outcome.FAILED, result)
            else:
                name, width = result
                self._targets[path] = self._urls.media(name, width)
                self._note(path, Outcome.CREATED)

    def _want(self, wanted: dict[str, str], path: str, target: str, alt: str) -> None:
        image = self._resolve(path, target)
        if image is not None and image.lower().endswith(_IMAGES) and image not in self._targets:
            wanted.setdefault(image, alt[:MAX_ALT])

    def _upload(self, path: str, alt: str) -> tuple[str, int] | str:
        """Return the name and a width of the image, or why it is not one."""
        content, filename = self._files[path], PurePosixPath(path).name
        try:
            if self._dry_run:
                image = process_image(content)
                name, widths = image.name, sorted(image.variants)
            else:
                media = self._service.media.upload(self._actor, content, filename, alt)
                name, widths = media.name, media.widths
        except (InvalidImage, InvalidInput) as error:
            return str(error)
        return name, widths[min(1, len(widths) - 1)]

    # Posts and the portfolio

    def _save(self, path: str, post: PostFile) -> Outcome:
        file = path.partition("#")[0]
        image = post.draft.featured_image_url
        draft = replace(
            post.draft,
            markdown=rewrite_links(post.draft.markdown, lambda target: self._url(file, target)),
            featured_image_url=(self._url(file, image) if image else None) or image,
        )
        slug = draft.slug
        if slug in self._slugs:
            raise InvalidInput({"slug": f"{self._slugs[slug]} has the same slug “{slug}”."})
        outcome, slug = self._importer.save(
            self._actor, replace(post, draft=draft), dry_run=self._dry_run
        )
        self._slugs[slug] = path
        return outcome

    def _import_portfolio(self, path: str) -> Outcome:
        return self._save_portfolio(*read_portfolio(self._text(path)))

    def _save_portfolio(self, edits: PortfolioEdits, settings: SettingsEdits) -> Outcome:
        profile = self._service.profile
        edits = check_portfolio_edits(self._with_urls(edits))
        settings = check_settings_edits(settings)
        outcome = Outcome.SKIPPED
        current = profile.get_portfolio(consistent=True)
        changes = changes_of(edits)
        about = changes.pop("about_content", None)
        if about is not None or any(getattr(current, name) != changes[name] for name in changes):
            outcome = Outcome.UPDATED if current.revision else Outcome.CREATED
            if not self._dry_run:
                profile.update_portfolio(self._actor, edits)
        chosen = profile.get_settings(consistent=True)
        changes = changes_of(settings)
        if any(getattr(chosen, name) != changes[name] for name in changes):
            outcome = Outcome.UPDATED if outcome is Outcome.SKIPPED else outcome
            if not self._dry_run:
                profile.update_settings(self._actor, settings)
        return outcome

    def _with_urls(self, edits: PortfolioEdits) -> PortfolioEdits:
        def rewrite(target: str) -> str | None:
            return self._url("", target) if target else None

        picture = edits.profile_pic_url
        return replace(
            edits,
            profile_pic_url=None if picture is None else rewrite(picture) or picture,
            about_markdown=None
            if edits.about_markdown is None
            else rewrite_links(edits.about_markdown, rewrite),
            projects=None
            if edits.projects is None
            else [
                replace(each, image_url=rewrite(each.image_url) or each.image_url)
                for each in edits.projects
            ],
        )


def _read_entry(posts: dict[str, PostFile], name: str, blog: object) -> None:
    if not isinstance(blog, dict):
        raise InvalidInput({"post": "Expected a post with title, slug and content."})
    posts[name] = read_original_post(cast(dict[str, Any], blog))
