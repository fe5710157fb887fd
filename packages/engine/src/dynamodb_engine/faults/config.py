"""The configuration of faults, as a value and as text for command-line options and headers."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Literal, TypeAlias, cast, get_args
from urllib.parse import quote, unquote

from msgspec import Struct, ValidationError, convert
from msgspec.structs import asdict

from dynamodb_engine.errors import FaultsError
from dynamodb_engine.operations import registry

# In the order in which they are evaluated.
FaultKind: TypeAlias = Literal[
    "throttle",
    "unavailable",
    "internal",
    "in_progress",
    "conflict",
    "unprocessed",
    "internal_after",
]
# AWS's throttling reasons; "Table" or "Index" and "Read" or "Write" are prefixed to them.
ThrottleLimit: TypeAlias = Literal[
    "ProvisionedThroughputExceeded",
    "KeyRangeThroughputExceeded",
    "MaxOnDemandThroughputExceeded",
    "AccountLimitExceeded",
]
# The operations of DynamoDB by name; our own operations never fail.
SPECS = {spec.name: spec for spec in registry.OPERATIONS.values() if spec.service != "singletable"}
OPERATIONS = tuple(SPECS)


class Next(Struct, frozen=True):
    """Inject a fault into each of the next `times` operations it applies to, then stop."""

    times: int


# A probability between 0 and 1, or a count.
Chance: TypeAlias = float | Next


class Faults(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Which faults to inject, how often, and where. The default injects none.

    `throttle`        the request is throttled; `limit` is the exceeded limit, or depends on the
                      table
    `unavailable`     DynamoDB is unavailable; the request was not applied
    `internal`        an internal error; the request was not applied
    `internal_after`  an internal error, although the write was applied
    `in_progress`     a transaction with a client token is still in progress
    `conflict`        another transaction is using the item
    `unprocessed`     a part of a batch, but never all of it, is returned unprocessed

    Every operation takes `latency` seconds longer, plus a random time of up to `jitter` seconds.
    Without `operations`, faults apply to operations on items only. Equal seeds and operations
    produce equal faults.
    """

    throttle: Chance = 0.0
    unavailable: Chance = 0.0
    internal: Chance = 0.0
    internal_after: Chance = 0.0
    in_progress: Chance = 0.0
    conflict: Chance = 0.0
    unprocessed: Chance = 0.0
    limit: ThrottleLimit | None = None
    latency: float = 0.0
    jitter: float = 0.0
    seed: int = 0
    operations: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for kind, chance in self.chances.items():
            _check_chance(kind, chance)
        for name in ("latency", "jitter"):
            if getattr(self, name) < 0:
                raise FaultsError(f"{name}: expected at least 0, but got {getattr(self, name)}.")
        for name in ("operations", "tables", "indexes", "keys"):
            if isinstance(getattr(self, name), str):
                raise FaultsError(
                    f"{name}: expected a tuple. Write {name}=({getattr(self, name)!r},)."
                )
        if self.limit is not None and self.limit not in get_args(ThrottleLimit):
            raise FaultsError(
                f"limit: expected one of {', '.join(get_args(ThrottleLimit))}, but got "
                f"{self.limit!r}."
            )
        for name in self.operations:
            if name not in OPERATIONS:
                raise FaultsError(
                    f"Cannot inject faults into {name!r}. Operations are {', '.join(OPERATIONS)}."
                )

    @property
    def chances(self) -> dict[FaultKind, Chance]:
        """The chance of each kind of fault, in the order in which they are evaluated."""
        kinds: tuple[FaultKind, ...] = get_args(FaultKind)
        return {kind: getattr(self, kind) for kind in kinds}

    @property
    def is_empty(self) -> bool:
        """Whether no fault and no latency is injected."""
        return not (self.latency or self.jitter or any(self.chances.values()))


def _check_chance(kind: FaultKind, chance: Chance) -> None:
    if isinstance(chance, Next):
        if chance.times < 1:
            raise FaultsError(f"{kind}: expected a count of at least 1, but got {chance.times}.")
    elif not 0 <= chance <= 1:
        raise FaultsError(
            f"{kind}: expected a probability from 0 to 1, but got {chance}. For the next "
            f"{chance:g} operations, write Next({chance:g}), or {chance:g}x in text."
        )


