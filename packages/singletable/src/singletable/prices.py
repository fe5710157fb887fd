"""Prices of DynamoDB by region, as data with dates and sources.

`prices.json` has a price only if a source supports it; the others are absent. AWS changes prices,
and companies negotiate them, so `load_prices(path)` reads a file of your own in the same format.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import Meta

from singletable.errors import InvalidValue

__all__ = [
    "Price",
    "PriceList",
    "PriceName",
    "PriceSource",
    "RegionPrices",
    "load_prices",
    "region_prices",
]

DEFAULT_REGION = "us-east-1"
PRICING_PAGE = "https://aws.amazon.com/dynamodb/pricing/"

PriceName: TypeAlias = Literal[
    "on_demand_read",
    "on_demand_write",
    "on_demand_replicated_write",
    "provisioned_read",
    "provisioned_write",
    "provisioned_replicated_write",
    "reserved_1_year_read_upfront",
    "reserved_1_year_read_hourly",
    "reserved_1_year_write_upfront",
    "reserved_1_year_write_hourly",
    "reserved_3_years_read_upfront",
    "reserved_3_years_read_hourly",
    "reserved_3_years_write_upfront",
    "reserved_3_years_write_hourly",
    "ia_on_demand_read",
    "ia_on_demand_write",
    "ia_on_demand_replicated_write",
    "ia_provisioned_read",
    "ia_provisioned_write",
    "ia_provisioned_replicated_write",
    "storage",
    "ia_storage",
    "stream_read",
    "pitr",
    "backup",
    "restore",
    "export",
    "import",
    "transfer_out",
    "transfer_out_above_10_tb",
    "transfer_out_above_50_tb",
    "transfer_out_above_150_tb",
]
PRICE_NAMES: tuple[PriceName, ...] = get_args(PriceName)

Status: TypeAlias = Literal["confirmed", "quoted once", "recalled", "given"]

# In 2024 AWS halved on-demand prices: 3,600 units cost about 3.5 unit-hours since, 6.9 before.
_OLD_ON_DEMAND_RATIO = 6.0

_Amount: TypeAlias = Annotated[float, Meta(ge=0, lt=1_000_000)]
_T = TypeVar("_T")


def price_unit(name: PriceName) -> str:
    """Return the unit of a price: "per million read units", "per GB-month"."""
    match name.removeprefix("ia_").split("_"):
        case ["on", "demand", *kind]:
            return f"per million {' '.join(kind)} units"
        case ["provisioned", *kind]:
            return f"per {' '.join(kind)} unit and hour"
        case ["reserved", _, _, kind, "upfront"]:
            return f"upfront per {kind} unit"
        case ["reserved", _, _, kind, "hourly"]:
            return f"per reserved {kind} unit and hour"
        case ["stream", "read"]:
            return "per million stream reads"
        case ["storage" | "pitr" | "backup"]:
            return "per GB-month"
        case _:
            return "per GB"


class PriceSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a price is from: AWS's own text, a public quotation of it, or recollection."""

    text: str
    kind: Literal["aws", "quotation", "recollection"] = "quotation"
    date: str | None = None


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A price in US dollars, and the names of its sources."""

    amount: _Amount
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RegionPrices:
    """The prices of one region.

    `date` is that of the newest dated source; it is None if none has a date. `free_tier` has the
    free quantity per month by price, in the unit of the price. `file` is None for the library's
    own prices.
    """

    region: str
    date: str | None
    prices: Mapping[PriceName, Price]
    sources: Mapping[str, PriceSource]
    free_tier: Mapping[PriceName, float]
    file: str | None = None

    def amount(self, name: PriceName) -> float:
        """Return a price; raise InvalidValue if it is unknown."""
        price = self.prices.get(name)
        if price is None:
            raise InvalidValue(
                f"The price {name} of {self.region} is unknown. Known there: "
                f"{', '.join(self.prices)}. {_OWN_FILE}"
            )
        return price.amount

    def has(self, *names: PriceName) -> bool:
        """Return whether all these prices are known."""
        return all(name in self.prices for name in names)

    def status(self, name: PriceName) -> Status:
        """Return how well a price is supported.

        It is confirmed by AWS's own text or by two public quotations that agree.
        """
        self.amount(name)
        kinds = [self.sources[one].kind for one in self.prices[name].sources]
        if "aws" in kinds or kinds.count("quotation") >= 2:
            return "confirmed"
        if "quotation" in kinds:
            return "quoted once"
        return "recalled" if kinds else "given"

    @property
    def on_demand_source(self) -> str:
        """Where the on-demand prices are from, in a few words."""
        if not self.prices["on_demand_read"].sources:
            return "as given"
        if self.file is not None:
            return f"on demand in {self.region}, {self.file}"
        return f"on demand in {self.region} since November 2024, {PRICING_PAGE}on-demand/"

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about prices that are probably outdated."""
        kinds: tuple[tuple[PriceName, PriceName], ...] = (
            ("on_demand_read", "provisioned_read"),
            ("on_demand_write", "provisioned_write"),
        )
        return tuple(
            f"{self.region}: {on_demand} is {self.amount(on_demand):g}, {ratio:.1f} times the "
            f"price of the same units provisioned. Since 1 November 2024 it is about 3.5 times: "
            "this looks like the price before AWS halved it."
            for on_demand, provisioned in kinds
            if self.has(on_demand, provisioned)
            and (ratio := self._ratio(on_demand, provisioned)) >= _OLD_ON_DEMAND_RATIO
        )

    def _ratio(self, on_demand: PriceName, provisioned: PriceName) -> float:
        hour = self.amount(provisioned)
        return self.amount(on_demand) * 3600 / 1_000_000 / hour if hour else 0.0

    def with_amounts(self, amounts: Mapping[PriceName, float]) -> RegionPrices:
        """Return these prices with some replaced, without a source."""
        given = {name: Price(amount) for name, amount in amounts.items()}
        return replace(self, prices={**self.prices, **given})


