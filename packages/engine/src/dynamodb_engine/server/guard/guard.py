"""Authenticate requests by their signatures, and authorize operations by policies."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from dynamodb_engine import operations as ops
from dynamodb_engine.errors import AccessDenied, OperationError, ResourceNotFound
from dynamodb_engine.operations.arn import TableArns
from dynamodb_engine.operations.partition_keys import partition_values
from dynamodb_engine.server.guard.condition_keys import PartitionKeyLookup, RequestConditionValues
from dynamodb_engine.server.guard.credentials import Credential, Identity, read_credentials
from dynamodb_engine.server.guard.permissions import RequiredPermission, required_permissions
from dynamodb_engine.server.guard.policy import PARTITION_KEYS, PolicyDecision
from dynamodb_engine.server.guard.rate_limits import UNLIMITED, RateLimiter
from dynamodb_engine.server.guard.signature import verify_signature
from dynamodb_engine.wire import HttpRequest

# Another process may recreate a table with another key. So partition keys are cached for a short
# time only, and a request is never rejected because of the cache: the table is described again.
CACHE_SECONDS = 1.0

# The partition key attributes of a table, under None, and of its indexes by name.
_PartitionKeys: TypeAlias = dict[str | None, tuple[str, ...]]


@runtime_checkable
class _UncountedTables(Protocol):
    """A driver that describes a table without counting its items, which can take long."""

    async def describe_uncounted(self, table_name: str) -> ops.TableDescription: ...


class Guard:
    """Accepts requests that are signed with a known credential and allowed by its policy.

    Region and account are those of the tables: signatures must be for the region, and ARNs contain
    both.
    """

    def __init__(
        self,
        credentials: Iterable[Credential],
        *,
        region: str = "us-east-1",
        account: str = "123456789012",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._credentials = {credential.access_key_id: credential for credential in credentials}
        self._arns = TableArns(region, account)
        self._clock = clock
        self._partition_keys = _PartitionKeyCache(clock)
        self._limiters = {
            key: RateLimiter(credential.rate_limits, clock)
            for key, credential in self._credentials.items()
            if credential.rate_limits != UNLIMITED
        }

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        *,
        region: str = "us-east-1",
        account: str = "123456789012",
        clock: Callable[[], float] = time.time,
    ) -> Guard:
        """Return a guard with the credentials of a file, or raise CredentialsError."""
        credentials = read_credentials(Path(path), region=region, account=account)
        return cls(credentials, region=region, account=account, clock=clock)

    @property
    def identities(self) -> tuple[Identity, ...]:
        """The owners of all credentials."""
        return tuple(map(self._identity, self._credentials.values()))

    def authenticate(self, request: HttpRequest) -> Identity:
        """Return the signer of the request, or raise an OperationError with DynamoDB's message.

        The request's target must be as it was sent: encoded, and with its query string.
        """
        now = self._clock()
        return self._identity(
            verify_signature(request, self._credentials, region=self._arns.region, now=now)
        )

    async def authorize(
        self, identity: Identity, operation: ops.Operation[object], driver: ops.AsyncDriver
    ) -> None:
        """Raise AccessDenied unless the policy allows the operation, Throttled if over the limits.

        For a policy about partition keys, the driver describes the table to find its key, without
        counting items if it can.
        """
        limiter = self._limiters.get(identity.access_key_id)
        if limiter is not None:
            limiter.check(operation)
        if (
            isinstance(operation, ops.CreateTable | ops.UpdateTable | ops.DeleteTable)
            and operation.table_name
        ):
            action = f"dynamodb:{type(operation).__name__}"
            self._partition_keys.forget(self._arns.resolve(operation.table_name, action))
        if identity.policy is None:
            return
        permissions = required_permissions(operation, self._arns)
        keyed = dict.fromkeys(permission.keyed_table for permission in permissions)
        tables = [table for table in keyed if table is not None]
        if not tables or not identity.policy.uses_condition_keys(tuple(PARTITION_KEYS)):
            check_permissions(identity, permissions, _lookup({}))
            return
        cached = self._partition_keys.cached(tables)
        if cached is not None and _is_surely_allowed(identity, permissions, _lookup(cached)):
            return
        current = await self._partition_keys.describe(tables, driver)
        check_permissions(identity, permissions, _lookup(current))

    def unit_limiter(self, identity: Identity) -> RateLimiter | None:
        """Return the limiter to charge with consumed units, or None if they are unlimited."""
        limiter = self._limiters.get(identity.access_key_id)
        return limiter if limiter is not None and limiter.limits_units else None

    def _identity(self, credential: Credential) -> Identity:
        return Identity(
            credential.name,
            credential.access_key_id,
            self._arns.account,
            credential.policy,
            credential.context,
        )


def check_permissions(
    identity: Identity, permissions: Iterable[RequiredPermission], partition_key: PartitionKeyLookup
) -> None:
    """Raise AccessDenied for the first permission that the identity's policy does not allow."""
    if identity.policy is None:
        return
    for permission in permissions:
        values = RequestConditionValues(permission, identity.context, partition_key)
        decision = identity.policy.decide(
            permission.action, permission.resource, values, all_tables=permission.all_tables
        )
        if decision is not PolicyDecision.ALLOWED:
            raise AccessDenied(_denial(identity, permission, decision))


