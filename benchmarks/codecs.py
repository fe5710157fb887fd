"""Map items to objects: the compiled codec, boto3 with pydantic, and other libraries."""

# boto3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from pydantic import BaseModel

from benchmarks.harness.measurement import (
    Missing,
    Scale,
    Work,
    measure_rates,
    run_peer_program,
    show_progress,
)
from benchmarks.harness.report import ReportTable, Target, format_microseconds, format_ratio
from benchmarks.programs.ballot_item import JSON, WIRE, ObjectMapper
from dynamodb_engine.values import item_from_json
from singletable.schema.codec import StoredField, codec_of, compile_codec

CLAIM = "decoding an item is at least five times as fast as with boto3 and pydantic"
TIME = Target(at_most=5, unit=" µs")
RATIO = Target(at_least=5)
READ, READ_JSON, WRITE = "read", "read from JSON", "write"
# Libraries that are measured in environments of their own, by package.
PEERS = {"pynamodb": "PynamoDB", "dyntastic": "dyntastic"}


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure the time for one item, and its ratio to ours."""
    ours, pydantic = compiled_codec().checked(), boto3_and_pydantic().checked()
    times: dict[str, dict[str, float]] = {ours.name: {}, pydantic.name: {}}
    for task in (READ, READ_JSON, WRITE):
        show_progress(task)
        works = [_work(ours, task), _work(pydantic, task)]
        our_rate, pydantic_rate = measure_rates(works, scale.seconds)
        times[ours.name][task], times[pydantic.name][task] = 1 / our_rate, 1 / pydantic_rate
    notes: list[str] = []
    for package, name in PEERS.items():
        if not scale.includes(name):
            continue
        show_progress(name)
        try:
            read, write = run_peer_program(package, str(scale.seconds))
        except Missing as reason:
            notes.append(f"{name} is missing: {reason}.")
        else:
            times[name] = {READ: 1 / read, WRITE: 1 / write}
    our_time, pydantic_time = times[ours.name][READ], times[pydantic.name][READ]
    verdicts = {
        ours.name: TIME.verdict(our_time * 1_000_000),
        pydantic.name: RATIO.verdict(pydantic_time / our_time),
    }
    rows = [
        [*_row(name, tasks, times[ours.name]), verdicts.get(name, "")]
        for name, tasks in times.items()
    ]
    yield ReportTable(
        "An item of ten fields as an object: time for one item, and ratio to ours",
        ["library", READ, READ_JSON, WRITE, "target for reading"],
        rows,
        notes,
    )


def _work(mapper: ObjectMapper, task: str) -> Work:
    if task == READ:
        return lambda _: mapper.read(WIRE)
    if task == READ_JSON and (read_json := mapper.read_json) is not None:
        return lambda _: read_json(JSON)
    ballot = mapper.read(WIRE)
    return lambda _: mapper.write(ballot)


def _row(name: str, times: dict[str, float], ours: dict[str, float]) -> list[str]:
    return [name, *(_cell(times.get(task), ours[task]) for task in (READ, READ_JSON, WRITE))]


def _cell(seconds: float | None, ours: float) -> str:
    if seconds is None:
        return ""
    return f"{format_microseconds(seconds)} ({format_ratio(seconds / ours)})"


@dataclass(frozen=True)
class Booth:
    """The place where a ballot was cast."""

    street: str
    floor: int


class Ballot:
    """The object that the codec fills."""


FIELDS: dict[str, Any] = {
    "election": str,
    "voter": str,
    "confirmation": str,
    "ward": str,
    "rank": int,
    "weight": int,
    "when_cast": datetime,
    "choices": list[str],
    "booth": Booth,
    "counted": bool,
}


def compiled_codec() -> ObjectMapper:
    """Return our codec, which fills objects as it fills entities."""
    codec = compile_codec(
        "Ballot",
        [StoredField(name, name, codec_of(kind)) for name, kind in FIELDS.items()],
        frozenset({"PK", "SK", "entity_type"}),
    )

    def read(item: dict[str, Any]) -> Ballot:
        ballot = Ballot()
        ballot.__dict__ = codec.decode(item)
        return ballot

    def write(ballot: Ballot) -> dict[str, Any]:
        return {**codec.encode(ballot.__dict__)}

    return ObjectMapper("singletable", read, write, lambda raw: read(item_from_json(raw)))


class PydanticBooth(BaseModel):
    """The place where a ballot was cast."""

    street: str
    floor: int


class PydanticBallot(BaseModel):
    """The item as a pydantic model."""

    election: str
    voter: str
    confirmation: str
    ward: str
    rank: int
    weight: int
    when_cast: datetime
    choices: list[str]
    booth: PydanticBooth
    counted: bool


def boto3_and_pydantic() -> ObjectMapper:
    """Return what one writes without a library: boto3 converts values, pydantic checks types."""
    plain, wire = TypeDeserializer().deserialize, TypeSerializer().serialize

    def read(item: dict[str, Any]) -> PydanticBallot:
        return PydanticBallot.model_validate({name: plain(value) for name, value in item.items()})

    def write(ballot: PydanticBallot) -> dict[str, Any]:
        dumped = ballot.model_dump()
        dumped["when_cast"] = ballot.when_cast.isoformat()
        return {name: cast(Any, wire(value)) for name, value in dumped.items()}

    return ObjectMapper("boto3 and pydantic", read, write, lambda raw: read(json.loads(raw)))
