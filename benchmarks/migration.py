"""Copy a table: `singletable copy`, a migration, and the script that people write with boto3."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Any

import boto3
from botocore.config import Config

from benchmarks.harness import workload
from benchmarks.harness.measurement import Scale, expect, temporary_folder
from benchmarks.harness.report import ReportTable, Target, format_rate, format_ratio
from benchmarks.http_load.servers import OURS, running
from singletable import (
    Attr,
    Driver,
    Engine,
    Entity,
    Key,
    Remote,
    Scan,
    Store,
    Table,
    attr,
    padded,
)
from singletable.migration import Copy, Migration, each
from singletable.migration.runner import MigrationRunner
from singletable.migration.table_copy import CopySettings, TableCopy

CLAIM = "a copy over HTTP is at least three times as fast as a script with boto3"
TARGET = Target(at_least=3)
ROUNDS = 3
SOURCE = workload.TABLE


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure copies of a table to a new table at the same address."""
    count = scale.counted
    with running(OURS) as server, Remote.at(f"dynamodb+http://127.0.0.1:{server.port}") as remote:
        _fill(remote, count)
        contenders: list[tuple[str, Callable[[str], object]]] = [
            ("`singletable copy`", lambda new: _copy(remote, new, CopySettings())),
            (
                "`singletable copy` with a function for each item",
                lambda new: _copy(remote, new, CopySettings(transform=_one_year_more)),
            ),
            (
                "a migration, which derives each item by a rule and carries changes over",
                lambda new: _migrate(remote, new),
            ),
            ("boto3: paginator and `batch_writer`", _boto3_script(server.port)),
        ]
        over_http = _rates(remote, [run for _, run in contenders], count)
    in_file = _rate_in_files(count)
    script = over_http[-1]
    rows = [
        [name, format_rate(rate), format_ratio(rate / script), ""]
        for (name, _), rate in zip(contenders, over_http, strict=True)
    ]
    rows[0][-1] = TARGET.verdict(over_http[0] / script)
    rows.append(["`singletable copy` from file to file", format_rate(in_file), "", ""])
    yield ReportTable(
        f"{count:,} items of 250 bytes, copied to a new table of our endpoint",
        ["", "items", "to boto3", "target"],
        rows,
        [
            "The endpoint is another process, with tables in memory. Both sides decode the items. "
            "The script has one thread, as most have; ours reads four segments in parallel. Files "
            "are in this process: every batch is on the disk before the next."
        ],
    )


def _one_year_more(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "years": item["years"] + 1}


def _fill(driver: Driver, count: int) -> None:
    driver.execute(workload.create())
    for batch in workload.batches(map(workload.nth_item, range(count))):
        driver.execute(batch)


def _copy(driver: Driver, new_name: str, settings: CopySettings) -> None:
    TableCopy(driver, driver, SOURCE, new_name, settings).run()


skills = Table(SOURCE)
years = Table("years")


class Skill(Entity, table=skills):
    """An item of the workload."""

    user: Attr[str] = attr(key_only=True)
    number: Attr[int] = attr(key_only=True)
    name: Attr[str] = attr()
    years: Attr[int] = attr()
    key = Key(pk=("USER", user), sk=("SKILL", padded(number, 9)))


class Year(Entity, table=years):
    """The same item with another key."""

    user: Attr[str] = attr(key_only=True)
    number: Attr[int] = attr(key_only=True)
    name: Attr[str] = attr()
    years: Attr[int] = attr()
    key = Key(pk=("PERSON", user), sk=("YEAR", padded(number, 9)))


def _to_year(old: Skill) -> Year:
    return Year(user=old.user, number=old.number, name=old.name, years=old.years)


def _migrate(driver: Driver, new_name: str) -> None:
    Store(driver, tables={years: new_name}).admin.create_table(years)
    migration = Migration(Copy(years, each(Skill, _to_year)), name="0001_years")
    MigrationRunner(migration, driver, tables={years: new_name}).run()


def _boto3_script(port: int) -> Callable[[str], None]:
    library: Any = boto3  # it has no types
    dynamodb = library.resource(
        "dynamodb",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id="singletable",
        aws_secret_access_key="singletable",
        config=Config(account_id_endpoint_mode="disabled"),
    )

    def copy(new_name: str) -> None:
        source = dynamodb.meta.client.describe_table(TableName=SOURCE)["Table"]
        target = dynamodb.create_table(
            TableName=new_name,
            KeySchema=source["KeySchema"],
            AttributeDefinitions=source["AttributeDefinitions"],
            BillingMode="PAY_PER_REQUEST",
        )
        target.wait_until_exists()
        pages = dynamodb.meta.client.get_paginator("scan").paginate(TableName=SOURCE)
        with target.batch_writer() as batch:
            for page in pages:
                for item in page["Items"]:
                    batch.put_item(Item=item)

    return copy


def _rates(driver: Driver, copies: list[Callable[[str], object]], count: int) -> list[float]:
    """Return the items per second of each; they take turns, so that other load affects all."""
    rates: list[list[float]] = [[] for _ in copies]
    for turn in range(ROUNDS):
        for number, copy in enumerate(copies):
            new_name = f"copy-{turn}-{number}"
            started = time.perf_counter()
            copy(new_name)
            rates[number].append(count / (time.perf_counter() - started))
            expect(_count(driver, new_name), count)
    return [median(one) for one in rates]


def _count(driver: Driver, table: str) -> int:
    found, after = 0, None
    while True:
        page = driver.execute(
            Scan(
                table,
                select="COUNT",
                exclusive_start_key=after,
                # A migration has its state in the table.
                filter_expression="begins_with(SK, :skill) OR begins_with(SK, :year)",
                expression_attribute_values={":skill": {"S": "SKILL#"}, ":year": {"S": "YEAR#"}},
            )
        )
        found, after = found + page.count, page.last_evaluated_key
        if after is None:
            return found


def _rate_in_files(count: int) -> float:
    with temporary_folder() as folder:
        return _copy_file(folder, count)


def _copy_file(folder: Path, count: int) -> float:
    with Engine.on_file(folder / "a.db") as source, Engine.on_file(folder / "b.db") as target:
        _fill(source, count)
        started = time.perf_counter()
        TableCopy(source, target, SOURCE).run()
        rate = count / (time.perf_counter() - started)
        expect(_count(target, SOURCE), count)
        return rate
