"""Draw the calls of a workload: when they arrive, about which keys, and how long they take.

Arrivals are a Poisson process at the rate of each pattern. A call draws one value of each domain,
by the domain's distribution, and uses it in all its requests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np
import numpy.typing as npt

from singletable.errors import InvalidValue
from singletable.patterns import Distribution, Rate
from singletable_design.planning.simulation.calls import Calls
from singletable_design.planning.simulation.partitions import KEY_LENGTH, KINDS, Flags, Floats, Ints
from singletable_design.planning.simulation.sampler import Sampler, sampler
from singletable_design.planning.workload import (
    Domain,
    PatternLoad,
    PlacedUnits,
    SortKeys,
)

# AWS promises single-digit milliseconds (on-demand-capacity-mode); it publishes no percentiles. We
# assume a median of 3 ms for a read and 5 ms for a write, twice that for a transaction, which is
# executed in two phases, and a 99th percentile of about 2.5 times the median.
READ_MEDIAN = 0.003
WRITE_MEDIAN = 0.005
TRANSACTION_FACTOR = 2.0
LATENCY_SIGMA = 0.4
# A query or scan reads pages of 1 MB, one after the other: 128 units, eventually consistent.
_UNITS_PER_PAGE = 128

# A peak lasts five minutes, in the middle of the busiest hour.
PEAK_SECONDS = 300

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# Where in its partition key's interval a request is.
_ONE_ITEM, _LAST_ITEM = 0.5, 1 - 2**-10


@dataclass(frozen=True, slots=True)
class Cache:
    """A cache in front of a pattern: a share of hits, or the seconds that it keeps a result."""

    hits: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.hits is not None and not 0 <= self.hits <= 1:
            raise InvalidValue(f"hits={self.hits!r}: expected a share from 0 to 1.")
        if self.seconds is not None and not 0 <= self.seconds < math.inf:
            raise InvalidValue(f"seconds={self.seconds!r}: expected 0 or more.")

    def hit_share(self, rates: Floats) -> Floats | float:
        """Return the share of hits for keys that are called at these rates a second.

        With a time to live T, one of the 1 + rate * T calls in a period is a miss.
        """
        if self.seconds is None:
            return self.hits or 0.0
        expected = rates * self.seconds
        return expected / (1 + expected)

    def hit_share_of(self, rate: float) -> float:
        """Return the share of hits for a key that is called at this rate a second."""
        return float(self.hit_share(np.asarray(rate)))


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a pattern's request, prepared for drawing."""

    placed: PlacedUnits
    request: int
    kind: int
    domains: tuple[int, ...]
    salt: np.uint64
    resource: int


@dataclass(slots=True)
class CallSource:
    """Draws the calls of one pattern."""

    number: int
    load: PatternLoad
    rates: Floats
    samplers: list[Sampler]
    parts: list[_Part]
    medians: list[float]
    cache: Cache | None = None
    hits: int = field(default=0)

    def draw(self, start: int, end: int, random: np.random.Generator) -> Calls:
        """Draw the calls that arrive in the seconds from `start` until before `end`."""
        counts = random.poisson(self.rates[start:end])
        second = np.repeat(np.arange(start, end), counts)
        ranks = [one.draw(len(second), random) for one in self.samplers]
        if self.cache is not None:
            rates = self.rates[second]
            for one, drawn in zip(self.samplers, ranks, strict=True):
                rates = rates * one.shares(drawn)
            is_miss = random.random(len(second)) >= self.cache.hit_share(rates)
            self.hits += len(second) - int(np.count_nonzero(is_miss))
            second, ranks = second[is_miss], [drawn[is_miss] for drawn in ranks]
        count = len(second)
        latency = np.zeros(count)
        for median in self.medians:
            latency += np.exp(math.log(median) + LATENCY_SIGMA * random.standard_normal(count))
        calls, requests, positions, kinds, units = _columns(
            [piece for part in self.parts for piece in self._place(part, count, ranks, random)],
            count,
        )
        return Calls(
            np.full(count, self.number, dtype=np.intp),
            second,
            np.zeros(count, dtype=np.intp),
            latency,
            calls,
            requests,
            positions,
            kinds,
            units,
        )

    def _place(
        self, part: _Part, count: int, ranks: Sequence[Ints], random: np.random.Generator
    ) -> list[tuple[int, Floats, int, float]]:
        """Return, for each key of a request: its number, positions, kind and units."""
        placed, key = part.placed, part.placed.key
        pieces: list[tuple[int, Floats, int, float]] = []
        own = [ranks[number] for number in part.domains]
        first_shard = random.integers(key.shards, size=count) if key.shards > 1 else None
        for turn in range(placed.partitions):
            # Further keys are further shards, or independent values as in a batch.
            if turn and key.shards == 1:
                own = [self.samplers[number].draw(count, random) for number in part.domains]
            hashes = _hash_keys(part.salt, own, count)
            if first_shard is not None:
                shard = (first_shard + turn) % key.shards
                hashes = _mix(hashes + (shard + 1).astype(np.uint64) * _GOLDEN)
            inside = _inside_key(placed.sort_keys, count, random)
            positions = ((hashes >> np.uint64(32)).astype(np.float64) + inside) * KEY_LENGTH
            # A shard is queried by a request of its own, and a batch may get only some of its keys.
            number = part.request if placed.in_transaction else part.request + turn
            pieces.append((number, part.resource + positions, part.kind, placed.units))
        return pieces


