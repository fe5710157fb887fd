"""Compare a table with its declaration and settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from dynamodb_engine import operations as ops
from singletable.schema import Table, create_operation
from singletable.tables.creation import DescribedTable
from singletable.tables.settings import (
    NO_SETTINGS,
    AwsManagedKey,
    AwsOwnedKey,
    CustomerKey,
    Encryption,
    TableSettings,
)

_TYPES = {"S": "string", "N": "number", "B": "binary"}
_BILLING_MODES = {"PROVISIONED": "provisioned", "PAY_PER_REQUEST": "on-demand"}
_AWS_OWNED_KEY = "an AWS owned key"
_LOCAL_INDEX_ADVICE = (
    "Local indexes can only be created with their table. A global index can be added at any time."
)
_CAPACITY_ADVICE = "UpdateTable changes it. Ignore this if auto scaling is on."


class ChangeKind(Enum):
    """How DynamoDB can bring a table in line with its declaration."""

    IN_PLACE = "can be changed in place"
    ONE_INDEX_AT_A_TIME = "can be changed in place, one index at a time"
    NEW_INDEX = "requires a new index"
    NEW_TABLE = "requires a new table and a copy of the items"


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: what is declared, what exists, and what to do about it."""

    table: str
    subject: str
    declared: str
    actual: str
    change: ChangeKind
    advice: str

    def __str__(self) -> str:
        return (
            f"{self.subject}: declared {self.declared}, but found {self.actual}. "
            f"This {self.change.value}. {self.advice}"
        )


def compare_table(
    declared: Table, described: DescribedTable, settings: TableSettings = NO_SETTINGS
) -> list[Difference]:
    """Return the differences, the most serious first; empty if the table is as declared."""
    table = described.table
    create = create_operation(declared, table.table_name)
    return [
        *_compare_keys(create, table),
        *_compare_indexes(create, table),
        *_compare_billing(create, table),
        *_compare_ttl(declared, described),
        *_compare_settings(settings, described),
    ]


def find_unverifiable(
    described: DescribedTable, settings: TableSettings = NO_SETTINGS
) -> list[str]:
    """Return a sentence for each setting that this address cannot report."""
    notes: list[str] = []
    if settings.recovery_days is not None and described.recovery_days is None:
        notes.append(
            "point-in-time recovery: unknown, because this address does not support backups of "
            "the table."
        )
    wanted = settings.encryption
    if wanted is not None and _has_other_key(wanted, described.kms_key) is None:
        notes.append(
            f"encryption: the key is {described.kms_key}. Only KMS can tell whether that is "
            f"{_describe_encryption(wanted)}."
        )
    return notes


def _compare_keys(create: ops.CreateTable, table: ops.TableDescription) -> Iterator[Difference]:
    declared = _describe_key(create.key_schema, create.attribute_definitions)
    actual = _describe_key(table.key_schema, table.attribute_definitions)
    if declared != actual:
        yield Difference(
            table.table_name,
            "key",
            declared,
            actual,
            ChangeKind.NEW_TABLE,
            "Check that this is the right table. If so, create one under another name and copy the "
            "items.",
        )


def _compare_billing(create: ops.CreateTable, table: ops.TableDescription) -> Iterator[Difference]:
    summary = table.billing_mode_summary
    # DynamoDB omits the summary for tables that were never on demand.
    actual = "PROVISIONED" if summary is None else summary.billing_mode
    declared = create.billing_mode or "PROVISIONED"
    if declared != actual:
        yield Difference(
            table.table_name,
            "billing",
            _BILLING_MODES[declared],
            _BILLING_MODES[actual],
            ChangeKind.IN_PLACE,
            "UpdateTable changes it, to on-demand up to four times a day.",
        )
    elif (units := _units(create.provisioned_throughput)) is not None:
        actual_units = _units(table.provisioned_throughput)
        yield from _compare_capacity(table.table_name, "capacity", units, actual_units)


def _compare_capacity(
    table: str, subject: str, declared: tuple[int, int], actual: tuple[int, int] | None
) -> Iterator[Difference]:
    if actual is not None and declared != actual:
        text = "{} read and {} write units"
        wanted, found = text.format(*declared), text.format(*actual)
        yield Difference(table, subject, wanted, found, ChangeKind.IN_PLACE, _CAPACITY_ADVICE)


