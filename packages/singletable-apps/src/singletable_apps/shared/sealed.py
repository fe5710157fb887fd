"""Values sealed with a secret, so that a browser can hold them but not change them."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Hashable
from datetime import timedelta
from functools import cache
from typing import Any, Generic, TypeVar, cast

from itsdangerous import BadData, SignatureExpired, TimestampSigner, URLSafeTimedSerializer
from pydantic import TypeAdapter, ValidationError

from singletable_apps.shared.errors import AppError

MIN_SECRET_BYTES = 32
T = TypeVar("T")
_adapter = cache(TypeAdapter[Any])


class InvalidSeal(AppError):
    """The text was changed, sealed for another purpose, or has expired."""


def derive_key(secret: bytes, purpose: str) -> bytes:
    """Return the key for one purpose. Keys of different purposes are independent."""
    if len(secret) < MIN_SECRET_BYTES:
        raise ValueError(
            f"Expected a secret of at least {MIN_SECRET_BYTES} bytes, but got {len(secret)}. Make "
            "one with secrets.token_bytes(32), and store it outside of the tables."
        )
    return hmac.digest(secret, purpose.encode(), hashlib.sha256)


class _Signer(TimestampSigner):
    """Sign with HMAC-SHA256 (the default is SHA-1)."""

    default_digest_method = staticmethod(hashlib.sha256)


class Sealer(Generic[T]):
    """Seals values of one type for one purpose. They are readable, but cannot be changed.

    What is sealed for another purpose, or has another type, cannot be opened. `context` binds a
    value to where it is used: opening needs the same context as sealing.
    """

    def __init__(self, secret: bytes, schema: type[T], purpose: str) -> None:
        key = derive_key(secret, f"sealed {purpose}")
        self._adapter: TypeAdapter[T] = _adapter(cast(Hashable, schema))
        self._serializer = URLSafeTimedSerializer(key, salt=purpose, signer=_Signer)

    def seal(self, value: T, *, context: str = "") -> str:
        """Return `value` as text that is safe in URLs and cookies."""
        plain = self._adapter.dump_python(value, mode="json")
        return self._serializer.dumps([plain, _digest(context)])

    def open(self, text: str, *, context: str = "", max_age: timedelta | None = None) -> T:
        """Return the sealed value. Raise InvalidSeal unless it is unchanged and young enough."""
        seconds = None if max_age is None else int(max_age.total_seconds())
        try:
            plain, bound_to = self._serializer.loads(text, max_age=seconds)
        except SignatureExpired:
            raise InvalidSeal("It has expired.") from None
        except (BadData, ValueError):
            raise InvalidSeal("It was not issued by this service.") from None
        if not hmac.compare_digest(bound_to, _digest(context)):
            raise InvalidSeal("It was issued for something else.")
        try:
            return self._adapter.validate_json(json.dumps(plain), strict=True)
        except ValidationError:
            raise InvalidSeal("It was issued by another version of this service.") from None


def _digest(context: str) -> str:
    return hashlib.sha256(context.encode("utf-8", "surrogatepass")).hexdigest()[:16]
