"""The request and response bodies of the API."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, StrictInt, model_validator

from singletable_apps.portfolio import entities
from singletable_apps.portfolio.entities import Role
from singletable_apps.portfolio.profile_rules import Changes
from singletable_apps.portfolio.rules import PostDraft, PostStatus, Publication
from singletable_apps.shared import web
from singletable_apps.shared.markdown import html_as_markdown


def _changes_example(**example: str) -> ConfigDict:
    return ConfigDict(json_schema_extra={"minProperties": 1, "examples": [dict(example)]})


class Experience(web.Model):
    """A position. `end_date` is null for the current one."""

    id: str = Field(examples=["1767268800001"])
    title: str = Field(description="The position.", examples=["Programmer"])
    company: str = Field(examples=["Babbage & Co."])
    description: str = ""
    start_date: web.Day | None = None
    end_date: web.Day | None = None
    technologies: list[str] = Field(default_factory=list, examples=[["Python"]])


_TYPES = {bool: web.StrictBoolean, int: StrictInt, entities.Experience: Experience}


class PortfolioBody(web.Document, of=entities.Portfolio, omit="id", json_types=_TYPES):
    """The person: profile, about page, projects and experience, in their order.

    `about_content` is sanitized HTML, and `about_markdown` its source; send one of them.
    `social_links` are URLs by network, such as `github`.
    """


@web.partial_model()
class PortfolioChanges(
    web.Changes, of=entities.Portfolio, omit="id updated_at revision", json_types=_TYPES
):
    """Fields of the portfolio to change; the others stay as they are."""

    model_config = _changes_example(bio="I write programs.")

    def changes(self) -> Changes:
        """Return the fields that were sent."""
        sent = self.sent()
        if "experience" in sent:
            positions = sent["experience"]
            sent["experience"] = [entities.Experience(**dict(each)) for each in positions]
        return sent


class SettingsBody(web.Document, of=entities.SiteSettings, omit="id updated_at", json_types=_TYPES):
    """How the site looks and what it offers.

    `language` is a tag such as `en`, `time_zone` a name such as `Europe/Lisbon`, and `accent` a
    color such as `#0f6b4f`. `css` has additional styles for the content of the site.
    """


@web.partial_model()
class SettingsChanges(
    web.Changes, of=entities.SiteSettings, omit="id updated_at revision", json_types=_TYPES
):
    """Settings to change; the others stay as they are."""

    model_config = _changes_example(tagline="Notes on engines")


class Count(web.Document):
    """A tag or a category, and how many posts it has."""

    name: str
    posts: int


class DayStats(web.Document, of=entities.DayStats, omit="scope ends"):
    """What happened on one day (UTC)."""


class ContactMessage(web.Model):
    """A message to the owner of the site."""

    name: str = Field(examples=["Grace"])
    email: str = Field(examples=["grace@example.org"])
    message: str = Field(examples=["Let’s work together."])
    website: str = Field("", description="Leave this empty; only spam bots fill it in.")


class MediaBody(
    web.Document,
    of=entities.Media,
    only="name alt filename width height widths url size uploaded_at",
):
    """An image."""

    url: str
    size: int = Field(description="In bytes, of all widths.")


class AltText(web.Model):
    """What an image shows."""

    alt: str = Field(examples=["A loom with punched cards"])


class _Blog(
    web.Document,
    of=entities.Blog,
    only="title slug featured_image_url featured_image_alt tags category seo_description "
    "canonical_url",
):
    slug: str = Field(description="Derived from the title if empty. An old one redirects.")
    seo_description: str = Field(description="For search engines and lists.")
    canonical_url: str = Field(description="Where the post was published first, if elsewhere.")


class BlogBody(
    _Blog,
    of=entities.Blog,
    only="is_page excerpt reading_time created_at updated_at published_at revision",
):
    """A post, or a page of the site. `reading_time` is in minutes."""

    blog_id: str = Field(serialization_alias="blogId")
    content: str | None = web.absent_if_none("Sanitized HTML; absent with `content=false`.")
    markdown: str | None = web.absent_if_none("The source, for those who can edit the post.")
    author: str = Field(description="The name of the author.")
    likes_count: int
    url: str = Field(description="The page of the post.")
    status: PostStatus
    published_at: web.Timestamp | None = Field(description="In the future if scheduled.")


class _EditedBlog(_Blog, web.Model):
    content: str = web.optional_field(
        "The text in HTML, which is sanitized, instead of `markdown`."
    )
    markdown: str = web.optional_field("The text in Markdown, instead of `content`.")
    status: PostStatus = web.optional_field("Whether the post is public: now, later or not at all.")
    publish_at: web.Timestamp = web.optional_field(
        "When to publish, with the status `scheduled`; with `published`, the date of the post."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if {"content", "markdown"} <= self.model_fields_set:
            raise ValueError("Expected `content` or `markdown`, not both")
        if "publish_at" not in self.model_fields_set:
            if self.status is PostStatus.SCHEDULED:
                raise ValueError("Expected `publish_at` with the status `scheduled`")
        elif self.status not in (PostStatus.SCHEDULED, PostStatus.PUBLISHED):
            raise ValueError("Expected `publish_at` with the status `scheduled` or `published`")
        return self

    def publication(self) -> Publication | None:
        """Return whether and when to publish; None to leave that as it is."""
        if "status" not in self.model_fields_set:
            return None
        has_time = "publish_at" in self.model_fields_set
        return Publication(self.status, self.publish_at if has_time else None)

    def draft_fields(self) -> dict[str, Any]:
        """Return the fields of a draft that were sent."""
        fields = self.model_dump(exclude_unset=True, exclude={"status", "publish_at"})
        if "content" in fields:
            fields["markdown"] = html_as_markdown(fields.pop("content"))
        if "tags" in fields:
            fields["tags"] = tuple(fields["tags"])
        return fields


@web.partial_model("title")
class NewBlog(_EditedBlog):
    """A post to create, with `content` or `markdown`. It is public at once by default."""

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

    is_page: web.StrictBoolean = web.optional_field(
        "Whether it is a page of the site. Owners only."
    )

    @model_validator(mode="after")
    def _has_text(self) -> Self:
        if not {"content", "markdown"} & self.model_fields_set:
            raise ValueError("Expected `content` or `markdown`")
        return self

    def draft(self) -> PostDraft:
        """Return the draft of the post."""
        return PostDraft(**self.draft_fields())


@web.partial_model()
class BlogChanges(_EditedBlog, web.Changes):
    """Fields of a post to change; the others stay as they are."""

    model_config = _changes_example(title="Notes on the engine")

    def apply(self, draft: PostDraft) -> PostDraft:
        """Return the draft with these changes."""
        return replace(draft, **self.draft_fields())


class Revision(web.Document, of=entities.Revision, omit="blog_id"):
    """What a post was before an edit."""


class SearchHit(web.Document):
    """A post that matches a search, with the words marked in HTML."""

    blog: BlogBody
    title_html: str
    snippet_html: str


class LikeState(web.Document):
    """How many likes a post has, and whether you are among them."""

    likes_count: int = Field(validation_alias="count")
    has_liked: bool = Field(validation_alias="liked")


class NewComment(web.Model):
    """A comment, which is shown once it is approved."""

    author_name: str = Field(examples=["Grace"])
    author_email: str = Field("", description="Never shown.", examples=["grace@example.org"])
    content: str = Field(description="Plain text.", examples=["I agree."])
    reply_to: str = Field("", description="The `commentId` of the comment that it answers.")
    website: str = Field("", description="Leave this empty; only spam bots fill it in.")


class CommentBody(web.Document):
    """A comment. Its `ref` names it in URLs."""

    ref: str
    comment_id: str = Field(serialization_alias="commentId")
    blog_id: str = Field(serialization_alias="blogId")
    author_name: str
    content: str = Field(description="Plain text.")
    created_at: web.Timestamp
    reply_to: str = Field("", description="The `commentId` of the comment that it answers.")
    is_author: bool = Field(False, description="Whether an author of the site wrote it.")


class PendingCommentBody(CommentBody):
    """A comment that waits for approval."""

    author_email: str


Password = Annotated[str, Field(min_length=1, max_length=1024, examples=["several words in a row"])]


class Setup(web.Model):
    """The first account of a new site."""

    email: str = Field(examples=["ada@example.org"])
    password: Password
    setup_code: Annotated[str, Field(max_length=100)] = Field(
        "", description="The code that the command printed at start-up."
    )
    name: str = Field(examples=["Ada"])
    site_title: str = Field(examples=["Notes on engines"])


class UserBody(
    web.Document, of=entities.User, only="user_id email name role created_at last_login revision"
):
    """An account."""

    revision: int = Field(description="The revision for If-Match.")


class NewUser(web.Model):
    """An account to create."""

    email: str = Field(examples=["grace@example.org"])
    name: str = Field(examples=["Grace"])
    role: Role = Role.AUTHOR


class Invitation(web.Document):
    """A new account, and whether the e-mail with its link was sent."""

    user: UserBody
    is_sent: bool


class RoleChange(web.Model):
    """The new role of an account."""

    role: Role
