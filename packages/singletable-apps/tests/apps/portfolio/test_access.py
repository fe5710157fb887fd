"""Who may do what: every route of the API and the pages, for objects of the owner.

The post was withdrawn, so that it is not public any more.
"""

from __future__ import annotations

from typing import Any

import pytest

from singletable_apps.portfolio.app import APP
from singletable_apps.portfolio.comment_rules import CommentDraft
from singletable_apps.portfolio.entities import Project, TrashKind
from singletable_apps.portfolio.rules import PostDraft
from singletable_apps.portfolio.urls import API
from tests.apps.portfolio.pages.client import PagesApp
from tests.apps.portfolio.support.harness import PASSWORD
from tests.apps.portfolio.support.images import image_file
from tests.apps.support.access import AccessCheck, AccessTests, altered, entries, refusals

EVERYONE, AUTHORS = "nobody author owner", "author owner"
TABLE = {
    **entries(
        API,
        {
            EVERYONE: """
                GET /portfolio, GET /settings, GET /blogs, POST /contact, GET /tags,
                GET /categories, GET /search, POST /auth/login, POST /auth/logout,
                GET /openapi.json, GET /problems, GET /docs""",
            AUTHORS: """
                POST /blogs, GET /comments, GET /stats, POST /media, GET /media, GET /auth/me,
                PUT /auth/password""",
            "owner": """
                PUT /portfolio, PUT /settings, GET /blogs/{blog_id}, PUT /blogs/{blog_id},
                DELETE /blogs/{blog_id}, GET /blogs/{blog_id}/history, GET /blogs/{blog_id}/stats,
                POST /blogs/{blog_id}/history/{number}/restore, POST /comments/{ref}/approve,
                POST /comments/{ref}/reject,
                DELETE /comments/{ref}, PUT /media/{name},
                DELETE /media/{name}, GET /users, POST /users, PUT /users/{user_id},
                DELETE /users/{user_id}""",
            # The post is not public, the site is set up, and the token is wrong.
            "": """
                GET /blogs/{blog_id}/likes, POST /blogs/{blog_id}/likes, POST /auth/setup,
                DELETE /blogs/{blog_id}/likes, GET /blogs/{blog_id}/comments,
                POST /blogs/{blog_id}/comments, POST /auth/refresh, GET /problems/{name}""",
        },
    ),
    **entries(
        "/portfolio",
        {
            EVERYONE: """
                GET , GET /, GET /about, GET /projects, GET /experience, GET /blog, GET /tags,
                GET /archive, GET /contact, POST /contact, GET /newsletter, POST /newsletter,
                GET /search, GET /theme.css, GET /custom.css,
                GET /icon.svg, GET /feed.json, GET /atom.xml, GET /feed.xml, GET /sitemap.xml,
                GET /robots.txt, GET /media/{name}/{width}.webp""",
            "": """
                GET /tags/{tag}, GET /categories/{category},
                GET /tags/{tag}/feed.json, GET /tags/{tag}/atom.xml, GET /tags/{tag}/feed.xml,
                GET /blog/{slug}, GET /blog/{slug}/likes, POST /blog/{slug}/like,
                POST /blog/{slug}/view, POST /blog/{slug}/comments,
                GET /newsletter/confirm/{token}, POST /newsletter/confirm/{token},
                GET /newsletter/unsubscribe/{token}, POST /newsletter/unsubscribe/{token},
                GET /{slug}""",
        },
    ),
    **entries(
        "/portfolio/admin",
        {
            EVERYONE: """
                GET /sign-in, POST /sign-in, POST /sign-out, GET /forgot, POST /forgot,
                GET /forgot/sent, GET /reset, POST /reset, GET /email, POST /email, GET /email/old,
                POST /email/old""",
            AUTHORS: """
                GET , GET /account, GET /account/email, POST /account/email, GET /trash,
                POST /account/details, POST /account/password,
                POST /account/sessions/others/end, POST /account/sessions/{session}/end, GET /posts,
                GET /posts/published, GET /posts/scheduled, GET /posts/drafts, GET /posts/pages,
                GET /posts/new, POST /posts/new, POST /preview, GET /comments, POST /comments,
                GET /comments/approved, GET /media, POST /media,
                GET /media/{name},
                GET /media/{name}/delete""",
            "owner": """
                GET /posts/{blog_id}, POST /posts/{blog_id}, GET /posts/{blog_id}/share,
                POST /posts/{blog_id}/share,
                GET /posts/{blog_id}/history, GET /posts/{blog_id}/history/{number:int},
                POST /posts/{blog_id}/history/{number:int}, GET /posts/{blog_id}/delete,
                POST /posts/{blog_id}/delete, GET /comments/{blog_id}/delete,
                GET /comments/{blog_id}/reply, POST /comments/{blog_id}/reply,
                POST /comments/{blog_id}/delete, POST /media/{name}, POST /media/{name}/delete,
                GET /people, POST /people, GET /people/invite, POST /people/invite,
                GET /people/{who}, POST /people/{who}, POST /people/{who}/invite,
                POST /people/{who}/role, GET /people/{who}/remove, POST /people/{who}/remove,
                GET /portfolio, POST /portfolio,
                GET /portfolio/about, POST /portfolio/about, GET /settings, POST /settings,
                POST /settings/look, GET /portfolio/{kind}, GET /portfolio/{kind}/{entry_id},
                POST /portfolio/{kind}/{entry_id}, POST /portfolio/{kind}/{entry_id}/move,
                GET /portfolio/{kind}/{entry_id}/delete, POST /portfolio/{kind}/{entry_id}/delete,
                GET /transfer, GET /export, POST /import, POST /import/run, GET /import/undo,
                POST /import/undo, GET /newsletter, GET /newsletter/{digest}/remove,
                POST /newsletter/{digest}/remove, POST /trash/{what}/{trashed}/restore,
                GET /trash/{what}/{trashed}/delete, POST /trash/{what}/{trashed}/delete,
                POST /drafts/{place:path}, POST /discarded-drafts/{place:path}""",
            # The post is not public, and the site is set up.
            "": """
                GET /newsletter/{blog_id}/send, POST /newsletter/{blog_id}/send,
                GET /set-up, POST /set-up""",
        },
    ),
    "GET /": frozenset(EVERYONE.split()),
}
REFUSALS = {
    **refusals(
        API,
        {
            # Others do not learn that there is such a post.
            "404": """
                GET /blogs/{blog_id}, GET /blogs/{blog_id}/likes, POST /blogs/{blog_id}/likes,
                DELETE /blogs/{blog_id}/likes, GET /blogs/{blog_id}/comments,
                POST /blogs/{blog_id}/comments, GET /problems/{name}""",
            "403": "POST /auth/setup",
            "401": "POST /auth/refresh",
        },
    ),
    **refusals(
        "/portfolio",
        {
            "404": """
                GET /tags/{tag}, GET /categories/{category},
                GET /tags/{tag}/feed.json, GET /tags/{tag}/atom.xml, GET /tags/{tag}/feed.xml,
                GET /blog/{slug}, GET /blog/{slug}/likes, POST /blog/{slug}/like,
                POST /blog/{slug}/view, POST /blog/{slug}/comments,
                GET /newsletter/confirm/{token}, POST /newsletter/confirm/{token},
                GET /newsletter/unsubscribe/{token}, POST /newsletter/unsubscribe/{token},
                GET /{slug}""",
            "303": "GET /admin/set-up, POST /admin/set-up",
        },
    ),
    **{
        f"{method} /portfolio/admin/newsletter/{{blog_id}}/send": {"owner": 404}
        for method in ("GET", "POST")
    },
    # Others do not learn what is in the trash.
    **{
        f"{route} /portfolio/admin/trash/{{what}}/{{trashed}}/{verb}": {"author": 404}
        for route, verb in (("GET", "delete"), ("POST", "delete"), ("POST", "restore"))
    },
}
IMAGE = ("x.png", image_file())
POST = {"title": "T", "markdown": "x"}
COMMENT = {"author_name": "Joan", "content": "Well."}
SET_UP = {"name": "Eve", "email": "eve@example.org", "password": PASSWORD, "site_title": "Eve"}
MESSAGE = {"name": "Joan", "email": "j@example.org", "message": "Hi"}


