"""Encrypted fields: AES-256-GCM, with keys of your own, stored as binary (B).

The key of an item is authenticated too, and a codec does not know it. So `encode` returns a value
that is not encrypted yet, `Unsealed`, which no driver can send. The entity's model encrypts it when
the item's key is known, and decrypts it before `decode`: see `schema/item_encryption.py`.

The stored bytes are a version (1), the length of the key id and the key id, a random nonce of 96
bits, and the ciphertext with its tag.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

from msgspec import json

from dynamodb_engine.values import AttributeValue, Item, check_value
from singletable.errors import DeclarationError, DecryptionFailed, InvalidValue, ItemMismatch
from singletable.schema.codec.codec import Codec
from singletable.schema.codec.compression import opaque_codec
from singletable.schema.codec.field_codec import FieldCodec, TypeReader

VERSION = 1
KEY_BYTES = 32
NONCE_BYTES = 12
MAX_KEY_ID_BYTES = 255


@dataclass(frozen=True, slots=True, repr=False)
class Unsealed:
    """An attribute value that is encrypted before it is sent, or was decrypted after it was read.

    It is not a string, so a request that contains it cannot be sent.
    """

    value: AttributeValue

    def __repr__(self) -> str:
        return "<encrypted>"


class Encrypted(FieldCodec[Any]):
    """Store the field encrypted with AES-256-GCM. Needs the extra `encryption`.

    `key` returns the 32 bytes of the key with an id; it raises LookupError for an unknown id.
    `key_id` is the id of the key for new values, or a function that returns it: to rotate keys,
    change it, and keep returning the old keys. A key is requested once and kept in memory.

    A stored value is bound to its attribute and to the primary key of its item, and to `context`:
    it cannot be decrypted if it is copied to another item or attribute.
    """

    def __init__(
        self,
        *,
        key: Callable[[str], bytes],
        key_id: str | Callable[[], str],
        context: str = "",
    ) -> None:
        if not callable(key):
            raise DeclarationError(
                "Encrypted(key=…): expected a function that takes a key id and returns 32 bytes. "
                "A key itself does not belong into a declaration."
            )
        self._key = key
        self._key_id = key_id
        self._context = context
        self._ciphers: dict[str, Any] = {}

    def build(self, annotation: object, reader: TypeReader) -> Codec:
        """Return a codec that encrypts the stored form of the type."""
        inner = reader.codec_of(annotation)
        codec = opaque_codec(_secretive(inner), "encrypted", Unsealed, _unsealed)
        return replace(codec, cipher=self)

    def seal(self, value: AttributeValue, attribute: str, key: Item) -> AttributeValue:
        """Return the attribute with the encrypted value, for the item with this key."""
        key_id = self._key_id if isinstance(self._key_id, str) else self._key_id()
        name = key_id.encode()
        if not 0 < len(name) <= MAX_KEY_ID_BYTES:
            raise DeclarationError(
                f"Encrypted(key_id={key_id!r}): expected a key id of 1 to {MAX_KEY_ID_BYTES} bytes."
            )
        header = bytes([VERSION, len(name)]) + name
        nonce = os.urandom(NONCE_BYTES)
        bound = self._associated_data(header, attribute, key)
        sealed = self._cipher(key_id).encrypt(nonce, json.encode(value), bound)
        return {"B": b64encode(header + nonce + sealed).decode()}

    def open(self, content: str, attribute: str, key: Item, path: str) -> AttributeValue:
        """Return the value that is encrypted; raise DecryptionFailed if it cannot be read."""
        data = b64decode(content)
        end = 2 + data[1] if len(data) > 2 else 0
        if len(data) < end + NONCE_BYTES or not end or data[0] != VERSION:
            raise DecryptionFailed(
                "expected a value that Encrypted() wrote, but the item has other binary.", path
            )
        header, nonce, sealed = data[:end], data[end : end + NONCE_BYTES], data[end + NONCE_BYTES :]
        key_id = header[2:].decode(errors="replace")
        bound = self._associated_data(header, attribute, key)
        try:
            cipher = self._cipher(key_id)
        except LookupError as error:
            raise DecryptionFailed(
                f"the value is encrypted with key {key_id!r}, which key=… does not know. Keep old "
                "keys until all items are written again.",
                path,
            ) from error
        from cryptography.exceptions import InvalidTag

        try:
            return cast(AttributeValue, json.decode(cipher.decrypt(nonce, sealed, bound)))
        except InvalidTag:
            raise DecryptionFailed(
                f"the value cannot be decrypted with key {key_id!r}. The key is not the one it was "
                "written with, or the value was altered, or copied from another item or attribute.",
                path,
            ) from None

    def _cipher(self, key_id: str) -> Any:
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            cipher = self._ciphers[key_id] = _aes_gcm(self._key(key_id), key_id)
        return cipher

    def _associated_data(self, header: bytes, attribute: str, key: Item) -> bytes:
        # A number in a key may be written in several ways: 100, 1E2.
        bound = [[name, check_value(key[name])[0]] for name in sorted(key)]
        return header + json.encode([self._context, attribute, bound])

    def __repr__(self) -> str:
        return "Encrypted(…)"


def _aes_gcm(key: object, key_id: str) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        raise DeclarationError(
            "Encrypted() needs the package cryptography. Install singletable[encryption]."
        ) from None
    if not isinstance(key, bytes | bytearray) or len(key) != KEY_BYTES:
        came = f"{len(key)} bytes" if isinstance(key, bytes | bytearray) else type(key).__name__
        raise DeclarationError(
            f"Encrypted(key=…) must return {KEY_BYTES} bytes, but for {key_id!r} it returned "
            f"{came}."
        )
    return AESGCM(bytes(key))


def _secretive(inner: Codec) -> Codec:
    """Return the codec with errors that do not show the value."""

    def encode(value: object) -> AttributeValue:
        try:
            return inner.encode(value)
        except InvalidValue:
            raise InvalidValue(
                f"expected {inner.expects}, but got a {type(value).__name__} that does not fit. "
                "The value is not shown, because the field is encrypted."
            ) from None

    def decode(value: AttributeValue) -> object:
        try:
            return inner.decode(value)
        except ItemMismatch:
            raise ItemMismatch(
                f"expected {inner.expects}, but the encrypted value is something else, which is "
                "not shown. Declare the field with the type that was encrypted."
            ) from None

    return replace(inner, encode=encode, decode=decode)


def _unsealed(content: object) -> AttributeValue:
    if not isinstance(content, Unsealed):
        raise ItemMismatch("the value is encrypted, and can only be read together with its item.")
    return content.value
