"""What it costs to observe a store."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.rates import Act, rates
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.table import Table
from benchmarks.store_overhead import Ballot, votes
from singletable import CallStats, Engine, PatternCatalog, Store, creates

CLAIM = "a store that is observed takes at most twice as long in memory as one that is not"
BAR = Bar(at_most=2)

catalog = PatternCatalog("votes", votes)
one = catalog.read("AP1", "One ballot", Ballot.key)
ballots = catalog.read("AP2", "Ballots of an election", Ballot.key.partition)
catalog.read("AP3", "Ballots of a voter", Ballot.of_voter)
catalog.write("AP4", "Cast a ballot", creates(Ballot))


def measure(scale: Scale) -> Iterable[Table]:
    """The time for a call, without an observer and counted by pattern."""
    rows: list[list[str]] = []
    with Engine.in_memory() as engine:
        bare, counted = Store(engine), Store(engine, observers=[CallStats(catalog)])
        bare.admin.create_table(votes)
        bare.put_many(Ballot(election="L", voter=f"v{number:03d}") for number in range(100))
        for name, alone, observed in (
            ("get", _get(bare), _get(counted)),
            ("create", _create(bare, "M"), _create(counted, "N")),
            ("query of 100", _query(bare), _query(counted)),
        ):
            first, second = rates([alone, observed], scale.seconds)
            rows.append(
                [
                    name,
                    units.microseconds(1 / first),
                    units.microseconds(1 / second),
                    units.times(first / second),
                    BAR.verdict(first / second),
                ]
            )
    yield Table(
        "A store on the embedded engine in memory, without an observer and with `Tally`",
        ["call", "alone", "observed", "ratio", "bar"],
        rows,
        ["Observed, a call is recognized as a pattern, and each request asks what it consumes."],
    )


def _get(store: Store) -> Act:
    return lambda _: store.get(one("L", "v001"))


def _query(store: Store) -> Act:
    return lambda _: list(store.query(ballots("L")))


def _create(store: Store, election: str) -> Act:
    numbers = count()
    return lambda _: store.create(Ballot(election=election, voter=f"v{next(numbers)}"))