@dataclass(frozen=True, slots=True)
class PriceList:
    """The prices of all regions in a file."""

    collected: str
    regions: Mapping[str, RegionPrices]

    def region(self, name: str) -> RegionPrices:
        """Return the prices of a region; raise InvalidValue if there are none."""
        prices = self.regions.get(name)
        if prices is None:
            raise InvalidValue(
                f"There are no prices for {name!r}. Known regions: {', '.join(self.regions)}. "
                f"{_OWN_FILE}"
            )
        return prices


_OWN_FILE = (
    "To use your own prices, pass a file in the format of planning/prices.json: load_prices(path)."
)


def load_prices(path: Path | str | None = None) -> PriceList:
    """Return the prices in a file; without a file, the library's own."""
    if path is None:
        return _built_in()
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InvalidValue(f"The prices cannot be read: {error.strerror}.", str(path)) from None
    return _parse(content, str(path), str(path))


def region_prices(region: str = DEFAULT_REGION) -> RegionPrices:
    """Return the library's prices of a region."""
    return load_prices().region(region)


@cache
def _built_in() -> PriceList:
    file = Path(__file__).with_name("prices.json")
    return _parse(file.read_bytes(), file.name, None)


class _Region(msgspec.Struct, forbid_unknown_fields=True):
    prices: dict[str, Any]
    date: str | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    collected: str
    regions: dict[str, Any]
    sources: dict[str, Any] = {}
    free_tier: dict[str, Any] = {}


def _parse(content: bytes, where: str, file_name: str | None) -> PriceList:
    try:
        raw = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidValue(f"Expected JSON: {error}.", where) from None
    file = _convert(raw, _File, where)
    if file.format != 1:
        raise InvalidValue(f"Expected 1, but got {file.format}.", f"{where}: format")
    if not file.regions:
        raise InvalidValue("Expected at least one region.", f"{where}: regions")
    _check_date(file.collected, f"{where}: collected")
    sources = {
        name: _convert(one, PriceSource, f"{where}: sources.{name}")
        for name, one in file.sources.items()
    }
    for name, source in sources.items():
        _check_date(source.date, f"{where}: sources.{name}.date")
    free_tier: dict[PriceName, float] = {
        price_name(name, f"{where}: free_tier"): _convert(one, float, f"{where}: free_tier.{name}")
        for name, one in file.free_tier.items()
    }
    regions: dict[str, RegionPrices] = {}
    for name, one in file.regions.items():
        inside = f"{where}: regions.{name}"
        region = _convert(one, _Region, inside)
        _check_date(region.date, f"{inside}.date")
        prices: dict[PriceName, Price] = {
            price_name(key, f"{inside}.prices"): _price(value, sources, f"{inside}.prices.{key}")
            for key, value in region.prices.items()
        }
        regions[name] = RegionPrices(name, region.date, prices, sources, free_tier, file_name)
    return PriceList(file.collected, regions)


def _price(value: object, sources: Mapping[str, PriceSource], where: str) -> Price:
    """Return a price, which may be a number or an object with sources."""
    kind = type(value)
    if kind not in (int, float, dict):
        raise InvalidValue(
            'Expected dollars, such as 0.125 or {"amount": 0.125, "sources": ["contract"]}, but '
            f"got {value!r}.",
            where,
        )
    price = _convert(value if kind is dict else {"amount": value}, Price, where)
    for name in price.sources:
        if name not in sources:
            raise InvalidValue(
                f"The source {name!r} is not in `sources`, which has: "
                f"{', '.join(sources) or 'nothing'}.",
                where,
            )
    return price


def price_name(name: str, where: str = "") -> PriceName:
    """Return the name as the type PriceName; raise InvalidValue for unknown names."""
    for known in PRICE_NAMES:
        if known == name:
            return known
    from difflib import get_close_matches  # imported late: it is for errors only

    near = get_close_matches(name, PRICE_NAMES, 1)
    expected = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(PRICE_NAMES)}."
    raise InvalidValue(f"There is no price {name!r}: {expected}", where)


def _convert(value: object, expected: type[_T], where: str) -> _T:
    try:
        return msgspec.convert(value, expected)
    except msgspec.ValidationError as error:
        raise InvalidValue(
            f"{error}. Prices have the format of planning/prices.json.", where
        ) from None


def _check_date(date: str | None, where: str) -> None:
    if date is not None and not re.fullmatch(r"\d{4}(-\d{2}){0,2}", date, re.ASCII):
        raise InvalidValue(f"Expected a date such as 2026-11-16, but got {date!r}.", where)
