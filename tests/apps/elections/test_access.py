"""Strangers reach only public routes, and pages of other sites change nothing.

What each role may do is in `rules/test_permissions.py`. Here, every route needs a valid token,
except those that are listed.
"""

from __future__ import annotations

import pytest

from singletable import connect
from singletable_apps.elections.api import PREFIX, ApiSettings, Limits, attach
from tests.apps.elections.pages.client import HOME, shared_app
from tests.apps.support.access import AccessCheck, Table, altered, entries, routes_of
from tests.apps.support.elections.world import World

PUBLIC: Table = {
    **entries(
        PREFIX,
        {
            "nobody owner": """
                GET /checker.py, GET /docs, GET /keys, GET /openapi.json, GET /problems,
                GET /problems/{name}, GET /version, POST /password-reset,
                POST /password-reset/confirm, POST /refresh, POST /register,
                POST /register/confirm, POST /email/confirm, POST /sign-in, POST /sign-out"""
        },
    ),
    **entries(
        "/elections",
        {
            "nobody owner": """
                GET , GET /check, POST /check, POST /check/confirmation, GET /counting, GET /email,
                POST /email, GET /email/old, POST /email/old, GET /forgot, POST /forgot,
                GET /forgot/sent, GET /register, POST /register, GET /register/confirm,
                POST /register/confirm, GET /register/sent, GET /reset, POST /reset, GET /sign-in,
                POST /sign-in, POST /sign-out"""
        },
    ),
}


@pytest.fixture
def access() -> AccessCheck:
    """Return a site with an election of its owner."""
    world = World(connect("memory:"))
    app, site = shared_app(world.service)
    owner, mary = world.register("Ada", "Mary")
    world.service.lifecycle.create(owner, "Tea")
    auth = world.service.auth
    expired = auth.start_session(owner, "tests").access
    world.clock.advance(days=3)
    removed = auth.start_session(mary, "tests").access
    world.service.people.remove(owner, "Mary")
    token = auth.start_session(owner, "tests").access

    def activate() -> None:
        app.state.election_pages = site
        attach(app, world.service, ApiSettings(limits=Limits.off()))

    private = dict.fromkeys(routes_of(app) - PUBLIC.keys(), frozenset({"owner"}))
    return AccessCheck(
        app,
        {**private, **PUBLIC},
        {"owner": token},
        {"expired": expired, "altered": altered(token), "removed": removed},
        {},
        {
            "name": "Tea",
            "voter": "Ada",
            "confirmation": "x",
            "session": auth.sessions(owner)[0].id,
            "form": "csv",
            "role": "USER",
            "relation": "users",
            "table": "users",
        },
        world.calls,
        PREFIX,
        "/elections/sign-in",
        "elections_access",
        HOME,
        activate,
    )


def test_strangers_are_refused(access: AccessCheck) -> None:
    assert access.denied() == []


def test_public_routes_exist(access: AccessCheck) -> None:
    assert PUBLIC.keys() <= routes_of(access.app)


def test_pages_of_other_sites_change_nothing(access: AccessCheck) -> None:
    assert access.forged("owner") == []