def call_sources(
    loads: Sequence[PatternLoad],
    resources: Sequence[str],
    *,
    seconds: int,
    start_hour: int,
    skew: float | None = None,
    caches: dict[str, Cache] | None = None,
) -> list[CallSource]:
    """Prepare the patterns of a workload; `skew` replaces the exponents of all distributions."""
    sources: list[CallSource] = []
    for number, load in enumerate(loads):
        exponent = load.skew if skew is None else skew
        domains: dict[Domain, int] = {}
        parts: list[_Part] = []
        requests = _request_numbers(load.units)
        for placed in load.units:
            for domain in placed.key.domains:
                domains.setdefault(domain, len(domains))
            parts.append(
                _Part(
                    placed,
                    requests[_request(placed)],
                    KINDS.index(placed.kind),
                    tuple(domains[domain] for domain in placed.key.domains),
                    _salt(placed.key.template),
                    resources.index(placed.resource),
                )
            )
        sources.append(
            CallSource(
                number,
                load,
                rates_by_second(load.rate, start_hour, seconds),
                [sampler(_with_exponent(domain.distribution, exponent)) for domain in domains],
                parts,
                _request_medians(load.units),
                (caches or {}).get(load.id),
            )
        )
    return sources


def rates_by_second(rate: Rate, start_hour: int, seconds: int) -> Floats:
    """Return the rate of each simulated second: that of its hour, and the peak once.

    The peak is in the middle of the busiest hour, or of its simulated part.
    """
    hours = (start_hour + np.arange(seconds) // 3600) % 24
    rates = np.array(rate.hourly)[hours]
    if rate.peak is not None and seconds:
        is_busiest = rates >= max(rate.hourly) * (1 - 1e-9)
        busiest = np.flatnonzero(is_busiest)[:3600]
        if len(busiest):
            length = max(1, min(PEAK_SECONDS, len(busiest) // 3))
            first = (len(busiest) - length) // 2
            rates[busiest[first : first + length]] = rate.peak_per_second
    return rates


def key_positions(template: str, ranks: Sequence[Ints]) -> Floats:
    """Return where partition keys are, from 0 to 1, by the ranks (from 0) of their values."""
    hashes = _hash_keys(_salt(template), ranks, len(ranks[0]))
    positions: Floats = ((hashes >> np.uint64(32)).astype(np.float64) + _ONE_ITEM) * KEY_LENGTH
    return positions


def _hash_keys(salt: np.uint64, ranks: Sequence[Ints], count: int) -> npt.NDArray[np.uint64]:
    hashes = np.full(count, salt, dtype=np.uint64)
    for one in ranks:
        hashes = _mix(hashes + one.astype(np.uint64) * _GOLDEN)
    return hashes


def _salt(template: str) -> np.uint64:
    salt: np.uint64 = _mix(np.array([crc32(template.encode())], dtype=np.uint64))[0]
    return salt


def is_one_item(positions: Floats) -> Flags:
    """Return which positions are single items, where writes can conflict."""
    scaled: Floats = positions / KEY_LENGTH
    return np.equal(scaled - np.floor(scaled), _ONE_ITEM)


def _columns(
    pieces: list[tuple[int, Floats, int, float]], count: int
) -> tuple[Ints, Ints, Floats, Ints, Floats]:
    """Return the parts of `count` calls; those of a call are adjacent, and those of a request."""
    pieces.sort(key=lambda piece: piece[0])
    return (
        np.repeat(np.arange(count), len(pieces)),
        np.tile(np.array([request for request, *_ in pieces], dtype=np.intp), count),
        np.array([positions for _, positions, _, _ in pieces]).ravel(order="F"),
        np.tile(np.array([kind for *_, kind, _ in pieces], dtype=np.intp), count),
        np.tile(np.array([units for *_, units in pieces], dtype=np.float64), count),
    )


def _request_medians(parts: Sequence[PlacedUnits]) -> list[float]:
    """Return the median seconds of each request of a call, which are sent one after another."""
    medians: dict[int, float] = {}
    for part in parts:
        if part.kind == "read":
            pages = math.ceil(part.units * part.partitions / _UNITS_PER_PAGE)
            median = READ_MEDIAN * max(1, pages)
        else:
            median = WRITE_MEDIAN
        median *= TRANSACTION_FACTOR if part.in_transaction else 1
        medians[_request(part)] = max(median, medians.get(_request(part), 0.0))
    return list(medians.values())


def _request_numbers(parts: Sequence[PlacedUnits]) -> dict[int, int]:
    """Return the first number of each request, and leave room for one number per partition key."""
    numbers: dict[int, int] = {}
    end = 1
    for part in parts:
        if numbers.setdefault(_request(part), 0 if part.in_transaction else end) == end:
            end += part.partitions
    return numbers


def _request(part: PlacedUnits) -> int:
    """Return an id of the request of a part; all parts of a transaction have the same one."""
    return -1 if part.in_transaction else part.request


def _with_exponent(distribution: Distribution, exponent: float | None) -> Distribution:
    return distribution if exponent is None else Distribution(distribution.values, exponent)


def _inside_key(sort_keys: SortKeys, count: int, random: np.random.Generator) -> Floats | float:
    match sort_keys:
        case "one":
            return _ONE_ITEM
        case "growing":
            return _LAST_ITEM
        case "many":
            return random.random(count)


def _mix(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Hash numbers (splitmix64)."""
    numbers = numbers + _GOLDEN
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
