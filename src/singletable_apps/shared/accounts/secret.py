"""One secret of an app, and the keys that are made of it: a key for each purpose."""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64encode

SHORTEST = 32


def derived(secret: bytes, purpose: str) -> bytes:
    """The key for one purpose; what is made with it is worth nothing for another."""
    if len(secret) < SHORTEST:
        raise ValueError(
            f"A secret has at least {SHORTEST} bytes, and this one has {len(secret)}. Make one "
            "with secrets.token_bytes(32), and keep it outside of the tables."
        )
    return hmac.digest(secret, purpose.encode(), hashlib.sha256)


def mac(key: bytes, *parts: str) -> str:
    """What only a holder of the key can say of these parts: 43 letters of an address."""
    # Each part with its length, or ("a", "bc") would be the same as ("ab", "c"). A text may hold
    # half of a surrogate pair: it comes from outside, and need not be fit for UTF-8.
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    message = b"".join(len(part).to_bytes(4) + part for part in encoded)
    digest = hmac.digest(key, message, hashlib.sha256)
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
