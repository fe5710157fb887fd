"""The guard: who asks, and whether they may."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from singletable.errors import OperationError
from singletable.operations import (
    AsyncDriver,
    CreateTable,
    DeleteTable,
    Operation,
    Scan,
    UpdateTable,
)
from singletable.server.guard.credential import Credential
from singletable.server.guard.credentials_file import read_credentials
from singletable.server.guard.decide import check_needs
from singletable.server.guard.facts import KeySchema
from singletable.server.guard.identity import Identity
from singletable.server.guard.needs import Need, Place, needs_of, partition_values
from singletable.server.guard.policy import PARTITION_KEYS
from singletable.server.guard.schemas import Keys, KeySchemas
from singletable.server.guard.signature import verify
from singletable.wire import HttpRequest


class Guard:
    """Lets in what is signed with a known credential, and is allowed by that credential's policy.

    Region and account are those of the tables: signatures must be for the region, and ARNs have
    both in them.
    """

    def __init__(
        self,
        credentials: Iterable[Credential],
        *,
        region: str = "us-east-1",
        account: str = "123456789012",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._credentials = {one.access_key_id: one for one in credentials}
        self._place = Place(region, account)
        self._clock = clock
        self._schemas = KeySchemas(clock)

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        *,
        region: str = "us-east-1",
        account: str = "123456789012",
        clock: Callable[[], float] = time.time,
    ) -> Guard:
        """The guard that knows the credentials in a file; CredentialsError if it cannot be used."""
        credentials = read_credentials(Path(path), Place(region, account))
        return cls(credentials, region=region, account=account, clock=clock)

    @property
    def identities(self) -> tuple[Identity, ...]:
        """Everybody who may be admitted."""
        return tuple(map(self._identity, self._credentials.values()))

    def authenticate(self, request: HttpRequest) -> Identity:
        """Who asks; an OperationError in DynamoDB's words if the signature does not prove it.

        The request's target must be as it was sent: encoded, and with its query string.
        """
        now = self._clock()
        return self._identity(
            verify(request, self._credentials, region=self._place.region, now=now)
        )

    async def authorize(
        self, identity: Identity, operation: Operation[object], driver: AsyncDriver
    ) -> None:
        """Raise AccessDenied unless the identity's policy allows the operation.

        A policy about partition keys needs to know which attribute that is: the driver is asked.
        """
        if isinstance(operation, CreateTable | UpdateTable | DeleteTable) and operation.table_name:
            self._schemas.forget(self._place.name(operation.table_name))
        if identity.policy is None:
            return
        needs = needs_of(operation, self._place)
        tables = [need.table for need in needs if _has_partitions(need) and need.table is not None]
        if not tables or not identity.policy.tests(tuple(PARTITION_KEYS)):
            check_needs(identity, needs, _schema_of({}))
            return
        remembered = self._schemas.remembered(tables)
        if remembered is not None and _surely_allowed(identity, needs, _schema_of(remembered)):
            return
        check_needs(identity, needs, _schema_of(await self._schemas.ask(tables, driver)))

    def _identity(self, credential: Credential) -> Identity:
        return Identity(
            credential.name,
            credential.access_key_id,
            self._place.account,
            credential.policy,
            credential.context,
        )


def _has_partitions(need: Need) -> bool:
    return need.part is not None and not isinstance(need.part, Scan)


def _surely_allowed(identity: Identity, needs: Iterable[Need], key_schema: KeySchema) -> bool:
    """Whether all is allowed, and every request has the key that its table is said to have."""
    try:
        check_needs(identity, needs, key_schema)
        return all(_fits(need, key_schema) for need in needs)
    except OperationError:
        return False


def _fits(need: Need, key_schema: KeySchema) -> bool:
    if need.part is None or need.table is None or isinstance(need.part, Scan):
        return True
    attributes = key_schema(need.table, need.index) or ()
    return all(partition_values(need.part, attribute) for attribute in attributes)


def _schema_of(tables: Mapping[str, Keys | None]) -> KeySchema:
    def key_schema(table: str, index: str | None) -> tuple[str, ...] | None:
        keys = tables.get(table)
        if keys is None:
            return None
        return keys.table if index is None else keys.indexes.get(index)

    return key_schema
