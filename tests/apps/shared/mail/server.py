"""A mail server in a thread of this process, which takes letters or refuses them as it is told."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

WORDS = LoginPassword(b"vote", b"the password of the server")


@dataclass
class Post:
    """What the server has taken, and what it says to addresses and letters."""

    port: int = 0
    taken: list[tuple[str | None, list[str], bytes]] = field(
        default_factory=list[tuple[str | None, list[str], bytes]]
    )
    to_address: str = "250 OK"
    to_letter: str = "250 OK"

    async def handle_RCPT(  # noqa: N802, the server asks for it by this name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Whether letters to the address are taken."""
        if self.to_address.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.to_address

    async def handle_DATA(  # noqa: N802, as above
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Whether the letter is taken."""
        content = envelope.original_content or b""
        self.taken.append((envelope.mail_from, list(envelope.rcpt_tos), content))
        return self.to_letter


@contextmanager
def mail_server(
    *, certificate: ssl.SSLContext | None = None, login: bool = False
) -> Generator[Post]:
    """A server on a free port; with a certificate it offers STARTTLS, before any login."""
    post = Post()

    def serve() -> SMTP:
        return SMTP(
            post,
            hostname="localhost",
            enable_SMTPUTF8=True,
            tls_context=certificate,
            authenticator=_known,
            auth_required=login,
            loop=loop,
        )

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="mail server", daemon=True)
    thread.start()
    starting = asyncio.run_coroutine_threadsafe(loop.create_server(serve, "127.0.0.1", 0), loop)
    listening = starting.result()
    post.port = listening.sockets[0].getsockname()[1]
    try:
        yield post
    finally:
        asyncio.run_coroutine_threadsafe(_stop(listening), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _stop(listening: asyncio.Server) -> None:
    listening.close()
    rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


def _known(
    server: SMTP, session: Session, envelope: Envelope, how: str, words: object
) -> AuthResult:
    return AuthResult(success=words == WORDS, handled=False)
