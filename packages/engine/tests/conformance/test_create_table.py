"""What CreateTable creates and describes."""

from __future__ import annotations

import pytest

from dynamodb_engine.errors import ResourceInUse
from dynamodb_engine.operations import (
    BillingModeSummary,
    CreateTable,
    DeleteTable,
    Driver,
    ListTagsOfResource,
    OnDemandThroughput,
    Projection,
    SSESpecification,
    StreamSpecification,
    Tag,
    WarmThroughput,
)
from tests.conformance.errors import INVALID, validation_error
from tests.conformance.table_requests import (
    ALL,
    KEYS_ONLY,
    TEN,
    described,
    hashed,
    indexes,
    local,
    made,
    on_demand,
    provisioned,
    ranged,
    shown,
    sorted_table,
    typed,
    wide,
)

G = {"attribute_definitions": typed(pk="S", g="S")}


# Programs poll for ACTIVE, so AWS never returns ACTIVE here.
def test_new_table_is_creating_then_active(driver: Driver) -> None:
    request = on_demand(**G, global_secondary_indexes=[wide()])
    answer = driver.execute(request).table_description
    assert answer.table_status == "CREATING"
    assert [index.index_status for index in indexes(answer)] == ["CREATING"]
    table = described(driver, request.table_name)
    assert table.table_status == "ACTIVE"
    assert [index.index_status for index in indexes(table)] == ["ACTIVE"]


# Only an index added to an existing table is backfilled.
def test_index_of_new_table_is_not_backfilling(driver: Driver) -> None:
    request = on_demand(**G, global_secondary_indexes=[wide()])
    for table in (driver.execute(request).table_description, described(driver, request.table_name)):
        assert [index.backfilling for index in indexes(table)] == [None]


def test_new_table_is_empty_with_a_stable_id(driver: Driver) -> None:
    request = provisioned()
    answer = driver.execute(request).table_description
    assert (answer.item_count, answer.table_size_bytes) == (0, 0)
    assert answer.table_id
    assert answer.table_id == described(driver, request.table_name).table_id
    assert answer.table_arn.endswith(f":table/{request.table_name}")


# AWS shows an on-demand table with zero units, and since when it is on demand; the response of
# CreateTable omits that time and the warm throughput.
def test_on_demand_table_shows_zero_units_and_billing_mode(driver: Driver) -> None:
    request = on_demand(**G, global_secondary_indexes=[wide()])
    answer = driver.execute(request).table_description
    assert answer.billing_mode_summary == BillingModeSummary("PAY_PER_REQUEST")
    assert answer.warm_throughput is None
    table = described(driver, request.table_name)
    assert table.billing_mode_summary == BillingModeSummary(
        "PAY_PER_REQUEST", table.creation_date_time
    )
    (index,) = indexes(table)
    for part in (table, index):
        units = part.provisioned_throughput
        assert (units.read_capacity_units, units.write_capacity_units) == (0, 0)
        assert units.number_of_decreases_today == 0
        assert part.warm_throughput is not None
        assert part.warm_throughput.read_units_per_second == 12_000
        assert part.warm_throughput.write_units_per_second == 4_000


@pytest.mark.parametrize("mode", [None, "PROVISIONED"])
def test_provisioned_table_shows_units_without_billing_mode(
    driver: Driver, mode: str | None
) -> None:
    index = wide(provisioned_throughput=TEN)
    table = shown(driver, provisioned(**G, billing_mode=mode, global_secondary_indexes=[index]))
    assert table.billing_mode_summary is None
    (shown_index,) = indexes(table)
    for part, units in ((table, 5), (shown_index, 10)):
        assert part.provisioned_throughput.read_capacity_units == units
        assert part.provisioned_throughput.last_increase_date_time is None
        assert part.warm_throughput is not None
        assert part.warm_throughput.read_units_per_second == units


