"""The request and response bodies of the API. Attributes of the original have its names."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from singletable_apps.portfolio import entities
from singletable_apps.portfolio.entities import Font, Role, Theme
from singletable_apps.portfolio.profile_rules import PortfolioEdits, SettingsEdits
from singletable_apps.portfolio.rules import PostDraft, PostStatus, Publication
from singletable_apps.shared.markdown import html_as_markdown
from singletable_apps.shared.web import (
    Document,
    Model,
    StrictBoolean,
    absent_if_none,
    optional_field,
)

T = TypeVar("T")
_EPOCH = date(1970, 1, 1)
_DAY = 86_400


def _to_seconds(time: object) -> object:
    if isinstance(time, datetime):
        return int(time.timestamp())
    return (time - _EPOCH).days * _DAY if isinstance(time, date) else time


# Unix seconds from the year 1 to the year 9999. Times and days of the service become such.
UnixSeconds = Annotated[
    int,
    Field(strict=True, ge=-62_135_596_800, le=253_402_300_799, examples=[1_767_268_800]),
    BeforeValidator(_to_seconds),
]


class Success(Document, Generic[T]):
    """A success, as the original wraps it."""

    success: Literal[True]
    data: T


def success(data: T) -> Success[T]:
    """Return the body of a successful response."""
    return Success(success=True, data=data)


class Message(Document):
    """What was done."""

    message: str


def done(message: str) -> Success[Message]:
    """Return the body of a response that has nothing else to say."""
    return success(Message(message=message))


class ItemList(Document, Generic[T]):
    """Some items of a list, and the cursor of the next page."""

    items: list[T]
    last_key: str | None = Field(description="For the next page; null on the last page.")


class Changes(Model):
    """Fields to change; the others stay as they are."""

    @model_validator(mode="after")
    def _has_a_field(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("Expected at least one field to change")
        return self

    def sent(self) -> dict[str, Any]:
        """Return the fields that were sent."""
        return {name: getattr(self, name) for name in self.model_fields_set}


# ------------------------------------------------------------------------------ the site


class Project(Model):
    """Something that the owner of the site made."""

    model_config = ConfigDict(from_attributes=True)  # a response is made from entities

    id: str = Field(examples=["1767268800000"])
    title: str = Field(examples=["Analytical engine"])
    description: str = ""
    image_url: str = ""
    image_alt: str = ""
    technologies: list[str] = Field(default_factory=list, examples=[["Python"]])
    link: str = ""


class Experience(Model):
    """A position. `end_date` is null for the current one. Only the days of the times count."""

    model_config = ConfigDict(from_attributes=True)

    id: str = Field(examples=["1767268800001"])
    title: str = Field(description="The position.", examples=["Programmer"])
    company: str = Field(examples=["Babbage & Co."])
    description: str = ""
    start_date: UnixSeconds | None = None
    end_date: UnixSeconds | None = None
    technologies: list[str] = Field(default_factory=list, examples=[["Python"]])

    def entry(self) -> entities.Experience:
        """Return the entry, with days instead of times."""
        fields = dict(self)
        for name in ("start_date", "end_date"):
            seconds: int | None = fields[name]
            fields[name] = None if seconds is None else _EPOCH + timedelta(days=seconds // _DAY)
        return entities.Experience(**fields)


class PortfolioBody(Document):
    """The person: profile, about page, projects and experience."""

    name: str
    headline: str
    profile_pic_url: str
    bio: str
    email: str
    social_links: dict[str, str]
    about_content: str = Field(description="Sanitized HTML.")
    about_markdown: str
    projects: list[Project]
    experience: list[Experience]
    updated_at: UnixSeconds
    revision: int


class PortfolioChanges(Changes):
    """Fields of the portfolio to change; the others stay as they are."""

    name: str = optional_field("The name of the person.")
    headline: str = optional_field("What the person does, in a few words.")
    profile_pic_url: str = optional_field("The URL of a picture.")
    bio: str = optional_field("A few sentences, in plain text.")
    email: str = optional_field("A public e-mail address.")
    social_links: dict[str, str] = optional_field("URLs by network, such as `github`.")
    about_content: str = optional_field("The about page in HTML, which is sanitized.")
    about_markdown: str = optional_field("The about page in Markdown, instead of HTML.")
    projects: list[Project] = optional_field("All projects, in order.")
    experience: list[Experience] = optional_field("All positions, in order.")

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"bio": "I write programs."}]}
    )

    def edits(self) -> PortfolioEdits:
        """Return the edits."""
        sent = self.sent()
        if "projects" in sent:
            sent["projects"] = [entities.Project(**dict(each)) for each in self.projects]
        if "experience" in sent:
            sent["experience"] = [each.entry() for each in self.experience]
        return PortfolioEdits(**sent)


class SettingsBody(Document):
    """How the site looks and what it offers."""

    title: str
    tagline: str
    language: str
    time_zone: str
    theme: Theme
    accent: str
    font: Font
    posts_per_page: int
    likes: bool
    comments: bool
    contact: bool
    revision: int


class SettingsChanges(Changes):
    """Settings to change; the others stay as they are."""

    title: str = optional_field("The name of the site.")
    tagline: str = optional_field("What the site is about.")
    language: str = optional_field("A language tag, such as `en`.")
    time_zone: str = optional_field("A time zone, such as `Europe/Lisbon`.")
    theme: Theme = optional_field("Light, dark, or as the reader’s system is set.")
    accent: str = optional_field("A color, such as `#0f6b4f`.")
    font: Font = optional_field("The typeface.")
    posts_per_page: Annotated[int, Field(strict=True)] = optional_field("In lists of posts.")
    likes: StrictBoolean = optional_field("Whether readers can like posts.")
    comments: StrictBoolean = optional_field("Whether readers can comment on posts.")
    contact: StrictBoolean = optional_field("Whether there is a contact form.")

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"tagline": "Notes on engines"}]}
    )

    def edits(self) -> SettingsEdits:
        """Return the edits."""
        return SettingsEdits(**self.sent())


class Count(Document):
    """A tag, a category or a month, and how many posts it has."""

    name: str
    posts: int


class DayStats(Document):
    """What happened on one day (UTC)."""

    day: date
    views: int
    likes: int
    comments: int


class ContactMessage(Model):
    """A message to the owner of the site."""

    name: str = Field(examples=["Grace"])
    email: str = Field(examples=["grace@example.org"])
    message: str = Field(examples=["Let’s work together."])
    website: str = Field("", description="Leave this empty; only spam bots fill it in.")


class MediaBody(Document):
    """An image."""

    name: str
    alt: str
    filename: str
    width: int
    height: int
    widths: list[int]
    url: str
    size: int = Field(description="In bytes, of all widths.")
    uploaded_at: UnixSeconds


class AltText(Model):
    """What an image shows."""

    alt: str = Field(examples=["A loom with punched cards"])


# ------------------------------------------------------------------------------ posts


class BlogBody(Document):
    """A post."""

    blog_id: str = Field(serialization_alias="blogId")
    title: str
    slug: str
    content: str | None = absent_if_none("Sanitized HTML; absent with `content=false`.")
    markdown: str | None = absent_if_none("The source, for those who can edit the post.")
    excerpt: str
    featured_image_url: str
    featured_image_alt: str
    tags: list[str]
    category: str
    author: str = Field(description="The name of the author.")
    reading_time: int = Field(description="In minutes.")
    likes_count: int
    seo_description: str
    canonical_url: str
    url: str = Field(description="The page of the post.")
    status: PostStatus
    created_at: UnixSeconds
    updated_at: UnixSeconds
    published_at: UnixSeconds | None = Field(description="In the future if scheduled.")
    revision: int = Field(description="The revision in the ETag.")


class _Publishable(Model):
    """What creating and changing a post have in common: its text, and when it is public."""

    content: str = optional_field("The text in HTML, which is sanitized, instead of `markdown`.")
    markdown: str = optional_field("The text in Markdown, instead of `content`.")
    status: PostStatus = optional_field("Whether the post is public: now, later or not at all.")
    publish_at: UnixSeconds = optional_field("When to publish, with the status `scheduled`.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if {"content", "markdown"} <= self.model_fields_set:
            raise ValueError("Expected `content` or `markdown`, not both")
        if (self.status is PostStatus.SCHEDULED) != ("publish_at" in self.model_fields_set):
            raise ValueError("Expected `publish_at` with the status `scheduled`, and only then")
        return self

    def publication(self) -> Publication | None:
        """Return whether and when to publish; None to leave that as it is."""
        if "status" not in self.model_fields_set:
            return None
        has_time = "publish_at" in self.model_fields_set
        return Publication(
            self.status, datetime.fromtimestamp(self.publish_at, UTC) if has_time else None
        )

    def draft_fields(self) -> dict[str, Any]:
        """Return the fields of a draft that were sent."""
        fields = {name: getattr(self, name) for name in self.model_fields_set}
        fields.pop("status", None)
        fields.pop("publish_at", None)
        if "content" in fields:
            fields["markdown"] = html_as_markdown(fields.pop("content"))
        if "tags" in fields:
            fields["tags"] = tuple(self.model_dump(include={"tags"})["tags"])
        return fields


class NewBlog(_Publishable):
    """A post to create, with `content` or `markdown`. It is public at once by default."""

    title: str
    slug: str = Field("", description="Derived from the title if it is empty.")
    featured_image_url: str = ""
    featured_image_alt: str = ""
    tags: list[str] = Field(default_factory=list)
    category: str = ""
    seo_description: str = ""
    canonical_url: str = Field("", description="Where the post was published first, if elsewhere.")

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": ["content"]}, {"required": ["markdown"]}],
            "examples": [
                {
                    "title": "Notes on the engine",
                    "content": "<p>It weaves <em>algebraical</em> patterns.</p>",
                    "tags": ["engines"],
                }
            ],
        }
    )

    @model_validator(mode="after")
    def _has_text(self) -> Self:
        if not {"content", "markdown"} & self.model_fields_set:
            raise ValueError("Expected `content` or `markdown`")
        return self

    def draft(self) -> PostDraft:
        """Return the draft of the post."""
        return PostDraft(**self.draft_fields())


class BlogChanges(Changes, _Publishable):
    """Fields of a post to change; the others stay as they are."""

    title: str = optional_field("The title.")
    slug: str = optional_field("The old slug redirects to the new one.")
    featured_image_url: str = optional_field("The URL of an image.")
    featured_image_alt: str = optional_field("What the image shows.")
    tags: list[str] = optional_field("All tags.")
    category: str = optional_field("The category.")
    seo_description: str = optional_field("For search engines and lists.")
    canonical_url: str = optional_field("Where the post was published first, if elsewhere.")

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"title": "Notes on the engine"}]}
    )

    def apply(self, draft: PostDraft) -> PostDraft:
        """Return the draft with these changes."""
        return replace(draft, **self.draft_fields())


class Revision(Document):
    """What a post was before an edit."""

    number: int
    title: str
    markdown: str
    edited_by: str
    edited_at: UnixSeconds


class SearchHit(Document):
    """A post that matches a search, with the words marked in HTML."""

    blog: BlogBody
    title_html: str
    snippet_html: str


class LikeState(Document):
    """How many likes a post has, and whether you are among them."""

    likes_count: int
    has_liked: bool


class NewComment(Model):
    """A comment, which is shown once it is approved."""

    author_name: str = Field(examples=["Grace"])
    author_email: str = Field("", description="Never shown.", examples=["grace@example.org"])
    content: str = Field(description="Plain text.", examples=["I agree."])
    website: str = Field("", description="Leave this empty; only spam bots fill it in.")


class CommentBody(Document):
    """A comment. Its `ref` names it in URLs."""

    ref: str
    comment_id: str = Field(serialization_alias="commentId")
    blog_id: str = Field(serialization_alias="blogId")
    author_name: str
    content: str = Field(description="Plain text.")
    created_at: UnixSeconds


class PendingCommentBody(CommentBody):
    """A comment that waits for approval."""

    author_email: str


# ------------------------------------------------------------------------------ accounts

_PASSWORD = Field(min_length=1, max_length=1024, examples=["several words in a row"])
Password = Annotated[str, _PASSWORD]


class Credentials(Model):
    """An e-mail address and a password."""

    email: str = Field(examples=["ada@example.org"])
    password: Password


class Setup(Credentials):
    """The first account of a new site."""

    name: str = Field(examples=["Ada"])
    site_title: str = Field(examples=["Notes on engines"])


class RefreshToken(Model):
    """A refresh token, which works once."""

    refresh_token: Annotated[str, Field(min_length=1, max_length=500)]


class Tokens(Document):
    """An access token for requests, and a refresh token to renew it."""

    access_token: str
    refresh_token: str
    expires_in: int = Field(description="Seconds until the access token expires.")


class PasswordChange(Model):
    """The current and the new password."""

    current: Password
    new: Password


class UserBody(Document):
    """An account."""

    user_id: int
    email: str
    name: str
    role: Role
    created_at: UnixSeconds
    last_login: UnixSeconds | None
    revision: int = Field(description="The revision for If-Match.")


class NewUser(Model):
    """An account to create."""

    email: str = Field(examples=["grace@example.org"])
    name: str = Field(examples=["Grace"])
    role: Role = Role.AUTHOR


class Invitation(Document):
    """A new account, and whether the e-mail with its link was sent."""

    user: UserBody
    is_sent: bool


class RoleChange(Model):
    """The new role of an account."""

    role: Role
