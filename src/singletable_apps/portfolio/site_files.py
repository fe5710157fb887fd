"""The files of an exported site: posts as Markdown with front matter, and `portfolio.json`.

A post that we write:

    ---
    title: What the mouse left
    slug: what-the-mouse-left
    date: 2024-11-17T14:05:00Z
    tags: [radio, repair]
    ---

    The radio came home in a milk crate.

Files of Jekyll, Hugo (YAML or TOML) and Bear Blog are read as well, with their own names for the
same fields, and so is the JSON of the original system. Values of a wrong type are errors, never
guesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, date, datetime, time
from pathlib import PurePosixPath
from typing import Any, cast

from singletable_apps.portfolio.entities import (
    Experience,
    Font,
    Portfolio,
    Project,
    SiteSettings,
    Theme,
)
from singletable_apps.portfolio.errors import InvalidInput
from singletable_apps.portfolio.profile_rules import PortfolioEdits, SettingsEdits
from singletable_apps.portfolio.rules import PostDraft, derive_slug, slug_error
from singletable_apps.shared.front_matter import (
    InvalidFrontMatter,
    read_front_matter,
    read_values,
    write_front_matter,
)
from singletable_apps.shared.markdown import html_as_markdown

# Our names come first; the others are those of Jekyll, Hugo and Bear Blog.
_NAMES = {
    "title": ("title",),
    "slug": ("slug", "link", "permalink", "url"),
    "date": ("date", "published_date", "published_at", "pubDate", "created_at"),
    "updated": ("updated", "updated_at", "lastmod", "last_modified_at"),
    "author": ("author",),
    "author_name": ("author_name",),
    "tags": ("tags", "tag", "keywords"),
    "category": ("category", "categories"),
    "description": ("description", "seo_description", "meta_description", "summary"),
    "image": ("image", "featured_image_url", "featured_image", "meta_image", "cover"),
    "image_alt": ("image_alt", "featured_image_alt"),
    "canonical": ("canonical", "canonical_url"),
    "aliases": ("aliases", "alias", "redirect_from"),
}
_DATED_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(.+)")
_HEADING = re.compile(r"\A\s*# +(.+?)[ #]*\n+")
_OFFSET = re.compile(r"\s+([+-]\d\d:?\d\d|Z)\Z")
# From here on, a number is in milliseconds.
_MILLISECONDS = 10**11


@dataclass(frozen=True, slots=True)
class PostFile:
    """A post outside of the table. A date in the future is the time of its publication.

    `author` is an e-mail address. Links to images and to other posts are as in the file.
    """

    draft: PostDraft
    date: datetime | None = None
    updated: datetime | None = None
    is_draft: bool = False
    author: str = ""
    author_name: str = ""
    old_slugs: tuple[str, ...] = ()

    @property
    def filename(self) -> str:
        """Return the name of its file, which starts with the date, as Jekyll requires it."""
        day = "" if self.is_draft or self.date is None else f"{self.date:%Y-%m-%d}-"
        return f"{day}{self.draft.slug}.md"


def write_post(post: PostFile, *, is_scheduled: bool = False) -> str:
    """Return the text of a Markdown file."""
    draft = post.draft
    fields: dict[str, object] = {
        "title": draft.title,
        "slug": draft.slug,
        "date": post.date,
        "updated": post.updated,
        "draft": post.is_draft,
        "scheduled": is_scheduled,
        "author": post.author,
        "author_name": post.author_name,
        "tags": list(draft.tags),
        "category": draft.category,
        "description": draft.seo_description,
        "image": draft.featured_image_url,
        "image_alt": draft.featured_image_alt,
        "canonical": draft.canonical_url,
        "aliases": list(post.old_slugs),
    }
    return write_front_matter(fields, draft.markdown)


def read_post(path: str, text: str) -> PostFile:
    """Return the post in a file, or raise InvalidInput. The name of the file may say the date."""
    text = text.replace("\r\n", "\n")
    try:
        fields, markdown = read_front_matter(text)
    except InvalidFrontMatter as error:
        raise InvalidInput({"front matter": str(error)}) from error
    name = PurePosixPath(path)
    # Hugo keeps a post and its images in a folder: my-post/index.md.
    stem = name.parent.name if name.stem in ("index", "_index") and name.parent.name else name.stem
    if dated := _DATED_NAME.fullmatch(stem):
        stem = dated[2]
        if _first(fields, "date") is None:
            fields["date"] = dated[1]
    slug = _first(fields, "slug")
    # Jekyll also has templates, such as /:year/:title/.
    if slug is None or "/:" in str(slug):
        fields["slug"] = stem
    if not _first(fields, "title"):
        heading = _HEADING.match(markdown)
        fields["title"] = heading[1] if heading else stem.replace("-", " ").replace("_", " ")
        markdown = markdown[heading.end() :] if heading else markdown
    return _from_fields(fields, markdown)


def read_original_post(blog: Mapping[str, Any]) -> PostFile:
    """Return a post as the original system stores it, with HTML instead of Markdown."""
    content = blog.get("content")
    if not isinstance(content, str):
        raise InvalidInput({"content": "Expected the HTML of the post."})
    published = _first(dict(blog), "date") or blog.get("created_at")
    fields = {
        name: value for name, value in blog.items() if name not in ("published_at", "content")
    }
    post = _from_fields({**fields, "date": published, "updated": None}, html_as_markdown(content))
    if post.date is None:
        raise InvalidInput({"created_at": "Expected the time of the post."})
    return replace(post, updated=post.date)


# The portfolio and the settings

_TEXTS = ("name", "headline", "profile_pic_url", "bio", "email", "about_markdown", "about_content")
_SETTINGS = tuple(each.name for each in fields(SettingsEdits))


def write_portfolio(portfolio: Portfolio, settings: SiteSettings) -> dict[str, Any]:
    """Return the content of `portfolio.json`."""
    return {
        **{name: getattr(portfolio, name) for name in _TEXTS if name != "about_content"},
        "social_links": portfolio.social_links,
        "projects": [asdict(project) for project in portfolio.projects],
        "experience": [
            {
                **asdict(entry),
                "start_date": _day(entry.start_date),
                "end_date": _day(entry.end_date),
            }
            for entry in portfolio.experience
        ],
        "settings": {name: getattr(settings, name) for name in _SETTINGS},
    }


def _day(value: date | None) -> str | None:
    return None if value is None else value.isoformat()


def read_portfolio(text: str) -> tuple[PortfolioEdits, SettingsEdits]:
    """Return the edits in `portfolio.json`, or in YAML with the same names."""
    try:
        values = read_values(text)
    except InvalidFrontMatter as error:
        raise InvalidInput({"portfolio": str(error)}) from error
    return read_portfolio_fields(values)


def read_portfolio_fields(values: Mapping[str, Any]) -> tuple[PortfolioEdits, SettingsEdits]:
    """Return the edits in our own fields, or in those of the original system; skip other names."""
    edits: dict[str, Any] = {
        name: _text(name, values[name]) for name in _TEXTS if values.get(name) is not None
    }
    if values.get("social_links") is not None:
        links = _mapping("social_links", values["social_links"])
        edits["social_links"] = {name: _text(name, url) for name, url in links.items()}
    for name, read in (("projects", _project), ("experience", _experience)):
        if values.get(name) is not None:
            edits[name] = [
                read(f"{name}/{number}", _mapping(f"{name}/{number}", entry))
                for number, entry in enumerate(_list(name, values[name]))
            ]
    settings = _mapping("settings", values.get("settings") or {})
    return PortfolioEdits(**edits), SettingsEdits(
        **{name: _setting(name, settings[name]) for name in _SETTINGS if name in settings}
    )


def _project(place: str, entry: dict[str, Any]) -> Project:
    names = ("id", "title", "description", "image_url", "image_alt", "link")
    texts = {name: _text(f"{place}/{name}", entry.get(name)) for name in names}
    return Project(**texts, technologies=_technologies(place, entry))


def _experience(place: str, entry: dict[str, Any]) -> Experience:
    texts = {
        name: _text(f"{place}/{name}", entry.get(name) or entry.get(old))
        for name, old in (
            ("id", "id"),
            ("title", "position"),
            ("company", "organization"),
            ("description", "description"),
        )
    }
    start, end = (
        read_time(f"{place}/{name}", entry.get(name)) for name in ("start_date", "end_date")
    )
    return Experience(
        **texts,
        start_date=None if start is None else start.date(),
        end_date=None if end is None else end.date(),
        technologies=_technologies(place, entry),
    )


def _technologies(place: str, entry: dict[str, Any]) -> list[str]:
    return list(_texts(f"{place}/technologies", entry.get("technologies")))


def _list(name: str, value: object) -> list[object]:
    if not isinstance(value, list):
        raise InvalidInput({name: f"Expected a list, but got {type(value).__name__}."})
    return cast(list[object], value)


def _setting(name: str, value: object) -> Any:
    flags, numbers = ("likes", "comments", "contact"), ("posts_per_page",)
    wanted = bool if name in flags else int if name in numbers else str
    if type(value) is not wanted:
        raise InvalidInput({name: f"Expected {wanted.__name__}, but got {value!r:.60}."})
    try:
        return (
            Theme(f"{value}") if name == "theme" else Font(f"{value}") if name == "font" else value
        )
    except ValueError:
        known = ", ".join(Theme if name == "theme" else Font)
        raise InvalidInput({name: f"Expected one of {known}, but got {value!r:.60}."}) from None


# Front matter


def _mapping(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput({name: "Expected names and values, such as title: Tea."})
    return {str(key): each for key, each in cast(dict[object, Any], value).items()}


def _from_fields(fields: dict[str, Any], markdown: str) -> PostFile:
    categories = _texts("category", _first(fields, "category"))
    draft = PostDraft(
        title=_text("title", _first(fields, "title")),
        markdown=markdown,
        slug=_slug(_text("slug", _first(fields, "slug"))),
        tags=(*_texts("tags", _first(fields, "tags")), *categories[1:]),
        category=categories[0] if categories else "",
        featured_image_url=_image(_first(fields, "image")),
        featured_image_alt=_text("image_alt", _first(fields, "image_alt")),
        seo_description=" ".join(_text("description", _first(fields, "description")).split()),
        canonical_url=_text("canonical", _first(fields, "canonical")),
    )
    author = _text("author", _first(fields, "author"))
    is_address = "@" in author
    return PostFile(
        draft,
        date=read_time("date", _first(fields, "date")),
        updated=read_time("updated", _first(fields, "updated")),
        is_draft=_is_draft(fields),
        author=author if is_address else "",
        author_name=_text("author_name", _first(fields, "author_name"))
        or ("" if is_address else author),
        old_slugs=_old_slugs(fields),
    )


def _first(fields: dict[str, Any], name: str) -> Any:
    """Return the value under the first of the names of a field that has one."""
    return next((fields[each] for each in _NAMES[name] if fields.get(each) is not None), None)


def _is_draft(fields: Mapping[str, Any]) -> bool:
    """Return whether it says draft: true, or as Jekyll and Bear Blog do, published: false."""
    for name, means_draft in (("draft", True), ("published", False), ("publish", False)):
        value = fields.get(name)
        if isinstance(value, str) and value.lower() in ("true", "false"):
            value = value.lower() == "true"
        if isinstance(value, bool) and value is means_draft:
            return True
    return False


def read_time(name: str, value: object) -> datetime | None:
    """Return a time of YAML, TOML or JSON in whole seconds of UTC; without a zone it is UTC."""
    try:
        match value:
            case None | "":
                return None
            case datetime():
                at = value
            case date():
                at = datetime.combine(value, time())
            case bool():
                raise ValueError
            case int() | float():
                at = datetime.fromtimestamp(value / 1000 if value >= _MILLISECONDS else value, UTC)
            case str():
                at = datetime.fromisoformat(_OFFSET.sub(r"\1", value.strip()))
            case _:
                raise ValueError
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(
            {name: f"Expected a time such as 2026-03-01T18:00:00Z, but got {value!r:.60}."}
        ) from None
    return at.replace(microsecond=0)


def _text(name: str, value: object) -> str:
    match value:
        case None:
            return ""
        case str():
            return value.strip()
        case bool() | int() | float() | date():
            # `title: 2026` is a title, although YAML reads a number.
            return str(value)
        case _:
            raise InvalidInput({name: f"Expected a text, but got {type(value).__name__}."})


def _texts(name: str, value: object) -> tuple[str, ...]:
    """Return a list of texts, which may also be written as one text with commas."""
    match value:
        case list() | tuple():
            items = cast(Iterable[object], value)
            return tuple(filter(None, (_text(name, item) for item in items)))
        case str():
            return tuple(filter(None, (part.strip() for part in value.split(","))))
        case _:
            return (_text(name, value),) if value is not None else ()


def _image(value: object) -> str:
    # Hugo's themes have a table: cover: {image: …}.
    if isinstance(value, dict):
        value = _mapping("image", cast(object, value)).get("image")
    return _text("image", value)


def _slug(text: str) -> str:
    """Return the last segment of a slug, a path or a URL, as a slug."""
    last = text.partition("?")[0].rstrip("/").rpartition("/")[2].removesuffix(".html")
    return last if not slug_error(last) else derive_slug(last)


def _old_slugs(fields: dict[str, Any]) -> tuple[str, ...]:
    slugs = (_slug(each) for each in _texts("aliases", _first(fields, "aliases")))
    return tuple(dict.fromkeys(slug for slug in slugs if slug))
