"""Serving an app: sockets, signals, the public URL, proxies and new data folders."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from singletable_apps.shared import serve
from singletable_apps.shared.web.hosts import lan_address
from tools.testing.certificates import create_certificate

URL = "http://127.0.0.1:8000"


def test_local_server_uses_plain_http_cookies() -> None:
    with serve.listen(serve.ListenOptions("127.0.0.1", 0)) as (listener, url, public):
        assert url == public.url == f"http://127.0.0.1:{listener.getsockname()[1]}"
    assert not public.secure_cookies
    assert public.settings().proxies == ()
    assert public.settings().trusted_origins == (url,)


# Also while apps are still being opened: everything that is open is closed.
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_block_and_the_program_continues(number: signal.Signals) -> None:
    previous = signal.getsignal(signal.SIGTERM)
    events: list[str] = []
    with ExitStack() as stack:
        # A shell starts background jobs with SIGINT ignored, and Python then installs no handler.
        stack.callback(
            signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler)
        )
        stack.callback(events.append, "continues")
        listener, _, _ = stack.enter_context(serve.listen(serve.ListenOptions("127.0.0.1", 0)))
        stack.callback(events.append, "closed")
        signal.raise_signal(number)
        events.append("not reached")
    assert events == ["closed", "continues"]
    assert listener.fileno() == -1
    assert signal.getsignal(signal.SIGTERM) is previous


# Python drops a KeyboardInterrupt that is raised in a destructor.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_server_stops_even_if_the_signal_was_lost_before_it_started() -> None:
    class Dropped:
        """Raises a signal when it is deleted."""

        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)
            for _ in range(1000):  # the handler runs between two instructions
                pass

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("No request is sent.")

    with serve.listen(serve.ListenOptions("127.0.0.1", 0)) as (listener, _, public):
        Dropped()
        serve.serve(app, listener, public)


def test_server_with_a_certificate_serves_https(tmp_path: Path) -> None:
    certificate, key = create_certificate(tmp_path)
    schemes: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        schemes.append(scope["scheme"])
        await PlainTextResponse("Hello")(scope, receive, send)

    async def ask(port: int, tls: ssl.SSLContext | None) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls)
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()
        return answer

    def connect(port: int, tls: ssl.SSLContext) -> ssl.SSLSocket:
        plain = socket.create_connection(("127.0.0.1", port))
        return tls.wrap_socket(plain, server_hostname="127.0.0.1")

    async def run(listener: socket.socket, public: serve.PublicUrl) -> tuple[bytes, bytes]:
        server, port = (
            serve.Server(serve.server_config(app), public.tls),
            listener.getsockname()[1],
        )
        running = asyncio.create_task(server.serve([listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        trusted = ssl.create_default_context(cafile=certificate)
        answers = await ask(port, trusted), await ask(port, None)
        # A client that does nothing, not even answer the end of TLS, keeps it no longer than this.
        with await asyncio.to_thread(connect, port, trusted):
            server.should_exit = True
            await asyncio.wait_for(running, serve.SHUTDOWN_SECONDS + 5)
        return answers

    options = serve.ListenOptions("127.0.0.1", 0, tls_files=(certificate, key))
    with serve.listen(options) as (listener, url, public):
        assert url == public.url == f"https://127.0.0.1:{listener.getsockname()[1]}"
        secure, plain = asyncio.run(run(listener, public))
    assert secure.endswith(b"Hello")
    assert (plain, schemes) == (b"", ["https"])
    assert public.secure_cookies


def test_public_url_over_tls_makes_cookies_secure() -> None:
    public = serve.resolve_public_url("https://vote.example.org/", ("127.0.0.1", "10.0.0.0/8"), URL)
    assert public.url == "https://vote.example.org"
    assert public.secure_cookies
    web = public.settings()
    assert web.trusted_origins == ("https://vote.example.org",)
    assert web.proxies == ("127.0.0.1", "10.0.0.0/8")


@pytest.mark.parametrize(
    ("public", "url", "is_local"),
    [
        (None, URL, True),
        (None, "http://[::1]:80", True),
        ("http://notes.localhost:8000", URL, True),
        ("https://vote.example.org", URL, False),
        (None, "http://0.0.0.0:80", False),
        (None, "http://[::]:80", False),
        (None, "http://192.168.1.7:80", False),
        ("http://localhost", "http://0.0.0.0:80", False),
        ("http://127.0.0.1.example.org", URL, False),
    ],
)
def test_server_is_local_if_only_this_machine_can_reach_it(
    public: str | None, url: str, is_local: bool
) -> None:
    assert serve.resolve_public_url(public, (), url).is_local == is_local


@pytest.mark.parametrize(
    ("public", "proxies", "message"),
    [
        ("vote.example.org", (), "but got 'vote.example.org'"),
        ("https://vote.example.org/elections", (), "--public expects a URL"),
        ("https://ada@example.org", (), "--public expects a URL"),
        ("https://{token}", (), "--public expects a URL"),
        ("ftp://vote.example.org", (), "--public expects a URL"),
        ("https://[vote.example.org", (), "--public expects a URL"),
        # Browsers send another name for it.
        ("https://wählen.example", (), "Punycode"),
        (None, ("everybody",), "--proxy expects a network"),
        (None, ("10.0.0.1/8",), "--proxy expects a network"),
    ],
)
def test_invalid_public_url_or_proxy_is_rejected(
    public: str | None, proxies: tuple[str, ...], message: str
) -> None:
    with pytest.raises(serve.ListenError, match=message):
        serve.resolve_public_url(public, proxies, URL)


def test_server_on_all_addresses_has_the_url_that_others_can_open() -> None:
    with serve.listen(serve.ListenOptions("0.0.0.0", 0)) as (_, url, public):
        assert url.split(":")[1] == f"//{lan_address() or '0.0.0.0'}"
        assert (public.url, public.is_local) == (url, False)


@pytest.mark.parametrize(
    ("host", "url"), [("127.0.0.1", "http://127.0.0.1:80"), ("::1", "http://[::1]:80")]
)
def test_http_url_puts_ipv6_addresses_in_brackets(host: str, url: str) -> None:
    assert serve.http_url(host, 80) == url


# This network is reserved for documentation, so no machine has such an address.
def test_listening_on_a_foreign_address_is_rejected() -> None:
    with pytest.raises(serve.ListenError, match=r"Cannot listen on 203\.0\.113\.1 port 0: "):
        serve.open_listener(serve.ListenOptions("203.0.113.1", 0))


def test_new_folder_appears_once_it_is_complete(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "polls"
    with serve.new_folder(folder) as draft:
        (draft / "polls.db").touch()
        assert not folder.exists()
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == [
        "data",
        "data/polls",
        "data/polls/polls.db",
    ]


def test_interrupted_new_folder_leaves_nothing(tmp_path: Path) -> None:
    context = serve.new_folder(tmp_path / "polls")
    (context.__enter__() / "polls.db").touch()
    assert not context.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert list(tmp_path.iterdir()) == []


# A process that was killed could not remove its draft.
def test_new_folder_replaces_an_abandoned_draft(tmp_path: Path) -> None:
    abandoned = tmp_path / "polls.new"
    abandoned.mkdir()
    (abandoned / "half").touch()
    with serve.new_folder(tmp_path / "polls") as draft:
        assert draft == abandoned
        assert list(draft.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir()] == ["polls"]


def test_new_folder_reports_operating_system_errors(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(serve.FileError, match="Cannot use"),
        serve.new_folder(tmp_path / "file" / "polls"),
    ):
        pass
