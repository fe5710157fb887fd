"""The media library: upload images, describe them, see where they are used, and delete them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from fastapi import APIRouter, Response
from pydantic import BaseModel
from starlette.responses import JSONResponse

from singletable_apps.portfolio.entities import Listing, Media, TrashKind
from singletable_apps.portfolio.pages.admin.trash import TRASHED, deleted
from singletable_apps.portfolio.pages.dependencies import AuthorPage, UserPageContext, wants_json
from singletable_apps.portfolio.rules import check_can_edit, is_public
from singletable_apps.shared import pages
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.permissions import is_permitted

router = APIRouter()
PER_PAGE = 48
# The width that Markdown names; the renderer offers the others.
WIDTH = 960


def _markdown(page: UserPageContext, media: Media) -> str:
    """Return the Markdown that shows an image."""
    alt = media.alt.replace("[", "").replace("]", "")
    return f"![{alt}]({page.urls.media(media.name, WIDTH)})"


@router.get("/admin/media")
def list_media(page: AuthorPage, query: pages.ListQueryParameters) -> Response:
    """Show the images, newest first."""
    return _list_media(page, query, pages.Form(), 200)


def _list_media(
    page: UserPageContext, query: pages.ListQueryParameters, form: pages.Form, status: int
) -> Response:
    found = page.service.media.list(PER_PAGE, query.cursor)
    return page.render(
        "admin/media",
        status,
        form=form,
        media=query.page(found.items, found.cursor),
        markdown_of=partial(_markdown, page),
    )


@router.post("/admin/media")
def upload_media(
    page: AuthorPage, query: pages.ListQueryParameters, upload: pages.PostedUpload
) -> Response:
    """Store the images of a form; a script gets the results as JSON."""
    files = upload.named("files")
    results = [_store(page, file) for file in files]
    if wants_json(page.request):
        return JSONResponse({"files": [_as_json(page, result) for result in results]})
    errors = [
        f"{file.filename}: {result}"
        for file, result in zip(files, results, strict=True)
        if isinstance(result, str)
    ]
    stored = len(files) - len(errors)
    if not files:
        errors = [Phrase("Choose at least one image.")]
    if errors:
        form = pages.Form(errors={"files": " ".join(errors)})
        return _list_media(page, query, form, 422)
    text = Phrase("Uploaded %(count)s image.", "Uploaded %(count)s images.", count=stored)
    return page.redirect(page.urls.admin("media"), text)


def _store(page: UserPageContext, file: pages.UploadedFile) -> Media | str:
    """Return the stored image, or why it was rejected."""
    try:
        return page.service.media.upload(page.user, file.data, file.filename)
    except InvalidInput as error:
        return page.language.gettext(*error.errors.values())


def _as_json(page: UserPageContext, result: Media | str) -> dict[str, str]:
    if isinstance(result, str):
        return {"error": result}
    return {"url": page.urls.media(result.name, WIDTH), "alt": result.alt}


class AltForm(BaseModel):
    """The description of an image."""

    alt: str


@router.api_route("/admin/media/{name}", methods=pages.FORM_METHODS)
def edit_media(page: AuthorPage, name: str, form: pages.PostedForm) -> Response:
    """Show an image and where it is used, and change its description."""
    media = page.service.media.get(name)

    def save(values: AltForm) -> Response:
        page.service.media.edit_alt(page.user, name, values.alt)
        return page.redirect(page.urls.admin("media", name), "Description saved.")

    initial = pages.Form({"alt": media.alt})
    return page.fill(form, initial, AltForm, save, partial(_show_media, page, media))


def _show_media(page: UserPageContext, media: Media, form: pages.Form, status: int) -> Response:
    return page.render(
        "admin/media_item",
        status,
        heading=media.filename or Phrase("Image"),
        media=media,
        markdown=_markdown(page, media),
        form=form,
        uses=[
            {"text": text, **({"to": url} if url else {})} for text, url in _uses(page, media.name)
        ],
    )


def _uses(page: UserPageContext, name: str) -> Iterator[tuple[str, str]]:
    """Yield the posts and pages that show an image, with URLs; authors see no drafts of others."""
    posts = page.service.posts
    blogs = [*posts.list_all(), *posts.list_in(Listing.PAGES)]
    texts = posts.contents(blog.blog_id for blog in blogs)
    for blog in blogs:
        content = texts.get(blog.blog_id)
        if name in blog.featured_image_url or (content and name in content.markdown):
            is_own = is_permitted(check_can_edit, page.user, blog)
            is_shown = is_own or is_public(blog, page.service.context.clock())
            url = page.urls.admin("posts", blog.blog_id) if is_own else page.urls.of(blog)
            yield (blog.title, url) if is_shown else (Phrase("A post of another author"), "")
    person = page.service.profile.get_portfolio()
    if name in person.profile_pic_url:
        yield Phrase("Your profile"), page.urls.admin("portfolio")
    if name in person.about_markdown:
        yield Phrase("About"), page.urls.admin("portfolio", "about")
    for project in person.projects:
        if name in project.image_url:
            yield project.title, page.urls.admin("portfolio", "projects", project.id)


@pages.confirm(router, "/admin/media/{name}/delete")
def delete_media(page: AuthorPage, name: str) -> pages.ConfirmedAction:
    """Delete an image. The question says where it is used."""
    media = page.service.media.get(name)
    uses = [text for text, _ in _uses(page, name)]
    used = "%(trashed)s It is in use: readers will see its description in its place."
    return pages.ConfirmedAction(
        page,
        title=Phrase("Delete %(name)s?", name=media.filename or Phrase("this image")),
        text=Phrase(used, trashed=TRASHED) if uses else TRASHED,
        consequences=uses,
        button="Delete the image",
        back=page.urls.admin("media", name),
        do=lambda _: page.service.media.delete(page.user, name),
        to=page.urls.admin("media"),
        done=deleted(page, TrashKind.IMAGE, name, Phrase("the image")),
    )
