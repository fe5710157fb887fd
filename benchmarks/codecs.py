"""Items as objects: the compiled codec beside what others model items with."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.missing import Missing
from benchmarks.measuring.progress import progress
from benchmarks.measuring.rates import Act, rates
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.table import Table
from benchmarks.modelling.ballot import JSON, WIRE
from benchmarks.modelling.boto3_and_pydantic import boto3_and_pydantic
from benchmarks.modelling.contender import Contender
from benchmarks.modelling.ours import ours
from benchmarks.modelling.program import programs

CLAIM = "an item becomes a checked object in a fifth of the time of boto3 and pydantic, or less"
TIME = Bar(at_most=5, unit=" µs")
RATIO = Bar(at_least=5)
READ, READ_JSON, WRITE = "read", "read from JSON", "write"


def measure(scale: Scale) -> Iterable[Table]:
    """The time for one item, ours and others', and how many times as long theirs takes."""
    mine, by_hand = ours().checked(), boto3_and_pydantic().checked()
    found: dict[str, dict[str, float]] = {mine.name: {}, by_hand.name: {}}
    for what in (READ, READ_JSON, WRITE):
        progress(what)
        my_rate, other_rate = rates([_act(mine, what), _act(by_hand, what)], scale.seconds)
        found[mine.name][what], found[by_hand.name][what] = 1 / my_rate, 1 / other_rate
    notes: list[str] = []
    for program in programs(scale):
        progress(program.name)
        try:
            read, write = program.rates(scale.seconds)
        except Missing as reason:
            notes.append(f"{program.name} is missing: {reason}.")
        else:
            found[program.name] = {READ: 1 / read, WRITE: 1 / write}
    my_time, other_time = found[mine.name][READ], found[by_hand.name][READ]
    verdicts = {
        mine.name: TIME.verdict(my_time * 1_000_000),
        by_hand.name: RATIO.verdict(other_time / my_time),
    }
    rows = [
        [*_row(name, times, found[mine.name]), verdicts.get(name, "")]
        for name, times in found.items()
    ]
    yield Table(
        "An item of ten fields as an object: the time for one, and for how many of ours it is",
        ["library", READ, READ_JSON, WRITE, "bar for reading"],
        rows,
        notes,
    )


def _act(contender: Contender, what: str) -> Act:
    if what == READ:
        return lambda _: contender.read(WIRE)
    if what == READ_JSON and (read_json := contender.read_json) is not None:
        return lambda _: read_json(JSON)
    ballot = contender.read(WIRE)
    return lambda _: contender.write(ballot)


def _row(name: str, times: dict[str, float], ours: dict[str, float]) -> list[str]:
    return [name, *(_cell(times.get(what), ours[what]) for what in (READ, READ_JSON, WRITE))]


def _cell(seconds: float | None, ours: float) -> str:
    if seconds is None:
        return ""
    return f"{units.microseconds(seconds)} ({units.times(seconds / ours)})"
