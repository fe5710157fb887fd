"""How a table stands apart from its declaration."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.infrastructure.described import Described
from singletable.infrastructure.difference import Change, Difference
from singletable.infrastructure.index_differences import index_differences
from singletable.infrastructure.keys_in_words import key_in_words
from singletable.infrastructure.setting_differences import setting_differences
from singletable.infrastructure.settings import NO_SETTINGS, TableSettings
from singletable.operations import CreateTable, TableDescription
from singletable.schema import Table, create_operation


def differences(
    declared: Table, described: Described, settings: TableSettings = NO_SETTINGS
) -> list[Difference]:
    """What differs, the gravest first; nothing if the table stands as it is declared."""
    table = described.table
    create = create_operation(declared, table.table_name)
    return [
        *_key(create, table),
        *index_differences(create, table),
        *_billing(create, table),
        *_time_to_live(declared, described),
        *setting_differences(settings, described),
    ]


def _key(create: CreateTable, table: TableDescription) -> Iterator[Difference]:
    declared = key_in_words(create.key_schema, create.attribute_definitions)
    found = key_in_words(table.key_schema, table.attribute_definitions)
    if declared != found:
        yield Difference(
            table.table_name,
            "key",
            declared,
            found,
            Change.TABLE_ANEW,
            "Is this the right table? If so, make one under another name and copy the items there.",
        )


def _billing(create: CreateTable, table: TableDescription) -> Iterator[Difference]:
    summary = table.billing_mode_summary
    # DynamoDB tells how a table is billed only if that is, or once was, by the request.
    found = "PROVISIONED" if summary is None else summary.billing_mode
    declared = create.billing_mode or "PROVISIONED"
    if declared != found:
        yield Difference(
            table.table_name,
            "billing",
            _in_words[declared],
            _in_words[found],
            Change.IN_PLACE,
            "UpdateTable changes it, to on-demand up to four times a day.",
        )
        return
    wanted, units = create.provisioned_throughput, table.provisioned_throughput
    if wanted is None:
        return
    there = (units.read_capacity_units, units.write_capacity_units)
    if (wanted.read_capacity_units, wanted.write_capacity_units) != there:
        yield Difference(
            table.table_name,
            "capacity",
            f"{wanted.read_capacity_units} read and {wanted.write_capacity_units} write units",
            f"{there[0]} read and {there[1]} write units",
            Change.IN_PLACE,
            "UpdateTable changes it. Under auto scaling it varies, and this is no fault.",
        )


_in_words = {"PROVISIONED": "provisioned", "PAY_PER_REQUEST": "on-demand"}


def _time_to_live(declared: Table, described: Described) -> Iterator[Difference]:
    if declared.ttl == described.ttl:
        return
    advice = "UpdateTimeToLive switches it on."
    if declared.ttl is None:
        advice = "Declare it (ttl=…), or UpdateTimeToLive switches it off."
    elif described.ttl is not None:
        advice = "Switch it off with UpdateTimeToLive, wait an hour, and switch the other on."
    yield Difference(
        described.table.table_name,
        "time to live",
        _attribute(declared.ttl),
        _attribute(described.ttl),
        Change.IN_PLACE,
        advice,
    )


def _attribute(name: str | None) -> str:
    return "none" if name is None else repr(name)
