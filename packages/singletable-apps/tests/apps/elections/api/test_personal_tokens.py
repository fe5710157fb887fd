"""Personal access tokens: each scope allows its requests, and none touches the account."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from singletable_apps.shared.accounts import Scope
from tests.apps.elections.api.client import Api, Client, make_api, type_of
from tests.apps.support.elections.world import PASSWORD

# Requests that need a scope, and requests for which no token is enough.
READ = [("GET", "/me"), ("GET", "/elections"), ("GET", "/elections/Tea/tally"), ("GET", "/users")]
VOTE = [("POST", "/elections/Tea/ballot"), ("GET", "/elections/Tea/ballot")]
MANAGE = [("POST", "/elections"), ("POST", "/elections/Tea/finalize")]
NEVER = [("PUT", "/users/Ada/role"), ("DELETE", "/users/Ada")]
BODIES: Mapping[str, object] = {
    "/elections/Tea/ballot": {"rankings": [{"candidate_name": "Red", "rank": 1}]},
    "/elections": {"name": "Coffee"},
    "/users/Ada/role": {"role": "OWNER"},
}


@pytest.fixture
def api() -> Api:
    api = make_api("Ada")
    api.launch("Ada", "Tea")
    return api


def with_token(api: Api, *scopes: Scope) -> Client:
    owner = api.elections.context.read.get_user("Ada")
    client = api.anonymous()
    auth = api.elections.auth
    client.token = auth.tokens.create(auth.account_of(owner), "Tests", scopes, 7)
    return client


def ask(client: Client, method: str, path: str) -> int:
    headers = {"Idempotency-Key": "1", "If-Match": "*"}
    if method in ("POST", "PUT") and path in BODIES:
        return client.ask(method, path, headers=headers, json=BODIES[path]).status_code
    return client.ask(method, path, headers=headers).status_code


@pytest.mark.parametrize("scope", Scope)
def test_token_allows_what_its_scope_says(api: Api, scope: Scope) -> None:
    client = with_token(api, scope)
    for needed, requests in ((Scope.READ, READ), (Scope.VOTE, VOTE), (Scope.MANAGE, MANAGE)):
        for method, path in requests:
            status = ask(client, method, path)
            assert (status < 300) == (needed is scope), (method, path, status)
            assert needed is scope or status == 403
    for method, path in NEVER:
        assert ask(client, method, path) in (401, 403), (method, path)


# The page and the browser must not accept what a program has.
def test_token_is_not_a_session(api: Api) -> None:
    client = with_token(api, *Scope)
    assert client.get("/me").json()["name"] == "Ada"
    refused = client.put("/users/Ada/password", {"current": PASSWORD, "new": PASSWORD})
    assert type_of(refused) == "403 not-allowed"
    api.elections.auth.change_own_password(
        api.elections.context.read.get_user("Ada"), "lantern copper river", "another copper river"
    )
    assert client.get("/me").status_code == 401