# Infrastructure tools compare declarations with descriptions, and AWS reorders both.
def test_attribute_definitions_and_projections_are_sorted_by_name(driver: Driver) -> None:
    index = wide(projection=Projection("INCLUDE", ["zoe", "abe"]))
    request = on_demand(
        attribute_definitions=typed(pk="S", g="N"), global_secondary_indexes=[index]
    )
    answer = driver.execute(request).table_description
    for table in (answer, described(driver, request.table_name)):
        assert table.attribute_definitions == typed(g="N", pk="S")
        (by_g,) = indexes(table)
        assert by_g.projection == Projection("INCLUDE", ["abe", "zoe"])


def test_indexes_are_described_as_declared(driver: Driver) -> None:
    request = sorted_table(
        attribute_definitions=typed(pk="S", sk="S", l="N", g="B"),
        local_secondary_indexes=[local("zoe"), local("abe", projection=KEYS_ONLY)],
        global_secondary_indexes=[wide("yak"), wide("bat", [*hashed("g"), *ranged("l")])],
    )
    table = shown(driver, request)
    locals_, wides = table.local_secondary_indexes or [], indexes(table)
    assert [index.index_name for index in locals_] == ["zoe", "abe"]
    assert [index.projection for index in locals_] == [ALL, KEYS_ONLY]
    assert [index.key_schema for index in locals_] == [[*hashed("pk"), *ranged("l")]] * 2
    assert [index.index_name for index in wides] == ["yak", "bat"]
    assert [index.key_schema for index in wides] == [hashed("g"), [*hashed("g"), *ranged("l")]]
    arns = [index.index_arn for index in locals_] + [index.index_arn for index in wides]
    assert arns == [f"{table.table_arn}/index/{name}" for name in ("zoe", "abe", "yak", "bat")]


# Settings that were not requested are absent rather than shown as disabled.
def test_unrequested_settings_are_absent(driver: Driver) -> None:
    table = shown(driver, on_demand())
    assert table.deletion_protection_enabled is False
    for absent in (
        table.local_secondary_indexes,
        table.global_secondary_indexes,
        table.stream_specification,
        table.latest_stream_arn,
        table.latest_stream_label,
        table.sse_description,
        table.table_class_summary,
        table.on_demand_throughput,
    ):
        assert absent is None


def test_requested_settings_are_described(driver: Driver) -> None:
    request = on_demand(
        deletion_protection_enabled=True,
        table_class="STANDARD_INFREQUENT_ACCESS",
        on_demand_throughput=OnDemandThroughput(10, 5),
        warm_throughput=WarmThroughput(13_000),
        sse_specification=SSESpecification(enabled=True),
    )
    table = shown(driver, request)
    assert table.deletion_protection_enabled is True
    assert table.table_class_summary is not None
    assert table.table_class_summary.table_class == "STANDARD_INFREQUENT_ACCESS"
    assert table.on_demand_throughput == OnDemandThroughput(10, 5)
    assert table.warm_throughput is not None
    assert table.warm_throughput.read_units_per_second == 13_000
    assert table.warm_throughput.write_units_per_second == 4_000
    assert table.sse_description is not None
    assert (table.sse_description.status, table.sse_description.sse_type) == ("ENABLED", "KMS")
    assert (table.sse_description.kms_master_key_arn or "").startswith("arn:aws:kms:")


@pytest.mark.parametrize(
    "nothing",
    [
        {"on_demand_throughput": OnDemandThroughput()},
        {"sse_specification": SSESpecification(enabled=False)},
        {"stream_specification": StreamSpecification(stream_enabled=False)},
        {"tags": []},
        {"deletion_protection_enabled": False},
    ],
    ids=str,
)
def test_empty_settings_are_absent(driver: Driver, nothing: dict[str, object]) -> None:
    table = shown(driver, on_demand(**nothing))
    assert table.on_demand_throughput is None
    assert table.sse_description is None
    assert table.stream_specification is None
    assert table.deletion_protection_enabled is False


