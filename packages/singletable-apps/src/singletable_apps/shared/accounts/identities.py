"""Accounts connected to identities of an identity provider."""

from __future__ import annotations

from contextlib import suppress

from singletable import Attr, ConditionFailed, Entity, Key, Store, attr
from singletable_apps.shared.accounts.tokens import mac
from singletable_apps.shared.expiry import expiring
from singletable_apps.shared.sealed import derive_key
from singletable_apps.shared.web.oidc import Identity


class KnownIdentity(Entity, table=expiring, type_tag=("type", "IDENTITY")):
    """The account of an identity. It does not expire, and contains no name or address."""

    digest: Attr[str] = attr()
    subject: Attr[int] = attr()

    key = Key(pk=("IDENTITY", digest), sk="IDENTITY")


class ConnectedAccount(Entity, table=expiring, type_tag=("type", "CONNECTED_ACCOUNT")):
    """The identity of an account. It does not expire."""

    subject: Attr[int] = attr()
    digest: Attr[str] = attr()

    key = Key(pk=("CONNECTED_ACCOUNT", subject), sk="CONNECTED_ACCOUNT")


class Identities:
    """Connects accounts with identities: each account with one at most."""

    def __init__(self, store: Store, *, secret: bytes) -> None:
        self._store = store
        self._key = derive_key(secret, "identities")

    def find(self, identity: Identity) -> int | None:
        """Return the number of the account of an identity, or None."""
        found = self._store.get(KnownIdentity.key(self._digest(identity)), consistent=True)
        return None if found is None else found.subject

    def is_connected(self, subject: int) -> bool:
        """Return whether an account has an identity."""
        return self._store.get(ConnectedAccount.key(subject), consistent=True) is not None

    def connect(self, subject: int, identity: Identity) -> None:
        """Let an identity sign in to an account, instead of the one that could before."""
        disconnect(self._store, subject)
        digest = self._digest(identity)
        with self._store.transaction() as transaction:
            transaction.put(KnownIdentity(digest=digest, subject=subject))
            transaction.put(ConnectedAccount(subject=subject, digest=digest))

    def disconnect(self, subject: int) -> None:
        """Let no identity sign in to an account. It is ignored if none could."""
        disconnect(self._store, subject)

    def _digest(self, identity: Identity) -> str:
        return mac(self._key, identity.issuer, identity.subject)


def disconnect(store: Store, subject: int) -> None:
    """Delete the identity of an account, if it has one."""
    found = store.delete(ConnectedAccount.key(subject))
    if found is not None:
        with suppress(ConditionFailed):
            is_same = KnownIdentity.subject == subject
            store.delete(KnownIdentity.key(found.digest), if_=is_same)
