"""The site: portfolio, settings, lists of tags and months, search, statistics and images."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from fastapi import Path, Query, Response

from singletable_apps.portfolio.api import schemas
from singletable_apps.portfolio.api.blogs import BlogId, blog_bodies
from singletable_apps.portfolio.api.dependencies import (
    INVALID_400,
    Actor,
    Listed,
    Service,
    limited,
)
from singletable_apps.portfolio.api.schemas import ItemList, Success, success
from singletable_apps.portfolio.entities import Media
from singletable_apps.portfolio.errors import InvalidInput
from singletable_apps.portfolio.rules import PERMISSIONS, Permission, check_can_edit
from singletable_apps.portfolio.service import SITE, PortfolioService
from singletable_apps.shared.pages import PostedUpload
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    IfMatch,
    IfMatchIfAny,
    IfNoneMatch,
    Segment,
    api_router,
    responses,
)

router = api_router("site")
catalog_router = api_router("catalog")
stats_router = api_router("statistics", NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS)
media_router = api_router("media", NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS)
_OWNER = responses(NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS)
Days = Annotated[int, Query(ge=1, le=400, description="How many days, until today.")]


@router.get("/portfolio")
def read_portfolio(service: Service, look: IfNoneMatch) -> Success[schemas.PortfolioBody]:
    """Return the portfolio; an empty one with revision 0 before anything was saved."""
    portfolio = service.profile.get_portfolio()
    look.answer(portfolio.revision)
    return success(schemas.PortfolioBody.from_object(portfolio))


@router.put("/portfolio", responses=_OWNER)
def edit_portfolio(
    changes: schemas.PortfolioChanges, service: Service, actor: Actor, edit: IfMatchIfAny
) -> Success[schemas.PortfolioBody]:
    """Change some fields of the portfolio."""
    portfolio = service.profile.update_portfolio(actor, changes.edits(), edit.check)
    edit.answer(portfolio.revision)
    return success(schemas.PortfolioBody.from_object(portfolio))


@router.get("/settings")
def read_settings(service: Service, look: IfNoneMatch) -> Success[schemas.SettingsBody]:
    """Return the settings of the site."""
    settings = service.profile.get_settings()
    look.answer(settings.revision)
    return success(schemas.SettingsBody.from_object(settings))


@router.put("/settings", responses=_OWNER)
def edit_settings(
    changes: schemas.SettingsChanges, service: Service, actor: Actor, edit: IfMatch
) -> Success[schemas.SettingsBody]:
    """Change some settings."""
    settings = service.profile.update_settings(actor, changes.edits(), edit.check)
    edit.answer(settings.revision)
    return success(schemas.SettingsBody.from_object(settings))


# ------------------------------------------------------------------------------ lists and search


@catalog_router.get("/tags")
def list_tags(service: Service) -> Success[list[schemas.Count]]:
    """List the tags of the public posts, the most frequent first."""
    tags = service.catalog.tags(service.context.clock())
    return success([schemas.Count(name=name, posts=posts) for name, posts in tags])


@catalog_router.get("/categories")
def list_categories(service: Service) -> Success[list[schemas.Count]]:
    """List the categories of the public posts, the most frequent first."""
    categories = service.catalog.categories(service.context.clock())
    return success([schemas.Count(name=name, posts=posts) for name, posts in categories])


@catalog_router.get("/archive")
def list_months(service: Service) -> Success[list[schemas.Count]]:
    """List the months that have posts, such as `2026-01`, latest first."""
    months = service.catalog.months(service.context.clock())
    return success(
        [schemas.Count(name=f"{year:04}-{month:02}", posts=posts) for year, month, posts in months]
    )


@catalog_router.get(
    "/search",
    responses=responses(TOO_MANY_REQUESTS),
    dependencies=[limited(lambda limits: limits.search)],
)
def search_blogs(
    service: Service,
    q: Annotated[str, Query(min_length=1, max_length=200, description="Words to search for.")],
    limit: Annotated[int, Query(ge=1, le=50, description="Maximum number of posts.")] = 20,
) -> Success[list[schemas.SearchHit]]:
    """Search the public posts for words; the last may be the beginning of one. Best first."""
    hits = service.catalog.search(q, service.context.clock(), limit)
    bodies = blog_bodies(service, [hit.blog for hit in hits], None)
    return success(
        [
            schemas.SearchHit(blog=body, title_html=hit.title_html, snippet_html=hit.snippet_html)
            for hit, body in zip(hits, bodies, strict=True)
        ]
    )


# ------------------------------------------------------------------------------ statistics


@stats_router.get("/stats")
def read_stats(
    response: Response, service: Service, actor: Actor, days: Days = 30
) -> Success[list[schemas.DayStats]]:
    """Return the views, likes and comments of the site per day, oldest first."""
    PERMISSIONS.check(actor.role, Permission.WRITE)
    response.headers["Cache-Control"] = "no-store"
    return success([schemas.DayStats.from_object(day) for day in service.stats.days(SITE, days)])


@stats_router.get("/blogs/{blog_id}/stats", responses=responses(NOT_FOUND))
def read_blog_stats(
    blog_id: BlogId, response: Response, service: Service, actor: Actor, days: Days = 30
) -> Success[list[schemas.DayStats]]:
    """Return the views, likes and comments of a post per day, oldest first."""
    check_can_edit(actor, service.posts.get(blog_id).blog)
    response.headers["Cache-Control"] = "no-store"
    return success([schemas.DayStats.from_object(day) for day in service.stats.days(blog_id, days)])


# ------------------------------------------------------------------------------ images

MediaName: TypeAlias = Annotated[Segment, Path(description="The `name` of the image.")]
_UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {
                            "type": "string",
                            "contentMediaType": "image/*",
                            "description": "A JPEG, PNG, WebP or GIF image.",
                        },
                        "alt": {"type": "string", "description": "What the image shows."},
                    },
                }
            }
        },
    }
}


@media_router.post(
    "/media", status_code=201, responses=responses(INVALID_400), openapi_extra=_UPLOAD
)
def upload_media(
    upload: PostedUpload, service: Service, actor: Actor
) -> Success[schemas.MediaBody]:
    """Upload an image. It is stored in several widths, without its metadata."""
    files = upload.named("file")
    if len(files) != 1:
        raise InvalidInput({"file": f"Send one image in this field; there are {len(files)} now."})
    alt = upload.form.value("alt")
    return success(
        _media_body(service, service.media.upload(actor, files[0].data, files[0].filename, alt))
    )


@media_router.get("/media")
def list_media(
    service: Service, actor: Actor, page: Listed
) -> Success[ItemList[schemas.MediaBody]]:
    """List all images, newest first."""
    media = service.media.list(page.limit, page.cursor)
    page.link_next(media.cursor)
    items = [_media_body(service, each) for each in media.items]
    return success(ItemList(items=items, last_key=media.cursor))


@media_router.put("/media/{name}", responses=responses(NOT_FOUND))
def describe_media(
    name: MediaName, text: schemas.AltText, service: Service, actor: Actor
) -> Success[schemas.MediaBody]:
    """Change the description of an image."""
    return success(_media_body(service, service.media.edit_alt(actor, name, text.alt)))


@media_router.delete("/media/{name}", responses=responses(NOT_FOUND))
def delete_media(name: MediaName, service: Service, actor: Actor) -> Success[schemas.Message]:
    """Delete an image. Posts that show it show its description instead."""
    service.media.delete(actor, name)
    return schemas.done("The image was deleted.")


def _media_body(service: PortfolioService, media: Media) -> schemas.MediaBody:
    url = service.context.urls.media(media.name, max(media.widths))
    return schemas.MediaBody.from_object(media, url=url)
