"""A real SMTP server in a thread, and a certificate for it."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LOGIN = LoginPassword(b"vote", b"the password of the server")


@dataclass
class MailServer:
    """What the server received, and how it answers addresses and messages."""

    port: int = 0
    received: list[tuple[str | None, list[str], bytes]] = field(
        default_factory=list[tuple[str | None, list[str], bytes]]
    )
    address_reply: str = "250 OK"
    message_reply: str = "250 OK"

    async def handle_RCPT(  # noqa: N802, aiosmtpd calls it by this name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Answer an address."""
        if self.address_reply.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.address_reply

    async def handle_DATA(  # noqa: N802, as above
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Answer a message."""
        content = envelope.original_content or b""
        self.received.append((envelope.mail_from, list(envelope.rcpt_tos), content))
        return self.message_reply


@contextmanager
def mail_server(*, tls: ssl.SSLContext | None = None, login: bool = False) -> Generator[MailServer]:
    """Run a server on a free port. With `tls` it offers STARTTLS and requires it before login."""
    mail = MailServer()

    def serve() -> SMTP:
        return SMTP(
            mail,
            hostname="localhost",
            enable_SMTPUTF8=True,
            tls_context=tls,
            authenticator=_authenticate,
            auth_required=login,
            loop=loop,
        )

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="mail server", daemon=True)
    thread.start()
    starting = asyncio.run_coroutine_threadsafe(loop.create_server(serve, "127.0.0.1", 0), loop)
    listening = starting.result()
    mail.port = listening.sockets[0].getsockname()[1]
    try:
        yield mail
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


def _authenticate(
    server: SMTP, session: Session, envelope: Envelope, mechanism: str, login: object
) -> AuthResult:
    return AuthResult(success=login == LOGIN, handled=False)


def make_certificate(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return TLS contexts for a server on this machine and for a client that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = certificate.public_bytes(serialization.Encoding.PEM)
    path.write_bytes(private + public)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(path)
    return server, ssl.create_default_context(cadata=public.decode())
