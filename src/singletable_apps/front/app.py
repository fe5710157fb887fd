"""One app with everything: the home page, the parts of pages, and every app behind its prefixes."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

from fastapi import FastAPI, Request
from starlette.types import ASGIApp

from singletable_apps.front.dispatching import ByPrefix
from singletable_apps.front.home import home_router
from singletable_apps.front.opening import Served
from singletable_apps.shared.pages import Link, Pages, Product, parts
from singletable_apps.shared.web import Settings, make_app

PRODUCT = Product(
    "singletable",
    "/",
    "DynamoDB single-table design in Python.",
)
_PARTS = "/parts"
_LARGEST_FORM = 1 << 16


def make_front_app(
    apps: Sequence[Served], *, settings: Settings | None = None, secure_cookies: bool = True
) -> ASGIApp:
    """The whole site on apps that are open."""
    web = replace(settings or Settings(), uploads={_PARTS: _LARGEST_FORM})
    described = " ".join(f"{app.door.name}: {app.opened.api}/docs." for app in apps)
    front = make_app(
        "singletable",
        version("singletable"),
        routers=[],
        prefix="/api",
        description=f"Every application has an API of its own, described there. {described}",
        settings=web,
    )
    # It seals nothing but what is said on the next page.
    secret = secrets.token_bytes(32)
    _add_home(front, apps, secret, secure_cookies)
    _add_parts(front, secret, secure_cookies)
    return ByPrefix(_by_prefix(apps), front)


def _by_prefix(apps: Sequence[Served]) -> dict[str, ASGIApp]:
    found: dict[str, Served] = {}
    for app in apps:
        for prefix in app.opened.prefixes:
            other = found.setdefault(prefix, app)
            if other is not app:
                names = f"{other.door.name} and {app.door.name}"
                raise ValueError(f"Expected each prefix in one app, but {names} have {prefix}.")
    return {prefix: app.opened.app for prefix, app in found.items()}


def _add_home(front: FastAPI, apps: Sequence[Served], secret: bytes, secure_cookies: bool) -> None:
    styles = dict.fromkeys(app.door.picture_style for app in apps)
    pages = Pages(
        "front",
        Path(__file__).parent,
        secret=secret,
        product=PRODUCT,
        around=partial(_around, apps),
        made={"pictures.css": "\n".join(styles)},
        secure_cookies=secure_cookies,
    )
    front.include_router(home_router(pages, apps), include_in_schema=False)
    pages.serve(front)


def _add_parts(front: FastAPI, secret: bytes, secure_cookies: bool) -> None:
    pages = Pages(
        "parts",
        secret=secret,
        product=PRODUCT,
        prefix=_PARTS,
        around=parts.around,
        made=parts.MADE,
        secure_cookies=secure_cookies,
    )
    front.include_router(parts.parts_router(pages), include_in_schema=False)
    pages.serve(front)


def _around(apps: Sequence[Served], request: Request) -> dict[str, object]:
    described = [
        Link(f"The API of {app.door.name.lower()}", f"{app.opened.api}/docs") for app in apps
    ]
    return {
        "nav": [Link(app.door.name, app.door.address) for app in apps],
        "links": [*described, Link("Parts of pages", _PARTS)],
    }