def _bodies(ref: str) -> dict[str, dict[str, Any]]:
    return {
        f"PUT {API}/portfolio": {"bio": "x"},
        f"PUT {API}/settings": {"tagline": "x"},
        f"POST {API}/blogs": POST,
        f"PUT {API}/blogs/{{blog_id}}": {"title": "x"},
        f"POST {API}/blogs/{{blog_id}}/comments": COMMENT,
        f"POST {API}/contact": MESSAGE,
        f"GET {API}/search": {"q": "secret"},
        f"POST {API}/media": {"file": IMAGE},
        f"PUT {API}/media/{{name}}": {"alt": "x"},
        f"POST {API}/auth/setup": SET_UP,
        f"POST {API}/auth/login": {"email": "grace@example.org", "password": PASSWORD},
        f"POST {API}/auth/refresh": {"refresh_token": "x"},
        f"POST {API}/auth/logout": {"refresh_token": "x"},
        f"POST {API}/users": {"email": "j@example.org", "name": "Joan"},
        f"PUT {API}/users/{{user_id}}": {"role": "owner"},
        "GET /portfolio/search": {"q": "secret"},
        "POST /portfolio/contact": MESSAGE,
        "POST /portfolio/newsletter": {"email": "j@example.org"},
        "POST /portfolio/blog/{slug}/comments": COMMENT,
        "POST /portfolio/admin/set-up": SET_UP,
        "POST /portfolio/admin/posts/new": POST,
        "POST /portfolio/admin/preview": POST,
        "POST /portfolio/admin/posts/{blog_id}": POST,
        "POST /portfolio/admin/media": {"files": IMAGE},
        "POST /portfolio/admin/media/{name}": {"alt": "x"},
        "POST /portfolio/admin/import": {"file": IMAGE},
        "GET /portfolio/admin/comments/{blog_id}/delete": {"ref": ref},
        "GET /portfolio/admin/comments/{blog_id}/reply": {"ref": ref},
        "POST /portfolio/admin/comments/{blog_id}/reply": {"ref": ref, "content": "x"},
        "POST /portfolio/admin/comments/{blog_id}/delete": {"ref": ref},
    }


