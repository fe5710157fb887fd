"""Encrypted connections: who is trusted, and through which proxy they go."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from singletable.errors import AddressError, CertificateError, ConnectionFailed
from singletable.operations import GetItem, GetItemOutput
from tests.remote.certificates import make_certificate
from tests.remote.faces import Asking
from tests.remote.scripted import read_request, response, scripted

GET = GetItem("votes", {"PK": {"S": "a"}})


class Encrypted:
    """An endpoint with a certificate; it may be asked directly, or for a tunnel like a proxy.

    As a proxy it leads every tunnel to itself, whatever host was asked for.
    """

    def __init__(self, folder: Path, tunnel: bytes = b"HTTP/1.1 200 Established\r\n\r\n") -> None:
        self.certificate, key = make_certificate(folder)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self.certificate, key)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._tunnel = tunnel
        self.port: int = self._listening.getsockname()[1]
        self.asked: list[bytes] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"dynamodb+https://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            if connection.recv(1, socket.MSG_PEEK) == b"C":  # CONNECT
                self.asked.append(read_request(connection) or b"")
                connection.sendall(self._tunnel)
            with self._context.wrap_socket(connection, server_side=True) as encrypted:
                while (request := read_request(encrypted)) is not None:
                    self.asked.append(request)
                    encrypted.sendall(response(b"{}"))


@pytest.fixture
def far_end(tmp_path: Path) -> Iterator[Encrypted]:
    server = Encrypted(tmp_path)
    yield server
    server.close()


def test_who_is_trusted_is_asked(
    ask: Asking, far_end: Encrypted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(far_end.certificate))
    assert ask(far_end.address, GET, GET) == [GetItemOutput()] * 2


def test_who_is_not_trusted_is_told_nothing(ask: Asking, far_end: Encrypted) -> None:
    (error,) = ask(far_end.address, GET, once=False)
    assert isinstance(error, CertificateError)
    assert "AWS_CA_BUNDLE" in str(error)
    assert far_end.asked == []


def test_a_certificate_is_for_its_host(
    ask: Asking, far_end: Encrypted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(far_end.certificate))
    (error,) = ask(f"dynamodb+https://localhost:{far_end.port}", GET)
    assert isinstance(error, CertificateError)
    assert "localhost" in str(error)


def test_who_does_not_encrypt_is_told_from_who_does(ask: Asking) -> None:
    with scripted([response(b"{}")]) as server:
        address = f"dynamodb+https://127.0.0.1:{server.port}?connect_timeout=0.5"
        (error,) = ask(address, GET)
        assert isinstance(error, ConnectionFailed)
        assert not error.may_have_arrived


def test_a_bundle_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch, ask: Asking) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", "/nowhere/bundle.pem")
    with pytest.raises(AddressError, match=r"/nowhere/bundle\.pem"):
        ask("dynamodb+https://127.0.0.1", GET)


# The host does not exist: only who was asked for a tunnel can have led there.
def test_a_proxy_is_asked_for_a_tunnel(
    ask: Asking, far_end: Encrypted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(far_end.certificate))
    monkeypatch.setenv("HTTPS_PROXY", f"http://ada:p%40ss@127.0.0.1:{far_end.port}")
    (error,) = ask("dynamodb+https://nobody.invalid", GET)
    assert isinstance(error, CertificateError)  # the certificate is that of another host
    (tunnel,) = far_end.asked
    assert tunnel.startswith(b"CONNECT nobody.invalid:443 HTTP/1.1\r\n")
    assert b"proxy-authorization: Basic YWRhOnBAc3M=" in tunnel  # ada:p@ss


def test_a_tunnel_leads_to_the_place(
    ask: Asking, far_end: Encrypted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(far_end.certificate))
    monkeypatch.setenv("HTTPS_PROXY", f"127.0.0.1:{far_end.port}")
    # Nothing on this machine is asked through a proxy, so this one is made to look far away.
    monkeypatch.setattr("singletable.remote.place.Place.is_here", False)
    assert ask("dynamodb+https://127.0.0.1:1", GET) == [GetItemOutput()]
    assert far_end.asked[0].startswith(b"CONNECT 127.0.0.1:1 HTTP/1.1\r\n")
    assert far_end.asked[1].startswith(b"POST / HTTP/1.1\r\n")


def test_a_proxy_that_refuses_is_told(
    ask: Asking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = Encrypted(tmp_path, b"HTTP/1.1 407 Who are you?\r\ncontent-length: 0\r\n\r\n")
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{refusing.port}")
    (error,) = ask("dynamodb+https://nobody.invalid", GET)
    refusing.close()
    assert isinstance(error, ConnectionFailed)
    assert "status 407" in str(error)
    assert "HTTPS_PROXY" in str(error)


def test_what_is_not_encrypted_is_sent_to_the_proxy_itself(
    ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted([response(b"{}")]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        assert ask("dynamodb+http://db.example:8000", GET) == [GetItemOutput()]
        assert proxy.requests[0].startswith(b"POST http://db.example:8000/ HTTP/1.1\r\n")


@pytest.mark.parametrize("host", ["localhost", "db.example"])
def test_some_places_are_reached_without(
    ask: Asking, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    with scripted() as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "db.example")
        (error,) = ask(f"dynamodb+http://{host}:1?connect_timeout=0.5", GET)
        assert isinstance(error, ConnectionFailed)
        assert proxy.requests == []


@pytest.mark.parametrize(
    "url", ["socks5://ada:secret@h:1", "https://h", "http://h:port", "http://"]
)
def test_a_proxy_of_another_kind_is_refused(
    ask: Asking, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", url)
    with pytest.raises(AddressError, match="only http://HOST:PORT") as refused:
        ask("dynamodb+https://db.example", GET)
    assert "secret" not in str(refused.value)
