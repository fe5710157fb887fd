"""Heads of requests: accepted hosts, and limits on URLs and headers."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from singletable_apps.shared.serve import PublicUrl
from singletable_apps.shared.web import Settings
from singletable_apps.shared.web.middleware import MAX_HEADER_BYTES, MAX_HEADERS, MAX_URL_BYTES
from tests.apps.shared.web.notes import make_client

PUBLIC = PublicUrl("https://notes.example:8443", ("10.0.0.0/8",))
client = make_client(settings=PUBLIC.settings())


def status_for(hosts: list[str], peer: str = "198.51.100.7") -> int:
    sender = TestClient(client.app, client=(peer, 50_000))
    return sender.get("/api/notes", headers=[("Host", each) for each in hosts]).status_code


@pytest.mark.parametrize(
    "host",
    [
        "notes.example",
        "Notes.Example.:8443",
        "localhost:8000",
        "notes.localhost",
        "127.0.0.1:8000",
        "192.168.1.7",
        "[::1]:8000",
    ],
)
def test_server_answers_for_its_own_name_and_for_addresses(host: str) -> None:
    assert status_for([host]) == 200


# A page on evil.example whose name suddenly resolves to 127.0.0.1 could read everything here.
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "notes.example.evil.example",
        "evil-notes.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "notes.example@evil.example",
        "notes.example/",
        "[evil]",
        "",
    ],
)
def test_other_host_names_are_rejected(host: str) -> None:
    assert status_for([host]) == 421


def test_two_hosts_are_rejected() -> None:
    assert status_for(["notes.example", "evil.example"]) == 421


def test_proxy_may_send_its_own_name_for_the_server() -> None:
    assert status_for(["app:8000"], peer="10.1.2.3") == 200


def test_socket_for_another_host_is_rejected() -> None:
    with (
        pytest.raises(WebSocketDisconnect) as rejected,
        client.websocket_connect("/api/socket", headers={"Host": "evil.example"}),
    ):
        pass
    assert rejected.value.code == 1008


def test_any_host_is_accepted_without_a_public_url() -> None:
    assert (
        make_client(settings=Settings()).get("/api/notes", headers={"Host": "anything"}).status_code
        == 200
    )


# Behind a proxy that ends TLS, requests arrive over plain HTTP.
def test_tls_is_required_of_browsers_if_the_public_url_uses_it() -> None:
    answer = client.get("http://notes.example/api/notes")
    assert "max-age" in answer.headers["strict-transport-security"]


LARGE = {
    "a long query": ({"params": {"a": "x" * MAX_URL_BYTES}}, 414),
    "many headers": ({"headers": {f"x-{number}": "a" for number in range(MAX_HEADERS)}}, 431),
    "long headers": ({"headers": {"cookie": "x" * MAX_HEADER_BYTES}}, 431),
}


@pytest.mark.parametrize("case", LARGE)
def test_large_heads_are_rejected(case: str) -> None:
    sent, status = LARGE[case]
    answer = client.get("https://notes.example/api/notes", **sent)  # type: ignore[arg-type]
    assert answer.status_code == status
    assert "Expected at most" in answer.json()["detail"]


def test_long_path_is_rejected() -> None:
    url = f"https://notes.example/api/notes/{'x' * MAX_URL_BYTES}"
    assert client.get(url).status_code == 414