def _denial(identity: Identity, permission: RequiredPermission, decision: PolicyDecision) -> str:
    reason = (
        "with an explicit deny in an identity-based policy"
        if decision is PolicyDecision.EXPLICITLY_DENIED
        else f"because no identity-based policy allows the {permission.action} action"
    )
    return (
        f"User: {identity.arn} is not authorized to perform: {permission.action} "
        f"on resource: {permission.resource} {reason}"
    )


def _is_surely_allowed(
    identity: Identity, permissions: Iterable[RequiredPermission], partition_key: PartitionKeyLookup
) -> bool:
    """Return whether all is allowed, and every request has the cached key of its table."""
    try:
        check_permissions(identity, permissions, partition_key)
        return all(_has_partition_key(permission, partition_key) for permission in permissions)
    except OperationError:
        return False


def _has_partition_key(permission: RequiredPermission, partition_key: PartitionKeyLookup) -> bool:
    request, table = permission.request, permission.keyed_table
    if request is None or table is None:
        return True
    attributes = partition_key(table, permission.index) or ()
    return all(partition_values(request, attribute) for attribute in attributes)


class _PartitionKeyCache:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._entries: dict[str, tuple[float, _PartitionKeys]] = {}

    def forget(self, table: str) -> None:
        """Remove a table that is being changed."""
        self._entries.pop(table, None)

    def cached(self, tables: Iterable[str]) -> dict[str, _PartitionKeys] | None:
        """Return the keys of all tables, or None if one is not in the cache or outdated."""
        now = self._clock()
        keys: dict[str, _PartitionKeys] = {}
        for table in tables:
            described_at, entry = self._entries.get(table, (now - CACHE_SECONDS, None))
            if entry is None or not 0 <= now - described_at < CACHE_SECONDS:
                return None
            keys[table] = entry
        return keys

    async def describe(
        self, tables: Iterable[str], driver: ops.AsyncDriver
    ) -> dict[str, _PartitionKeys]:
        """Return the current keys of the tables that exist."""
        keys: dict[str, _PartitionKeys] = {}
        for table in tables:
            now = self._clock()
            with suppress(ResourceNotFound):
                keys[table] = _keys_of(await _describe(table, driver))
                self._entries[table] = (now, keys[table])
        return keys


async def _describe(table: str, driver: ops.AsyncDriver) -> ops.TableDescription:
    if isinstance(driver, _UncountedTables):
        return await driver.describe_uncounted(table)
    return (await driver.execute(ops.DescribeTable(table))).table


def _keys_of(table: ops.TableDescription) -> _PartitionKeys:
    indexes = (*(table.local_secondary_indexes or ()), *(table.global_secondary_indexes or ()))
    keys: _PartitionKeys = {None: _hash_attributes(table.key_schema)}
    return keys | {index.index_name: _hash_attributes(index.key_schema) for index in indexes}


def _hash_attributes(schema: Iterable[ops.KeySchemaElement]) -> tuple[str, ...]:
    return tuple(element.attribute_name for element in schema if element.key_type == "HASH")


def _lookup(tables: Mapping[str, _PartitionKeys]) -> PartitionKeyLookup:
    return lambda table, index: tables.get(table, {}).get(index)