@pytest.fixture
def access() -> AccessCheck:
    """Return a site with a post, a comment, an image and a project of its owner."""
    app = PagesApp()
    world, service = app.world, app.world.service
    owner = world.set_up()
    draft = PostDraft("Secret", "Secret.", "secret", ("secret",), "Secret")
    blog = service.posts.create(owner, draft)
    blog_id = blog.blog_id
    service.posts.publish(owner, blog_id)
    world.clock.advance(seconds=1)
    service.posts.edit(owner, blog_id, PostDraft("Secrets", "Secrets.", "secret"))
    service.comments.submit(blog_id, CommentDraft("Joan", content="Secret"), "visitor")
    ref = service.comments.queue(owner).items[0].ref
    service.comments.approve(owner, ref)
    service.posts.unpublish(owner, blog_id)
    service.profile.update_settings(owner, {"newsletter": True})
    image = service.media.upload(owner, image_file(), "secret.png")
    service.profile.update_portfolio(owner, {"projects": [Project("p", "Pot")]})
    old = {"entry": Project("old", "Pan"), "place": 0}
    context = service.context
    context.store.put(context.trashed(TrashKind.PROJECT, "old", "Pan", "", old))

    def token(name: str) -> str:
        people = {user.name: user for user in service.accounts.list_accounts(owner)}
        return service.accounts.start_session(people[name]).access

    expired = token("Ada")
    world.clock.advance(days=400)
    for name in ("Grace", "Mary", "Joan"):
        app.join(name)
    joan = next(user for user in service.accounts.list_accounts(owner) if user.name == "Joan")
    callers = {"author": token("Grace"), "owner": token("Ada")}
    strangers = {"expired": expired, "altered": altered(token("Ada")), "removed": token("Mary")}
    mary = next(user for user in service.accounts.list_accounts(owner) if user.name == "Mary")
    service.accounts.remove(owner, mary.user_id)
    app.limits.update(dict.fromkeys(APP.limits))
    return AccessCheck(
        app,
        TABLE,
        callers,
        strangers,
        _bodies(ref),
        {
            "blog_id": blog_id,
            "ref": ref,
            "name": image.name,
            "user_id": str(joan.user_id),
            "who": str(joan.user_id),
            "slug": "secret",
            "tag": "secret",
            "category": "Secret",
            "kind": "projects",
            "what": "project",
            "trashed": "old",
            "place": f"posts/{blog_id}",
            "entry_id": "p",
            "number": "1",
            "token": "x",
            "digest": "x",
            "width": "480",
            "session": service.accounts.sessions(owner)[0].family,
        },
        REFUSALS,
    )


class TestAccess(AccessTests):
    """The callers are authors and owners."""