def _compare_ttl(declared: Table, described: DescribedTable) -> Iterator[Difference]:
    if declared.ttl == described.ttl:
        return
    advice = "UpdateTimeToLive turns it on."
    if declared.ttl is None:
        advice = "Declare it (ttl=…), or turn it off with UpdateTimeToLive."
    elif described.ttl is not None:
        advice = "Turn it off with UpdateTimeToLive, wait an hour, then turn the new one on."
    yield Difference(
        described.table.table_name,
        "time to live",
        "none" if declared.ttl is None else repr(declared.ttl),
        "none" if described.ttl is None else repr(described.ttl),
        ChangeKind.IN_PLACE,
        advice,
    )


# Indexes


@dataclass(frozen=True, slots=True)
class _Index:
    local: bool
    key: str
    projection: str
    units: tuple[int, int] | None = None

    @property
    def kind(self) -> str:
        return "local index" if self.local else "global index"


def _indexes(table: ops.CreateTable | ops.TableDescription) -> dict[str, _Index]:
    types = table.attribute_definitions
    indexes: dict[str, _Index] = {}
    for index in table.global_secondary_indexes or ():
        key = _describe_key(index.key_schema, types)
        projection = _describe_projection(index.projection)
        units = _units(index.provisioned_throughput)
        indexes[index.index_name] = _Index(False, key, projection, units)
    for local in table.local_secondary_indexes or ():
        key = _describe_key(local.key_schema, types)
        indexes[local.index_name] = _Index(True, key, _describe_projection(local.projection))
    return indexes


def _compare_indexes(create: ops.CreateTable, table: ops.TableDescription) -> Iterator[Difference]:
    declared, actual = _indexes(create), _indexes(table)
    for name, index in declared.items():
        if name not in actual:
            yield _missing_index(table.table_name, name, index)
    for name, index in actual.items():
        if name not in declared:
            yield _undeclared_index(table.table_name, name, index)
    for name, index in declared.items():
        if name in actual:
            yield from _compare_index(table.table_name, name, index, actual[name])


def _missing_index(table: str, name: str, index: _Index) -> Difference:
    change, advice = ChangeKind.NEW_TABLE, _LOCAL_INDEX_ADVICE
    if not index.local:
        change = ChangeKind.ONE_INDEX_AT_A_TIME
        advice = "UpdateTable adds and backfills it. Wait for that before you add the next one."
    return Difference(table, f"{index.kind} {name!r}", index.key, "no such index", change, advice)


def _undeclared_index(table: str, name: str, index: _Index) -> Difference:
    change = ChangeKind.NEW_TABLE
    advice = "Declare it (LocalIndex), or leave it: it cannot be removed from the table."
    if not index.local:
        change = ChangeKind.ONE_INDEX_AT_A_TIME
        advice = "Declare it, or remove it with UpdateTable if unused: every write pays for it."
    return Difference(table, f"{index.kind} {name!r}", "no such index", index.key, change, advice)


def _compare_index(table: str, name: str, declared: _Index, actual: _Index) -> Iterator[Difference]:
    subject = f"{actual.kind} {name!r}"
    if declared.local != actual.local:
        change, advice = ChangeKind.ONE_INDEX_AT_A_TIME, "Use another name for the global index."
        if declared.local:
            change, advice = ChangeKind.NEW_TABLE, _LOCAL_INDEX_ADVICE
        kinds = f"a {declared.kind}", f"a {actual.kind}"
        yield Difference(table, subject, *kinds, change, advice)
        return
    change = ChangeKind.NEW_INDEX
    advice = "Add one under another name, move readers to it, then remove this one."
    if actual.local:
        change, advice = ChangeKind.NEW_TABLE, _LOCAL_INDEX_ADVICE
    if declared.key != actual.key:
        yield Difference(table, f"{subject} key", declared.key, actual.key, change, advice)
    if declared.projection != actual.projection:
        projections = declared.projection, actual.projection
        yield Difference(table, f"{subject} projection", *projections, change, advice)
    # (0, 0) is an index of an on-demand table: the billing mode is reported for the table.
    if declared.units is not None and actual.units != (0, 0):
        yield from _compare_capacity(table, f"{subject} capacity", declared.units, actual.units)


def _units(
    throughput: ops.ProvisionedThroughput | ops.ProvisionedThroughputDescription | None,
) -> tuple[int, int] | None:
    if throughput is None:
        return None
    return throughput.read_capacity_units, throughput.write_capacity_units


