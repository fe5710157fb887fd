"""An OpenID Connect provider in a thread, which signs in whomever a test names."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

CLIENT, SECRET = "tea client", "the secret: 100%"


@dataclass
class IdentityProvider:
    """The provider. `changes` replace claims of the next ID tokens, or remove them with None."""

    url: str
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    codes: dict[str, tuple[dict[str, str], dict[str, Any]]] = field(default_factory=dict[str, Any])
    changes: dict[str, Any] = field(default_factory=dict[str, Any])
    signs_with: ec.EllipticCurvePrivateKey | None = None
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])

    def sign_in(self, url: str, **claims: Any) -> dict[str, str]:
        """Sign in at `url`, and return the query with which the browser comes back."""
        assert url.startswith(f"{self.url}/authorize?")
        asked = dict(parse_qsl(urlsplit(url).query))
        assert (asked["client_id"], asked["response_type"]) == (CLIENT, "code")
        self.codes[code := f"code {len(self.codes)}"] = (asked, claims)
        return {"code": code, "state": asked["state"]}

    def describe(self) -> dict[str, Any]:
        """Return what the provider says about itself."""
        paths = ("authorization_endpoint", "authorize"), ("token_endpoint", "token")
        places = {name: f"{self.url}/{path}" for name, path in (*paths, ("jwks_uri", "keys"))}
        return {"issuer": self.url, **places, **self.metadata}

    def public_keys(self) -> dict[str, Any]:
        """Return the public key."""
        algorithm = jwt.algorithms.ECAlgorithm(jwt.algorithms.ECAlgorithm.SHA256)
        key = algorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**key, "kid": "one", "use": "sig", "alg": "ES256"}]}

    def exchange(self, body: dict[str, str]) -> dict[str, Any] | None:
        """Return an ID token for a code, which works once, or None."""
        asked, claims = self.codes.pop(body.get("code", ""), ({}, {}))
        digest = hashlib.sha256(body.get("code_verifier", "").encode()).digest()
        challenge = urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (
            asked.get("code_challenge") != challenge
            or asked["redirect_uri"] != body["redirect_uri"]
        ):
            return None
        now = int(time.time())
        values = {
            "iss": self.url,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 60,
            "nonce": asked["nonce"],
            **claims,
            **self.changes,
        }
        sent = {name: value for name, value in values.items() if value is not None}
        key = self.signs_with or self.key
        return {"id_token": jwt.encode(sent, key, "ES256", headers={"kid": "one"})}


@contextmanager
def identity_provider() -> Generator[IdentityProvider]:
    """Run a provider on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = provider.public_keys() if self.path == "/keys" else provider.describe()
            self._answer(200, found)

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            body = {name: values[0] for name, values in parse_qs(text).items()}
            found = provider.exchange(body)
            self._answer(200 if found else 400, found or {"error": "invalid_grant"})

        def _answer(self, status: int, found: dict[str, Any]) -> None:
            content = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider = IdentityProvider(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
