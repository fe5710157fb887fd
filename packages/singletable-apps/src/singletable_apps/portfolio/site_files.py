"""The files of an exported site: posts as Markdown with front matter, and `portfolio.json`.

Beside a post is a JSON file with its likes, comments and earlier versions, if it has any.

A post that we write:

    ---
    title: What the mouse left
    slug: what-the-mouse-left
    date: 2024-11-17T14:05:00Z
    tags: [radio, repair]
    ---

    The radio came home in a milk crate.

Files of Jekyll, Hugo (YAML or TOML) and Bear Blog are read as well, with their own names for the
same fields. Values of a wrong type are errors, never guesses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import PurePosixPath
from typing import Annotated, Any, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WrapValidator,
)
from pydantic_core import ErrorDetails, to_jsonable_python

from singletable_apps.portfolio import rules
from singletable_apps.portfolio.comment_rules import CommentDraft, check_comment
from singletable_apps.portfolio.entities import Portfolio, SiteSettings
from singletable_apps.portfolio.profile_rules import Changes
from singletable_apps.shared import front_matter, web
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.languages import Phrase

# Our names, and those of Jekyll, Hugo and Bear Blog.
_NAMES = {
    "title": (),
    "slug": ("link", "permalink", "url"),
    "date": ("published_date", "published_at", "pubDate", "created_at"),
    "updated": ("updated_at", "lastmod", "last_modified_at"),
    "author": (),
    "author_name": (),
    "tags": ("tag", "keywords"),
    "category": ("categories",),
    "description": ("seo_description", "meta_description", "summary"),
    "image": ("featured_image_url", "featured_image", "meta_image", "cover"),
    "image_alt": ("featured_image_alt",),
    "canonical": ("canonical_url",),
    "aliases": ("alias", "redirect_from"),
}
# The names of what an author enters, and of the same in front matter.
_FILE_NAMES = {
    **{name: name for name in ("title", "slug", "tags", "category", "is_page")},
    "seo_description": "description",
    "featured_image_url": "image",
    "featured_image_alt": "image_alt",
    "canonical_url": "canonical",
}
_DATED_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(.+)")
_HEADING = re.compile(r"\A\s*+# ++([^\n]++)\n++")
_SPACE_BEFORE_ZONE = re.compile(r"(?<!\s)\s++(?=([+-]\d\d:?\d\d|Z)\Z)")
# The target of a link or an image in Markdown, and in the HTML inside it. A description has no
# brackets, since a text of many brackets would take quadratic time.
_LINK = re.compile(
    r'(?P<start>(?:!\[(?P<alt>[^\[\]\n]*))?\]\(\s*<?|\b(?:src|href)="|^\[[^\]\n]+\]:[ \t]*)'
    r'(?P<target>[^\s)>"#?]+)',
    re.MULTILINE,
)

# Returns the new target of a link, given its target and the description of its image.
Rewrite = Callable[[str, str], str]


def _read_time(value: object, parse: Callable[[object], datetime]) -> datetime:
    """Return a time in whole seconds of UTC; without a zone it is UTC."""
    try:
        at = parse(_SPACE_BEFORE_ZONE.sub("", value) if isinstance(value, str) else value)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        # Times at the ends of the calendar do not exist in every time zone.
        if not 1000 <= at.year <= 9000:
            raise ValueError
    except (ValueError, OverflowError):
        text = "Expected a time such as 2026-03-01T18:00:00Z, but got %(value)s."
        raise ValueError(Phrase(text, value=f"{value!r:.60}")) from None
    return at.replace(microsecond=0)


def _to_slug(text: str) -> str:
    """Return the last segment of a slug, a path or a URL, as a slug."""
    last = text.partition("?")[0].rstrip("/").rpartition("/")[2].removesuffix(".html")
    return last if not rules.slug_error(last) else rules.derive_slug(last)


def _to_slugs(texts: list[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(_to_slug, texts))))


def _to_text(value: object) -> object:
    # `title: 2026` is a title, although YAML reads a number.
    return str(value).strip() if isinstance(value, str | int | float | date) else value


def _split(value: object) -> list[Any]:
    """Return a list, which may also be written as one text with commas."""
    if isinstance(value, str):
        return [part for part in map(str.strip, value.split(",")) if part]
    return list(cast(Iterable[Any], value)) if isinstance(value, list) else [value]


Time = Annotated[datetime, WrapValidator(_read_time)]
Text = Annotated[str, BeforeValidator(_to_text)]
TextList = Annotated[list[Text], BeforeValidator(_split)]


class PostFile(BaseModel):
    """A post outside of the table, with the names of its front matter.

    A date in the future is the time of its publication. `author` is an e-mail address. Links to
    images and to other posts are as in the file.
    """

    model_config = ConfigDict(frozen=True)

    title: Text
    slug: Annotated[Text, AfterValidator(_to_slug)] = ""
    date: Time | None = None
    updated: Time | None = None
    is_draft: bool = Field(default=False, serialization_alias="draft")
    author: Text = ""
    author_name: Text = ""
    tags: TextList = []
    category: Text = ""
    description: Text = ""
    image: Text = ""
    image_alt: Text = ""
    canonical: Text = ""
    aliases: Annotated[TextList, AfterValidator(_to_slugs)] = []
    is_page: bool = Field(default=False, serialization_alias="page")
    markdown: Annotated[str, Field(exclude=True)] = ""

    @classmethod
    def of(cls, post: rules.Post) -> Self:
        """Return the file of a stored post."""
        blog = post.blog
        return cls.model_construct(
            **{own: getattr(blog, name) for name, own in _FILE_NAMES.items()},
            date=blog.listed_at,
            updated=blog.updated_at,
            is_draft=blog.published_at is None,
            author=blog.author,
            author_name=blog.author_name,
            aliases=blog.old_slugs,
            markdown=post.content.markdown,
        )

    @property
    def draft(self) -> rules.PostDraft:
        """Return what an author would enter."""
        values: dict[str, Any] = {name: getattr(self, own) for name, own in _FILE_NAMES.items()}
        return rules.PostDraft(**{**values, "tags": tuple(self.tags), "markdown": self.markdown})

    @property
    def filename(self) -> str:
        """Return the path of its file; that of a post starts with the date, as in Jekyll."""
        if self.is_page:
            return f"pages/{self.slug}.md"
        day = "" if self.is_draft or self.date is None else f"{self.date:%Y-%m-%d}-"
        return f"posts/{day}{self.slug}.md"

    def map_links(self, rewrite: Rewrite) -> Self:
        """Return the post with other targets of its images and links."""
        image = self.image and rewrite(self.image, self.image_alt)
        return self.model_copy(
            update={"markdown": _map_links(self.markdown, rewrite), "image": image}
        )


class CommentEntry(BaseModel):
    """A comment. Without `approved_by` it waits for approval."""

    model_config = ConfigDict(from_attributes=True)

    comment_id: Annotated[str, Field(pattern=r"^[0-9a-f]{1,64}$")]
    author_name: str
    author_email: str = ""
    content: str
    created_at: Time
    approved_by: str = ""
    reply_to: Annotated[str, Field(pattern=r"^[0-9a-f]{0,64}$")] = ""
    is_author: bool = False


class RevisionEntry(BaseModel):
    """What a post was before an edit."""

    model_config = ConfigDict(from_attributes=True)

    number: Annotated[int, Field(ge=1, le=999_999)]
    title: Annotated[str, Field(max_length=rules.MAX_TITLE)]
    markdown: Annotated[str, Field(max_length=rules.MAX_MARKDOWN_BYTES)]
    edited_by: Annotated[str, Field(max_length=rules.MAX_DESCRIPTION)]
    edited_at: Time


class ActivityFile(BaseModel):
    """What belongs to a post besides its text: likes, comments and earlier versions."""

    likes: Annotated[int, Field(ge=0, le=10**9)] = 0
    comments: list[CommentEntry] = []
    history: list[RevisionEntry] = []

    def map_links(self, rewrite: Rewrite) -> Self:
        """Return the same with other targets of the links in earlier versions."""
        history = [
            old.model_copy(update={"markdown": _map_links(old.markdown, rewrite)})
            for old in self.history
        ]
        return self.model_copy(update={"history": history})


def write_activity(activity: ActivityFile) -> str:
    """Return the text of the JSON file beside a post, or an empty text if there is nothing."""
    values = activity.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(values, ensure_ascii=False, indent=2) + "\n" if values else ""


def read_activity(text: str) -> ActivityFile:
    """Return the content of the JSON file beside a post, or raise InvalidInput."""
    with invalid_input():
        activity = ActivityFile.model_validate_json(text)
    for each in activity.comments:
        check_comment(CommentDraft(each.author_name, each.content, each.author_email))
    return activity


def write_post(post: PostFile) -> str:
    """Return the text of a Markdown file."""
    return front_matter.write_front_matter(post.model_dump(by_alias=True), post.markdown)


def read_post(path: str, text: str) -> PostFile:
    """Return the post in a file, or raise InvalidInput. The name of the file may say the date."""
    with invalid_input("front matter"):
        values, markdown = front_matter.read_front_matter(text.replace("\r\n", "\n"))
    found = _with_our_names(values)
    name = PurePosixPath(path)
    # Hugo keeps a post and its images in a folder: my-post/index.md.
    stem = name.parent.name if name.stem in ("index", "_index") and name.parent.name else name.stem
    if dated := _DATED_NAME.fullmatch(stem):
        stem = dated[2]
        found.setdefault("date", dated[1])
    # Jekyll also has templates, such as /:year/:title/.
    if "/:" in str(found.get("slug", "/:")):
        found["slug"] = stem
    if "title" not in found:
        heading = _HEADING.match(markdown)
        title = heading[1].rstrip(" #") if heading else ""
        found["title"] = title or stem.replace("-", " ").replace("_", " ")
        markdown = markdown[heading.end() :] if heading else markdown
    with invalid_input():
        return PostFile.model_validate({**found, "markdown": markdown})


def read_original_site(values: Mapping[str, Any]) -> SiteFile:
    """Return the portfolio as the API of the original system returned it; times are in seconds."""
    found = dict(values)
    for name in ("projects", "experience"):
        if isinstance(found.get(name), list):
            found[name] = [_read_original_entry(entry) for entry in found[name]]
    if isinstance(found.get("social_links"), dict):
        found["social_links"] = {name: url or "" for name, url in found["social_links"].items()}
    with invalid_input():
        return SiteFile.read(found, {})


def _read_original_entry(entry: object) -> dict[str, Any]:
    """Return a project or a position without empty fields, with days instead of Unix seconds."""
    if not isinstance(entry, dict):
        raise InvalidInput({"entry": f"Expected a project or a position, but got {entry!r:.60}."})
    return {
        name: read_unix_time(value).date() if name in ("start_date", "end_date") else value
        for name, value in cast(dict[str, Any], entry).items()
        if value is not None
    }


def read_unix_time(seconds: Any) -> datetime:
    """Return the time of Unix seconds, or raise InvalidInput."""
    try:
        at = datetime.fromtimestamp(seconds, UTC)
        # A time at the end of the calendar does not exist in every time zone.
        if at.year > 9000:
            raise ValueError
    except (TypeError, ValueError, OverflowError, OSError):
        raise InvalidInput({"time": f"Expected Unix seconds, but got {seconds!r:.60}."}) from None
    return at


def _with_our_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that have a value, under our names."""
    found = {
        name: values[each]
        for name, others in _NAMES.items()
        for each in (*others, name)
        if values.get(each) not in (None, "", [])
    }
    if isinstance(found.get("category"), list):
        found["category"], *others = found["category"]
        found["tags"] = [*_split(found.get("tags", [])), *others]
    if isinstance(found.get("image"), dict):  # Hugo's themes have a table
        found["image"] = found["image"].get("image", "")
    if "@" not in str(found.get("author", "@")):
        found.setdefault("author_name", found.pop("author"))
    # Jekyll and Bear Blog say published: false.
    flags = {name: str(values.get(name)).lower() for name in ("draft", "published", "publish")}
    found["is_page"] = str(values.get("page")).lower() == "true"
    found["is_draft"] = flags.pop("draft") == "true" or "false" in flags.values()
    return found


