"""The scale of a plan or a simulation."""

from __future__ import annotations

import pytest

from singletable import Attr, Entity, Key, PatternCatalog, Table, attr
from singletable.errors import InvalidValue
from singletable_design.planning.scale import parse_scale

directory = Table("directory")


class Company(Entity, table=directory):
    name: Attr[str] = attr()
    key = Key(pk=("COMPANY", name), sk="COMPANY")


class UserSkill(Entity, table=directory):
    name: Attr[str] = attr()
    key = Key(pk=("SKILL", name), sk="SKILL")


CATALOG = PatternCatalog("directory", directory, counts={Company: 50, UserSkill: 1_000})


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("10x", 10),
        ("1,000 x", 1_000),
        ("0.5×", 0.5),
        ("100 companies", 2),
        ("50 COMPANY", 1),
        ("10,000 user skills", 10),
        ("500 UserSkills", 0.5),
    ],
)
def test_scale_is_a_factor_or_a_number_of_items(text: str, factor: float) -> None:
    assert parse_scale(text, [CATALOG]) == factor


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("10", "such as 10x, or.*'10,000 Company'"),
        ("ten users", "expected a factor"),
        ("10 users", "'users' has a declared count.*Company, UserSkill"),
        ("0x", "greater than 0"),
        ("-1x", "expected a factor"),
    ],
)
def test_scale_explains_what_is_expected(text: str, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        parse_scale(text, [CATALOG])


def test_scale_by_items_needs_counts() -> None:
    with pytest.raises(InvalidValue, match=r"counts=\{…\}"):
        parse_scale("10 companies", [PatternCatalog("uncounted", directory)])
