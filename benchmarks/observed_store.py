"""The cost of observing a store."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from benchmarks.harness.measurement import Scale, Work, measure_rates
from benchmarks.harness.report import ReportTable, Target, format_microseconds, format_ratio
from benchmarks.store_overhead import Ballot, votes
from singletable import CallStats, Engine, PatternCatalog, Store, creates

CLAIM = "in memory an observed store takes at most twice as long as a plain one"
TARGET = Target(at_most=2)

catalog = PatternCatalog("votes", votes)
ballot_by_key = catalog.read("AP1", "One ballot", Ballot.key)
ballots = catalog.read("AP2", "Ballots of an election", Ballot.key.partition)
catalog.read("AP3", "Ballots of a voter", Ballot.of_voter)
catalog.write("AP4", "Cast a ballot", creates(Ballot))


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure the time for a call, without an observer and with statistics by pattern."""
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
            first, second = measure_rates([alone, observed], scale.seconds)
            rows.append(
                [
                    name,
                    format_microseconds(1 / first),
                    format_microseconds(1 / second),
                    format_ratio(first / second),
                    TARGET.verdict(first / second),
                ]
            )
    yield ReportTable(
        "A store on the embedded engine in memory, without an observer and with `CallStats`",
        ["call", "plain", "observed", "ratio", "target"],
        rows,
        ["Observed, a call is matched to a pattern, and each request returns consumed capacity."],
    )


def _get(store: Store) -> Work:
    return lambda _: store.get(ballot_by_key("L", "v001"))


def _query(store: Store) -> Work:
    return lambda _: list(store.query(ballots("L")))


def _create(store: Store, election: str) -> Work:
    numbers = count()
    return lambda _: store.create(Ballot(election=election, voter=f"v{next(numbers)}"))