def _map_links(text: str, rewrite: Rewrite) -> str:
    return _LINK.sub(lambda link: link["start"] + rewrite(link["target"], link["alt"] or ""), text)


@web.partial_model()
class _Person(web.Model, of=Portfolio, omit="id updated_at revision"):
    """The fields of the portfolio in a file."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


@web.partial_model()
class _Settings(web.Model, of=SiteSettings, omit="id updated_at revision"):
    """The settings in a file."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


class _SiteValues(BaseModel):
    portfolio: _Person
    settings: _Settings


@dataclass(frozen=True)
class SiteFile:
    """The content of `portfolio.json`: the person, and the settings under `settings`."""

    portfolio: Changes
    settings: Changes

    @classmethod
    def of(cls, portfolio: Portfolio, settings: SiteSettings) -> Self:
        """Return the file of the stored portfolio and settings."""
        # The HTML of the about page is made from its Markdown.
        names = [name for name in _Person.model_fields if name != "about_content"]
        return cls(
            {name: getattr(portfolio, name) for name in names},
            {name: getattr(settings, name) for name in _Settings.model_fields},
        )

    @classmethod
    def read(cls, portfolio: Mapping[str, Any], settings: Mapping[str, Any]) -> Self:
        """Return the checked values; skip unknown names. None is no value."""
        given = {"portfolio": _without_none(portfolio), "settings": _without_none(settings)}
        values = _SiteValues.model_validate(given)
        return cls(
            *(
                {name: getattr(each, name) for name in each.model_fields_set}
                for each in (values.portfolio, values.settings)
            )
        )

    def map_links(self, rewrite: Rewrite) -> Self:
        """Return the portfolio with other targets of its images and links."""
        portfolio = dict(self.portfolio)
        if url := portfolio.get("profile_pic_url"):
            portfolio["profile_pic_url"] = rewrite(url, "")
        if text := portfolio.get("about_markdown"):
            portfolio["about_markdown"] = _map_links(text, rewrite)
        if projects := portfolio.get("projects"):
            portfolio["projects"] = [
                replace(each, image_url=each.image_url and rewrite(each.image_url, each.image_alt))
                for each in projects
            ]
        return replace(self, portfolio=portfolio)


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def write_site(site: SiteFile) -> str:
    """Return the text of `portfolio.json`."""
    values = {**site.portfolio, "settings": site.settings}
    content = to_jsonable_python(values, exclude_none=True)
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def read_site(text: str) -> SiteFile:
    """Return the changes in `portfolio.json`, or in YAML with the same names."""
    with invalid_input("portfolio"):
        values = front_matter.read_values(text)
        return SiteFile.read(values, values.get("settings") or {})


def _plain_words(error: ErrorDetails) -> str:
    if error["type"] == "value_error":
        return str(error.get("ctx", {})["error"])
    if error["type"] == "missing":
        return "Expected a value, but there is none."
    expected = error["msg"].replace("Input should be", "Expected").replace("a valid string", "text")
    value = f"{error['input']!r:.60}"
    return Phrase("%(expected)s, but got %(value)s.", expected=Phrase(expected), value=value)


@contextmanager
def invalid_input(name: str = "") -> Generator[None]:
    """Raise InvalidInput with the place of each invalid value, or `name` if nothing can be read."""
    try:
        yield
    except front_matter.InvalidFrontMatter as error:
        raise InvalidInput({name: str(error)}) from error
    except ValidationError as error:
        raise InvalidInput(
            {"/".join(map(str, each["loc"])): _plain_words(each) for each in error.errors()}
        ) from error
