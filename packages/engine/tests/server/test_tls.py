"""The endpoint serves HTTPS with a certificate, and explains invalid ones."""

from __future__ import annotations

import asyncio
import socket
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID

from dynamodb_engine.errors import AddressError
from dynamodb_engine.server import Limits, Listener, load_tls
from tests.server.process import Endpoint
from tests.server.test_connection import Echo
from tools.testing.app_client import BALLOT, VOTES
from tools.testing.app_client import KEY as VOTE_KEY

KEY = ec.generate_private_key(ec.SECP256R1())


def pem(key: ec.EllipticCurvePrivateKey, encryption: KeySerializationEncryption) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Return a self-signed certificate for 127.0.0.1, and its key."""
    now = datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    alternatives = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(KEY.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(alternatives, critical=False)
        .sign(KEY, hashes.SHA256())
    )
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    cert.write_bytes(certificate.public_bytes(Encoding.PEM))
    key.write_bytes(pem(KEY, NoEncryption()))
    return cert, key


def test_boto3_uses_the_endpoint_over_tls(files: tuple[Path, Path]) -> None:
    import boto3

    cert, key = files
    running = Endpoint("--tls-cert", str(cert), "--tls-key", str(key))
    try:
        assert running.url.startswith("https://127.0.0.1:")
        new_client: Any = boto3.client
        client = new_client(
            "dynamodb",
            endpoint_url=running.url,
            region_name="us-east-1",
            aws_access_key_id="any",
            aws_secret_access_key="any",
            verify=str(cert),
        )
        client.create_table(**VOTES)
        client.put_item(TableName="votes", Item=BALLOT)
        assert client.get_item(TableName="votes", Key=VOTE_KEY)["Item"] == BALLOT
        # A client that is rejected while it is sending gets its status over TLS too.
        context = ssl.create_default_context(cafile=str(cert))
        with (
            socket.create_connection((running.host, running.port), timeout=10) as plain,
            context.wrap_socket(plain, server_hostname="127.0.0.1") as secure,
        ):
            secure.sendall(b"POST / HTTP/1.1\r\nx: " + b"x" * 200_000)
            assert secure.recv(100).startswith(b"HTTP/1.1 431 ")
        client.close()
    finally:
        code, _, errors = running.stop()
    assert (code, errors) == (0, "")


def test_old_versions_of_tls_are_rejected(files: tuple[Path, Path]) -> None:
    assert load_tls(*files).minimum_version == ssl.TLSVersion.TLSv1_2


def test_invalid_files_are_explained(files: tuple[Path, Path], tmp_path: Path) -> None:
    cert, key = files
    other, secret, missing = (tmp_path / name for name in ("other", "secret", "missing"))
    other.write_bytes(pem(ec.generate_private_key(ec.SECP256R1()), NoEncryption()))
    secret.write_bytes(pem(KEY, BestAvailableEncryption(b"password")))
    for certificate, private_key, message in (
        (cert, other, "other is not the key of the certificate in .*cert.pem"),
        (cert, secret, "secret is encrypted"),
        (missing, key, "missing for TLS: No such file"),
        (cert, tmp_path, "for TLS: Is a directory"),
        (key, cert, "expected a certificate in .*key.pem and its key in .*cert.pem"),
    ):
        with pytest.raises(AddressError, match=message):
            load_tls(certificate, private_key)


# A handshake takes 256 KB, and nobody has signed anything yet.
def test_handshakes_count_as_connections(files: tuple[Path, Path]) -> None:
    cert, _ = files

    def secure_status(address: tuple[str, int]) -> bytes:
        context = ssl.create_default_context(cafile=str(cert))
        with (
            socket.create_connection(address, timeout=10) as plain,
            context.wrap_socket(plain, server_hostname="127.0.0.1") as secure,
        ):
            secure.sendall(b"GET / HTTP/1.1\r\n\r\n")
            return secure.recv(15)

    async def run() -> None:
        listener = Listener(Echo(), Limits(max_connections=3))
        address = await listener.start("127.0.0.1", 0, load_tls(*files))
        silent = [socket.create_connection(address) for _ in range(3)]
        # The fourth is closed at once: reading returns without waiting for the others.
        with socket.create_connection(address, timeout=10) as fourth:
            assert await asyncio.to_thread(fourth.recv, 1) == b""
        for each in silent:
            each.close()
        while listener.handshakes:
            await asyncio.sleep(0.01)
        assert await asyncio.to_thread(secure_status, address) == b"HTTP/1.1 200 OK"
        await listener.stop()

    asyncio.run(run())
