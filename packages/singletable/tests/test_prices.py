"""Prices are data with sources; files of users are checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from singletable.errors import InvalidValue
from singletable.prices import PRICE_NAMES, load_prices, price_unit, region_prices

REGIONS = load_prices().regions


def file_with(tmp_path: Path, prices: dict[str, Any], **more: Any) -> Path:
    content = {"format": 1, "collected": "2026-11-16", "regions": {"here": {"prices": prices}}}
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({**content, **more}))
    return path


def test_prices_of_virginia_are_known_and_confirmed() -> None:
    prices = region_prices()
    assert prices.region == "us-east-1"
    assert prices.amount("on_demand_read") == 0.125
    assert prices.amount("on_demand_write") == 0.625
    assert prices.amount("provisioned_read") == 0.00013
    assert prices.amount("storage") == 0.25
    assert prices.status("on_demand_read") == prices.status("pitr") == "confirmed"
    assert prices.status("stream_read") == "quoted once"
    assert prices.status("import") == "recalled"
    missing = {"provisioned_replicated_write", "ia_provisioned_replicated_write"}
    assert set(PRICE_NAMES) - set(prices.prices) == missing


# A figure before the cut of November 2024 would be twice as high.
@pytest.mark.parametrize("region", REGIONS)
def test_no_on_demand_price_is_older_than_the_cut_of_2024(region: str) -> None:
    prices = REGIONS[region]
    assert prices.warnings == ()
    for kind in ("read", "write"):
        on_demand, provisioned = f"on_demand_{kind}", f"provisioned_{kind}"
        amounts = {str(name): price.amount for name, price in prices.prices.items()}
        if on_demand in amounts:
            ratio = amounts[on_demand] * 0.0036 / amounts[provisioned]
            assert ratio == pytest.approx(3.46, rel=0.01)


@pytest.mark.parametrize("region", REGIONS)
def test_every_price_has_a_source_and_is_plausible(region: str) -> None:
    prices = REGIONS[region]
    virginia = region_prices().prices
    for name, price in prices.prices.items():
        assert price.sources
        assert all(source in prices.sources for source in price.sources)
        if name in virginia:
            assert 0.95 <= price.amount / virginia[name].amount <= 1.55, name


def test_an_unknown_region_lists_the_known_ones() -> None:
    with pytest.raises(InvalidValue, match=r"'mars-1'.*us-east-1, .*load_prices"):
        region_prices("mars-1")


def test_an_unknown_price_lists_the_known_ones() -> None:
    with pytest.raises(InvalidValue, match=r"storage of sa-east-1 .*load_prices"):
        region_prices("sa-east-1").amount("storage")


def test_a_file_may_have_plain_numbers_and_sources(tmp_path: Path) -> None:
    prices = {
        "on_demand_read": 0.1,
        "storage": {"amount": 0.2, "sources": ["contract"]},
        "pitr": {"amount": 0.2, "sources": ["contract", "bill"]},
    }
    sources = {"contract": {"text": "our contract", "date": "2026-01"}, "bill": {"text": "a bill"}}
    loaded = load_prices(file_with(tmp_path, prices, sources=sources)).region("here")
    assert loaded.amount("on_demand_read") == 0.1
    assert loaded.status("on_demand_read") == "given"
    assert loaded.status("storage") == "quoted once"
    assert loaded.status("pitr") == "confirmed"
    assert loaded.free_tier == {}
    assert loaded.on_demand_source == "as given"
    assert loaded.with_amounts({"storage": 0.3}).status("storage") == "given"


def test_prices_from_before_2024_are_recognized(tmp_path: Path) -> None:
    path = file_with(tmp_path, {"on_demand_read": 0.25, "provisioned_read": 0.00013})
    (warning,) = load_prices(path).region("here").warnings
    assert "on_demand_read is 0.25, 6.9 times" in warning


@pytest.mark.parametrize(
    ("prices", "more", "message"),
    [
        ({"on_demand_raed": 1}, {}, "did you mean 'on_demand_read'"),
        ({"zzz": 1}, {}, "expected on_demand_read, on_demand_write"),
        ({"storage": "0.25"}, {}, "here.prices.storage: Expected dollars, .* got '0.25'"),
        ({"storage": True}, {}, "got True"),
        ({"storage": -1}, {}, ">= 0"),
        ({"storage": 1e9}, {}, "< 1000000"),
        ({"storage": {"amount": 1, "source": "x"}}, {}, "unknown field `source`"),
        ({"storage": {"amount": 1, "sources": ["x"]}}, {}, "'x' is not in `sources`"),
        ({}, {"format": 2}, "format: Expected 1, but got 2"),
        ({}, {"collected": "today"}, "collected: Expected a date such as 2026-11-16"),
        ({}, {"regions": {}}, "regions: Expected at least one region"),
        ({}, {"regions": {"a": 1}}, "regions.a: Expected `object`, got `int`"),
        ({}, {"currency": "EUR"}, "unknown field `currency`"),
        ({}, {"free_tier": {"storage": "all"}}, "free_tier.storage: Expected `float`"),
        ({}, {"sources": {"a": {"text": "b", "kind": "c"}}}, "sources.a: Invalid enum value 'c'"),
    ],
)
def test_an_invalid_file_says_what_is_wrong_where(
    tmp_path: Path, prices: dict[str, Any], more: dict[str, Any], message: str
) -> None:
    path = file_with(tmp_path, prices, **more)
    with pytest.raises(InvalidValue, match=message) as caught:
        load_prices(path)
    assert str(path) in str(caught.value)


def test_a_file_that_is_missing_or_not_json_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="cannot be read: No such file"):
        load_prices(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(InvalidValue, match="Expected JSON"):
        load_prices(tmp_path / "bad.json")


def test_each_price_says_what_it_is_for() -> None:
    assert price_unit("ia_on_demand_replicated_write") == "per million replicated write units"
    assert price_unit("reserved_3_years_read_upfront") == "upfront per read unit"
    assert price_unit("transfer_out_above_10_tb") == "per GB"
    assert all(price_unit(name) for name in PRICE_NAMES)
