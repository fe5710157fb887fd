"""The site: portfolio, settings, lists of tags, search, contact, statistics, images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

from fastapi import Path, Query, Response

from singletable_apps.portfolio.api import schemas
from singletable_apps.portfolio.api.blogs import BlogId, blog_bodies
from singletable_apps.portfolio.api.dependencies import SWITCHED_OFF, Actor, Service
from singletable_apps.portfolio.api.schemas import Count, MediaBody
from singletable_apps.portfolio.comment_rules import ContactDraft
from singletable_apps.portfolio.entities import DayStats, Media, Portfolio, SiteSettings
from singletable_apps.portfolio.rules import PERMISSIONS, Permission, check_can_edit
from singletable_apps.portfolio.service import SITE, PortfolioService
from singletable_apps.shared import web
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.frame import limited
from singletable_apps.shared.frame.people_api import Message
from singletable_apps.shared.pages import PostedUpload

router = web.api_router("site")
catalog_router = web.api_router("catalog")
contact_router = web.api_router("contact", SWITCHED_OFF, web.TOO_MANY_REQUESTS)
stats_router = web.api_router("statistics", *web.SIGNED_IN)
media_router = web.api_router("media", *web.SIGNED_IN)
_OWNER = web.responses(*web.SIGNED_IN)
Days = Annotated[int, Query(ge=1, le=400, description="How many days, until today.")]


@router.get("/portfolio", response_model=schemas.PortfolioBody)
def read_portfolio(service: Service, look: web.IfNoneMatch) -> Portfolio:
    """Return the portfolio; an empty one with revision 0 before anything was saved."""
    portfolio = service.profile.get_portfolio()
    look.answer(portfolio.revision)
    return portfolio


@router.put("/portfolio", response_model=schemas.PortfolioBody, responses=_OWNER)
def edit_portfolio(
    changes: schemas.PortfolioChanges, service: Service, actor: Actor, edit: web.IfMatch
) -> Portfolio:
    """Change some fields of the portfolio."""
    portfolio = service.profile.update_portfolio(actor, changes.changes(), edit.check)
    edit.answer(portfolio.revision)
    return portfolio


@router.get("/settings", response_model=schemas.SettingsBody)
def read_settings(service: Service, look: web.IfNoneMatch) -> SiteSettings:
    """Return the settings of the site."""
    settings = service.profile.get_settings()
    look.answer(settings.revision)
    return settings


@router.put("/settings", response_model=schemas.SettingsBody, responses=_OWNER)
def edit_settings(
    changes: schemas.SettingsChanges, service: Service, actor: Actor, edit: web.IfMatch
) -> SiteSettings:
    """Change some settings."""
    settings = service.profile.update_settings(actor, changes.sent(), edit.check)
    edit.answer(settings.revision)
    return settings


@contact_router.post("/contact", status_code=202, dependencies=limited("contact"))
def send_message(message: schemas.ContactMessage, service: Service) -> Message:
    """Send an e-mail to the owner of the site."""
    service.contact.send(ContactDraft(**dict(message)))
    return Message(message="Thank you. Your message was sent.")


@catalog_router.get("/tags")
def list_tags(service: Service) -> list[Count]:
    """List the tags of the public posts, the most frequent first."""
    return _counts(service.catalog.tags(service.context.clock()))


@catalog_router.get("/categories")
def list_categories(service: Service) -> list[Count]:
    """List the categories of the public posts, the most frequent first."""
    return _counts(service.catalog.categories(service.context.clock()))


def _counts(pairs: Sequence[tuple[str, int]]) -> list[Count]:
    return [Count(name=name, posts=posts) for name, posts in pairs]


@catalog_router.get(
    "/search", responses=web.responses(web.TOO_MANY_REQUESTS), dependencies=limited("search")
)
def search_blogs(
    service: Service,
    q: Annotated[str, Query(min_length=1, max_length=200, description="Words to search for.")],
    limit: Annotated[int, Query(ge=1, le=50, description="Maximum number of posts.")] = 20,
) -> list[schemas.SearchHit]:
    """Search the public posts and pages for words; the last may be a beginning. Best first."""
    hits = service.catalog.search(q, service.context.clock(), limit)
    bodies = blog_bodies(service, [blog for blog, _ in hits], None)
    return [
        schemas.SearchHit.from_object(hit, blog=body)
        for (_, hit), body in zip(hits, bodies, strict=True)
    ]


@stats_router.get("/stats", response_model=list[schemas.DayStats])
def read_stats(
    response: Response, service: Service, actor: Actor, days: Days = 30
) -> Sequence[DayStats]:
    """Return the views, likes and comments of the site per day, oldest first."""
    PERMISSIONS.check(actor.role, Permission.WRITE)
    response.headers["Cache-Control"] = "no-store"
    return service.stats.days(SITE, days)


@stats_router.get(
    "/blogs/{blog_id}/stats",
    response_model=list[schemas.DayStats],
    responses=web.responses(web.NOT_FOUND),
)
def read_blog_stats(
    blog_id: BlogId, response: Response, service: Service, actor: Actor, days: Days = 30
) -> Sequence[DayStats]:
    """Return the views, likes and comments of a post per day, oldest first."""
    check_can_edit(actor, service.posts.get(blog_id).blog)
    response.headers["Cache-Control"] = "no-store"
    return service.stats.days(blog_id, days)


MediaName: TypeAlias = Annotated[web.Segment, Path(description="The `name` of the image.")]
_FILE = {
    "type": "string",
    "contentMediaType": "image/*",
    "description": "A JPEG, PNG, WebP or GIF image.",
}
_FORM = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": _FILE,
        "alt": {"type": "string", "description": "What the image shows."},
    },
}
_UPLOAD: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}
}


@media_router.post(
    "/media", status_code=201, responses=web.responses(web.INVALID), openapi_extra=_UPLOAD
)
def upload_media(upload: PostedUpload, service: Service, actor: Actor) -> MediaBody:
    """Upload an image. It is stored in several widths, without its metadata."""
    files = upload.named("file")
    if len(files) != 1:
        raise InvalidInput({"file": f"Send one image in this field; there are {len(files)} now."})
    (file,), alt = files, upload.form.value("alt")
    return _media_body(service, service.media.upload(actor, file.data, file.filename, alt))


@media_router.get("/media")
def list_media(service: Service, actor: Actor, page: web.Pagination) -> web.Page[MediaBody]:
    """List all images, newest first."""
    media = service.media.list(page.limit, page.cursor)
    return page.answer([_media_body(service, each) for each in media.items], media.cursor)


@media_router.put("/media/{name}", responses=web.responses(web.NOT_FOUND))
def describe_media(
    name: MediaName, text: schemas.AltText, service: Service, actor: Actor
) -> MediaBody:
    """Change the description of an image."""
    return _media_body(service, service.media.edit_alt(actor, name, text.alt))


@media_router.delete("/media/{name}", responses=web.responses(web.NOT_FOUND))
def delete_media(name: MediaName, service: Service, actor: Actor) -> Message:
    """Move an image to the trash, for 30 days. Posts show its description instead."""
    service.media.delete(actor, name)
    return Message(message="The image was deleted.")


def _media_body(service: PortfolioService, media: Media) -> MediaBody:
    url = service.context.urls.media(media.name, max(media.widths))
    return MediaBody.from_object(media, url=url)