# Text: `throttle=0.1,conflict=3x,latency=20ms,tables=votes+events`. A chance is a probability or a
# count such as `3x`. Names are separated by plus signs and percent-encoded: `keys=A%2BB`.

# The number of digits is limited, because Python refuses to parse very long integers.
_COUNT = re.compile(r"(\d{1,9})x")
_DECIMAL = re.compile(r"\d+(\.\d+)?|\.\d+")
_DURATION = re.compile(r"(\d{1,9}(?:\.\d+)?|\.\d+)(ms|s|min)")
_UNITS_PER_SECOND = {"ms": 1000.0, "s": 1.0, "min": 1 / 60}
_SINGULARS = {"operation": "operations", "table": "tables", "index": "indexes", "key": "keys"}


def parse_faults(text: str) -> Faults:
    """Parse the text form of faults, or raise FaultsError."""
    members: dict[str, object] = {}
    for member in filter(None, (member.strip() for member in text.split(","))):
        name, _, value = (side.strip() for side in member.partition("="))
        name = _SINGULARS.get(name, name)
        if name not in _PARSERS:
            raise FaultsError(f"Unknown fault {name!r}. Faults are {', '.join(_PARSERS)}.")
        if name in members:
            raise FaultsError(f"{name} occurs twice in '{text}'.")
        members[name] = _PARSERS[name](name, value)
    try:
        return convert(members, Faults)
    except ValidationError as error:
        raise FaultsError(f"Cannot parse '{text}': {error}.") from None


def format_faults(faults: Faults) -> str:
    """Return the text form of faults; parsing it returns an equal value."""
    defaults: dict[str, object] = asdict(Faults())
    members: dict[str, object] = asdict(faults)
    return ",".join(
        f"{name}={_format(name, value)}"
        for name, value in members.items()
        if value != defaults[name]
    )


def _parse_chance(name: str, value: str) -> object:
    if match := _COUNT.fullmatch(value):
        return {"times": int(match[1])}
    if not _DECIMAL.fullmatch(value):
        raise _invalid(name, value, "a probability such as 0.1, or a count such as 3x")
    return float(value)


def _parse_seconds(name: str, value: str) -> object:
    match = _DURATION.fullmatch(value)
    if match is None:
        raise _invalid(name, value, "a duration such as 20ms, 1.5s or 2min")
    return float(match[1]) / _UNITS_PER_SECOND[match[2]]


def _parse_integer(name: str, value: str) -> object:
    if not re.fullmatch(r"-?\d{1,19}", value):
        raise _invalid(name, value, "an integer")
    return int(value)


def _parse_names(name: str, value: str) -> object:
    names = [unquote(part) for part in value.split("+")]
    if "" in names:
        raise _invalid(name, value, "names separated by +")
    return names


def _parse_limit(name: str, value: str) -> object:
    if value not in get_args(ThrottleLimit):
        raise _invalid(name, value, f"one of {', '.join(get_args(ThrottleLimit))}")
    return value


def _invalid(name: str, value: str, expected: str) -> FaultsError:
    return FaultsError(f"{name}: expected {expected}, but got '{value}'.")


_DURATIONS = ("latency", "jitter")
_PARSERS: dict[str, Callable[[str, str], object]] = {
    **dict.fromkeys(Faults().chances, _parse_chance),
    **dict.fromkeys(_DURATIONS, _parse_seconds),
    "seed": _parse_integer,
    **dict.fromkeys(("operations", "tables", "indexes", "keys"), _parse_names),
    "limit": _parse_limit,
}


def _format(name: str, value: object) -> str:
    match value:
        case Next(times):
            return f"{times}x"
        case tuple():
            names = cast("tuple[str, ...]", value)  # all tuples here contain names
            return "+".join(quote(part, safe="#/:@") for part in names)
        case float() | int() if name != "seed":
            number = f"{Decimal(repr(value)):f}"  # without an exponent
            return f"{number}s" if name in _DURATIONS else number
        case _:
            return str(value)