# A stream is labeled with the time it was enabled, in milliseconds and without a zone.
def test_stream_has_label_and_arn(driver: Driver) -> None:
    stream = StreamSpecification(stream_enabled=True, stream_view_type="NEW_AND_OLD_IMAGES")
    table = shown(driver, on_demand(stream_specification=stream))
    assert table.stream_specification == stream
    assert table.latest_stream_label is not None
    assert len(table.latest_stream_label) == len("2026-10-08T23:07:31.275")
    assert table.latest_stream_arn == f"{table.table_arn}/stream/{table.latest_stream_label}"


# Tags are stored but not returned; ListTagsOfResource returns them.
def test_tags_are_added_to_the_new_table(driver: Driver) -> None:
    table = shown(driver, on_demand(tags=[Tag("team", "votes"), Tag("stage", "")]))
    tags = driver.execute(ListTagsOfResource(table.table_arn)).tags
    assert {tag.key: tag.value for tag in tags} == {"team": "votes", "stage": ""}


# Up to four partition and four sort attributes, of any key type.
def test_global_index_accepts_eight_key_attributes(driver: Driver) -> None:
    keys = [*hashed("h1", "h2", "h3", "h4"), *ranged("r1", "r2", "r3", "r4")]
    types = typed(pk="S", h1="S", h2="N", h3="B", h4="S", r1="N", r2="N", r3="S", r4="B")
    request = on_demand(
        attribute_definitions=types, global_secondary_indexes=[wide("by-all", keys)]
    )
    (index,) = indexes(shown(driver, request))
    assert index.key_schema == keys


# None of these is useful, and AWS accepts them all.
@pytest.mark.parametrize(
    "request_",
    [
        on_demand(table_name="by-g-too", **G, global_secondary_indexes=[wide("by-g-too")]),
        on_demand(global_secondary_indexes=[wide("by-pk", hashed("pk"))]),
        sorted_table(local_secondary_indexes=[local("by-sk", [*hashed("pk"), *ranged("sk")])]),
        on_demand(
            **G, global_secondary_indexes=[wide(projection=Projection("INCLUDE", ["pk", "g"]))]
        ),
        on_demand(**G, global_secondary_indexes=[wide(on_demand_throughput=OnDemandThroughput(1))]),
    ],
    ids=[
        "an index named like the table",
        "an index with the table's key",
        "a local index by the sort key",
        "keys among the projected attributes",
        "a limit for reads alone",
    ],
)
def test_unusual_declarations_are_accepted(driver: Driver, request_: CreateTable) -> None:
    assert shown(driver, request_).table_status == "ACTIVE"


# Creating a table twice fails whatever the second declaration says …
def test_table_name_is_in_use_until_deleted(driver: Driver) -> None:
    name = made(driver, on_demand())
    for again in (on_demand(table_name=name), sorted_table(table_name=name)):
        with pytest.raises(ResourceInUse) as raised:
            driver.execute(again)
        assert raised.value.message == f"Table already exists: {name}"


# … but the declaration is validated before the name.
def test_invalid_declaration_is_reported_before_name_in_use(driver: Driver) -> None:
    name = made(driver, on_demand())
    request = on_demand(table_name=name, key_schema=ranged("pk"))
    assert validation_error(driver, request).startswith("Invalid KeySchema")


def test_table_name_can_be_reused_after_deletion(driver: Driver) -> None:
    first = shown(driver, on_demand())
    driver.execute(DeleteTable(first.table_name))
    second = shown(driver, sorted_table(table_name=first.table_name))
    assert second.table_arn == first.table_arn
    assert second.table_id != first.table_id
    assert second.key_schema == [*hashed("pk"), *ranged("sk")]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {**G, "global_secondary_indexes": [wide(f"by-{n}") for n in range(21)]},
            f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of 20",
        ),
        (
            {"tags": [Tag(str(n), "") for n in range(51)]},
            "Number of Tags exceed the current limit for the provided ResourceArn",
        ),
    ],
    ids=["indexes", "tags"],
)
def test_rejects_too_many_parts(driver: Driver, changes: dict[str, object], message: str) -> None:
    assert validation_error(driver, on_demand(**changes)) == message
