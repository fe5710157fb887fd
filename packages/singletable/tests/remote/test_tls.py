"""TLS connections, certificates and proxies."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from dynamodb_engine.operations import GetItem, GetItemOutput
from singletable.errors import AddressError, CertificateError, ConnectionFailed
from tests.remote.drivers import Send
from tests.remote.scripted_server import read_request, response, start_server
from tools.testing.certificates import create_certificate

GET = GetItem("votes", {"PK": {"S": "a"}})


class TlsServer:
    """An endpoint with a certificate that also acts as a proxy.

    As a proxy it leads every tunnel to itself, whatever host was requested.
    """

    def __init__(self, folder: Path, tunnel: bytes = b"HTTP/1.1 200 Established\r\n\r\n") -> None:
        self.certificate, key = create_certificate(folder)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self.certificate, key)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._tunnel = tunnel
        self.port: int = self._listener.getsockname()[1]
        self.requests: list[bytes] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"dynamodb+https://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            if connection.recv(1, socket.MSG_PEEK) == b"C":  # CONNECT
                self.requests.append(read_request(connection) or b"")
                connection.sendall(self._tunnel)
            with self._context.wrap_socket(connection, server_side=True) as encrypted:
                while (request := read_request(encrypted)) is not None:
                    self.requests.append(request)
                    encrypted.sendall(response(b"{}"))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[TlsServer]:
    tls_server = TlsServer(tmp_path)
    yield tls_server
    tls_server.close()


def test_trusted_server_gets_requests(
    send: Send, server: TlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(server.certificate))
    assert send(server.address, GET, GET) == [GetItemOutput()] * 2


def test_untrusted_server_gets_no_request(send: Send, server: TlsServer) -> None:
    (error,) = send(server.address, GET, retries=True)
    assert isinstance(error, CertificateError)
    assert "AWS_CA_BUNDLE" in str(error)
    assert server.requests == []


def test_certificate_must_match_host(
    send: Send, server: TlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(server.certificate))
    (error,) = send(f"dynamodb+https://localhost:{server.port}", GET)
    assert isinstance(error, CertificateError)
    assert "localhost" in str(error)


def test_server_without_tls_raises_connection_failed(send: Send) -> None:
    with start_server([response(b"{}")]) as server:
        address = f"dynamodb+https://127.0.0.1:{server.port}?connect_timeout=0.5"
        (error,) = send(address, GET)
        assert isinstance(error, ConnectionFailed)
        assert not error.may_have_arrived


def test_missing_ca_bundle_is_rejected(monkeypatch: pytest.MonkeyPatch, send: Send) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", "/nowhere/bundle.pem")
    with pytest.raises(AddressError, match=r"/nowhere/bundle\.pem"):
        send("dynamodb+https://127.0.0.1", GET)


# The host does not exist, so only the tunnel can have reached a server.
def test_proxy_gets_connect_request(
    send: Send, server: TlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(server.certificate))
    monkeypatch.setenv("HTTPS_PROXY", f"http://ada:p%40ss@127.0.0.1:{server.port}")
    (error,) = send("dynamodb+https://nobody.invalid", GET)
    assert isinstance(error, CertificateError)  # the certificate is for another host
    (tunnel,) = server.requests
    assert tunnel.startswith(b"CONNECT nobody.invalid:443 HTTP/1.1\r\n")
    assert b"proxy-authorization: Basic YWRhOnBAc3M=" in tunnel  # ada:p@ss


def test_request_goes_through_tunnel(
    send: Send, server: TlsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", str(server.certificate))
    monkeypatch.setenv("HTTPS_PROXY", f"127.0.0.1:{server.port}")
    # Proxies are not used for local hosts, so this one has to look remote.
    monkeypatch.setattr("singletable.remote.config.RemoteEndpoint.is_local", False)
    assert send("dynamodb+https://127.0.0.1:1", GET) == [GetItemOutput()]
    assert server.requests[0].startswith(b"CONNECT 127.0.0.1:1 HTTP/1.1\r\n")
    assert server.requests[1].startswith(b"POST / HTTP/1.1\r\n")


def test_rejected_tunnel_raises_connection_failed(
    send: Send, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rejecting = TlsServer(tmp_path, b"HTTP/1.1 407 Who are you?\r\ncontent-length: 0\r\n\r\n")
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{rejecting.port}")
    (error,) = send("dynamodb+https://nobody.invalid", GET)
    rejecting.close()
    assert isinstance(error, ConnectionFailed)
    assert "status 407" in str(error)
    assert "HTTPS_PROXY" in str(error)


def test_plain_request_is_forwarded_by_proxy(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    with start_server([response(b"{}")]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        assert send("dynamodb+http://db.example:8000", GET) == [GetItemOutput()]
        assert proxy.requests[0].startswith(b"POST http://db.example:8000/ HTTP/1.1\r\n")


@pytest.mark.parametrize("host", ["localhost", "db.example"])
def test_local_and_excluded_hosts_bypass_proxy(
    send: Send, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    with start_server() as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "db.example")
        (error,) = send(f"dynamodb+http://{host}:1?connect_timeout=0.5", GET)
        assert isinstance(error, ConnectionFailed)
        assert proxy.requests == []


@pytest.mark.parametrize(
    "url", ["socks5://ada:secret@h:1", "https://h", "http://h:port", "http://"]
)
def test_unsupported_proxy_is_rejected(
    send: Send, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", url)
    with pytest.raises(AddressError, match="only http://HOST:PORT") as raised:
        send("dynamodb+https://db.example", GET)
    assert "secret" not in str(raised.value)