def _describe_key(
    schema: Iterable[ops.KeySchemaElement], types: Iterable[ops.AttributeDefinition]
) -> str:
    """Return text such as `'PK' (string), sorted by 'SK' (string)`; equal for equal keys."""
    type_of = {definition.attribute_name: definition.attribute_type for definition in types}
    sides: dict[str, list[str]] = {"HASH": [], "RANGE": []}
    for element in schema:
        name = element.attribute_name
        type_name = _TYPES.get(type_of.get(name, ""), "unknown type")
        sides[element.key_type].append(f"{name!r} ({type_name})")
    partition, sort = (", ".join(side) for side in sides.values())
    return f"{partition}, sorted by {sort}" if sort else partition


def _describe_projection(projection: ops.Projection) -> str:
    match projection.projection_type:
        case "KEYS_ONLY":
            return "keys only"
        case "INCLUDE":
            return f"keys and {', '.join(map(repr, sorted(projection.non_key_attributes or ())))}"
        case _:
            return "all attributes"


# Settings


def _compare_settings(settings: TableSettings, described: DescribedTable) -> Iterator[Difference]:
    """Compare the settings that are not None; DynamoDB can change all of them in place."""
    name = described.table.table_name
    for subject, wanted, actual, advice in (
        *_table_settings(settings, described),
        *_recovery_setting(settings, described),
        *_encryption_setting(settings, described),
    ):
        if wanted is not None and wanted != actual:
            yield Difference(name, subject, wanted, actual or "none", ChangeKind.IN_PLACE, advice)


def _table_settings(
    settings: TableSettings, described: DescribedTable
) -> Iterator[tuple[str, str | None, str | None, str]]:
    table = described.table
    stream = table.stream_specification
    view = stream.stream_view_type if stream is not None and stream.stream_enabled else None
    table_class = table.table_class_summary
    yield (
        "stream",
        settings.stream,
        view,
        "UpdateTable turns it on. To change the view, turn it off first.",
    )
    yield (
        "deletion protection",
        _on_or_off(settings.deletion_protection),
        _on_or_off(table.deletion_protection_enabled),
        "UpdateTable changes it immediately.",
    )
    yield (
        "table class",
        settings.table_class,
        "STANDARD" if table_class is None else table_class.table_class,
        "UpdateTable changes it, at most twice a month.",
    )


def _recovery_setting(
    settings: TableSettings, described: DescribedTable
) -> Iterator[tuple[str, str, str, str]]:
    wanted, actual = settings.recovery_days, described.recovery_days
    if wanted is None or actual is None:
        return
    advice = "UpdateContinuousBackups changes it."
    if not actual:
        advice = "UpdateContinuousBackups turns it on. Earlier states cannot be recovered."
    elif wanted < actual:
        advice = "UpdateContinuousBackups changes it and deletes older backups immediately."
    yield "point-in-time recovery", _describe_days(wanted), _describe_days(actual), advice


def _encryption_setting(
    settings: TableSettings, described: DescribedTable
) -> Iterator[tuple[str, str, str, str]]:
    wanted, actual = settings.encryption, described.kms_key
    if wanted is not None and _has_other_key(wanted, actual):
        advice = "UpdateTable changes it, up to four times a day."
        yield "encryption", _describe_encryption(wanted), actual or _AWS_OWNED_KEY, advice


def _has_other_key(wanted: Encryption, actual: str | None) -> bool | None:
    """Return whether the table has another key than `wanted`, or None if only KMS can tell.

    DynamoDB reports the ARN of the key itself, never an alias, for AWS managed and customer
    managed keys alike; `actual` is None for an AWS owned key.
    """
    match wanted:
        case AwsOwnedKey():
            return actual is not None
        case AwsManagedKey():
            return True if actual is None else None
        case CustomerKey(arn):
            if actual is None or actual == arn:
                return actual is None
            return None if ":alias/" in arn else True


def _describe_encryption(encryption: Encryption) -> str:
    match encryption:
        case AwsOwnedKey():
            return _AWS_OWNED_KEY
        case AwsManagedKey():
            return "the AWS managed key for DynamoDB"
        case CustomerKey(arn):
            return arn


def _on_or_off(value: bool | None) -> str | None:
    return None if value is None else "on" if value else "off"


def _describe_days(days: int) -> str:
    return f"{days} day{'' if days == 1 else 's'}" if days else "off"
