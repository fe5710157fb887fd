"""Subscribe to the newsletter and leave it; for owners, its subscribers and what was sent."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel

from singletable_apps.portfolio.entities import Blog
from singletable_apps.portfolio.pages.dependencies import OwnerPage
from singletable_apps.portfolio.pages.public_page import PublicPage, PublicPageContext
from singletable_apps.shared.frame import count_request
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    Form,
    ListQueryParameters,
    PostedForm,
    confirm,
)
from singletable_apps.shared.web import NO_STORE, NOT_FOUND, Problem

router = APIRouter()
LATEST = 20
Token = Annotated[str, Path(max_length=1000)]


class SubscribeFields(BaseModel):
    """The form to subscribe. `website` is a trap for bots."""

    email: str = ""
    website: str = ""


@router.api_route("/newsletter", methods=FORM_METHODS)
def subscribe(page: PublicPage, form: PostedForm, sent: str = "") -> Response:
    """Show the form to subscribe, and e-mail a link."""
    if not page.settings.newsletter:
        raise Problem(NOT_FOUND, "This site has no newsletter.")

    def act(fields: SubscribeFields) -> Response:
        count_request(page.request, "contact")
        page.service.newsletter.subscribe(**dict(fields))
        return page.redirect(page.urls.page("newsletter", sent="1"))

    def show(form: Form, status: int) -> Response:
        return _show(page, "subscribe", status, form=form, is_sent=bool(sent))

    return page.fill(form, Form(), SubscribeFields, act, show)


@router.api_route("/newsletter/confirm/{token}", methods=FORM_METHODS)
def confirm_address(page: PublicPage, token: Token) -> Response:
    """Ask whether to subscribe, because e-mail scanners open links, and subscribe."""
    newsletter, is_done = page.service.newsletter, page.request.method == "POST"
    address = newsletter.confirm(token) if is_done else newsletter.read_link(token)
    return _show(page, "confirm", address=address, is_done=is_done)


@router.api_route("/newsletter/unsubscribe/{token}", methods=FORM_METHODS)
def unsubscribe(page: PublicPage, token: Token) -> Response:
    """Ask whether to unsubscribe, and do. Mail programs post without asking (RFC 8058)."""
    newsletter, is_done = page.service.newsletter, page.request.method == "POST"
    if is_done:
        newsletter.unsubscribe(token)
    else:
        newsletter.check_reader(token)
    return _show(page, "unsubscribe", is_done=is_done)


def _show(page: PublicPageContext, step: str, status: int = 200, **context: Any) -> Response:
    head = page.head(Phrase("Newsletter"), page.urls.page("newsletter"))
    return page.show("newsletter", head, status, caching=NO_STORE, step=step, **context)


@router.get("/admin/newsletter")
def show_newsletter(page: OwnerPage, query: ListQueryParameters) -> Response:
    """Show the latest posts with what was sent, and the subscribers."""
    service = page.service
    found = service.newsletter.subscribers(page.user, cursor=query.cursor)
    latest = service.catalog.visible(service.context.clock())[:LATEST]
    return page.render(
        "admin/newsletter",
        is_on=page.settings.newsletter,
        count=service.newsletter.count(),
        posts=[(blog, service.newsletter.sending(blog.blog_id)) for blog in latest],
        readers=query.page(found.items, found.cursor),
    )


@confirm(router, "/admin/newsletter/{blog_id}/send")
def send_post(page: OwnerPage, blog_id: str) -> ConfirmedAction:
    """Send a post to the subscribers."""
    blog: Blog = page.service.context.get_public_blog(blog_id)
    count, newsletter = page.service.newsletter.count(), page.service.newsletter
    readers = Phrase("%(count)s subscriber", "%(count)s subscribers", count=count)

    def send(_: Form) -> Response:
        queued = newsletter.send(page.user, blog_id)
        on_way = "%(count)s e-mail is on its way.", "%(count)s e-mails are on their way."
        text = Phrase(*on_way, count=queued) if queued else "Everyone has it already."
        return page.redirect(page.urls.admin("newsletter"), text)

    return ConfirmedAction(
        page,
        title=Phrase("Send “%(title)s” to %(readers)s?", title=blog.title, readers=readers),
        text="They get its title, its description and a link. Nobody gets it twice. E-mails "
        "can’t be called back.",
        button="Send",
        back=page.urls.admin("newsletter"),
        do=send,
    )


@confirm(router, "/admin/newsletter/{digest}/remove")
def remove_reader(page: OwnerPage, digest: str) -> ConfirmedAction:
    """Remove a subscriber."""
    return ConfirmedAction(
        page,
        title="Remove this subscriber?",
        text="They get no more e-mails, and imports leave them out. They can subscribe again.",
        button="Remove",
        back=page.urls.admin("newsletter"),
        do=lambda _: page.service.newsletter.remove(page.user, digest),
        done="Removed the subscriber.",
    )
