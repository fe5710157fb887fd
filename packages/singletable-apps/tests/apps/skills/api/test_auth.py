"""The original's registration and login."""

from __future__ import annotations

from tests.apps.skills.api.client import Server
from tests.apps.skills.support.world import PASSWORD
from tests.apps.support.api_client import problem


def test_register_sign_in_and_read_me(server: Server) -> None:
    visitor = server.visitor()
    new = {"username": "Zoe", "name": "Zoe Park", "password": PASSWORD}
    registered = visitor.post("/register", new)
    assert registered.status_code == 201
    assert registered.json() == {"message": "User registered successfully"}
    tokens = visitor.post("/login", {"username": "zoe", "password": PASSWORD}).json()
    assert tokens["token_type"] == "Bearer"
    visitor.token = tokens["access_token"]
    me = visitor.get("/me").json()
    assert (me["username"], me["role"]) == ("Zoe", "user")
    assert not any("password" in name for name in me)
    assert visitor.post("/logout", {"refresh_token": tokens["refresh_token"]}).is_success
    assert visitor.get("/me").status_code == 401


def test_email_token_changes_the_address_once(server: Server) -> None:
    bob = server.sign_in("bob")
    bob.put("/users/bob", {"email": "bob@example.com"}, headers={"If-Match": "*"})
    emails = server.world.mailbox.emails
    text = next(each.text for each in emails if each.to == "bob@example.com")
    token = {"token": text.partition("token=")[2].split()[0]}
    assert server.visitor().post("/email/confirm", token).status_code == 200
    assert server.world.user("bob").email == "bob@example.com"
    assert problem(server.visitor().post("/email/confirm", token))[:2] == (401, "not-signed-in")
