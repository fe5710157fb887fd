"""Evaluating conditions on items."""

from __future__ import annotations

from dynamodb_engine.expressions import Placeholders, holds, parse_condition
from dynamodb_engine.values import AttributeValue, Item, check_value
from tools.testing.cases import every

ITEM: Item = {
    "n": {"N": "10"},
    "neg": {"N": "-1.5"},
    "s": {"S": "hello"},
    "hollow": {"S": ""},
    "music": {"S": "é𝄞"},
    "b": {"B": "aGkgdGhlcmU="},
    "high": {"B": "gA=="},
    "yes": {"BOOL": True},
    "nothing": {"NULL": True},
    "ss": {"SS": ["cat", "dog"]},
    "ns": {"NS": ["1", "2"]},
    "bs": {"BS": ["AQ=="]},
    "l": {"L": [{"S": "x"}, {"SS": ["a", "b"]}, {"L": [{"N": "3"}]}]},
    "m": {"M": {"x": {"N": "1"}, "deep": {"M": {"y": {"S": "z"}}}}},
}
VALUES: dict[str, AttributeValue] = {
    ":5": {"N": "5"},
    ":10": {"N": "10"},
    ":9": {"N": "9"},
    ":s10": {"S": "10"},
    ":hello": {"S": "hello"},
    ":ell": {"S": "ell"},
    ":he": {"S": "he"},
    ":z": {"S": "z"},
    ":blank": {"S": ""},
    ":hi": {"B": "aGk="},
    ":7f": {"B": "fw=="},
    ":true": {"BOOL": True},
    ":null": {"NULL": True},
    ":dogcat": {"SS": ["dog", "cat"]},
    ":ba": {"SS": ["b", "a"]},
    ":cat": {"S": "cat"},
    ":1": {"N": "1"},
    ":3": {"N": "3"},
    ":x01": {"B": "AQ=="},
    ":list3": {"L": [{"N": "3"}]},
    ":map": {"M": {"deep": {"M": {"y": {"S": "z"}}}, "x": {"N": "1"}}},
    ":l": {"L": [{"S": "x"}, {"SS": ["b", "a"]}, {"L": [{"N": "3"}]}]},
    ":N": {"S": "N"},
    ":M": {"S": "M"},
}


def is_match(text: str) -> bool:
    values = {alias: check_value(value)[0] for alias, value in VALUES.items()}  # as an engine does
    return holds(parse_condition(text, Placeholders(None, values)), ITEM)


@every(
    "text",
    [
        "n = :10",
        "n > :9",
        "n > :5",
        "n >= :10 AND n <= :10",
        "neg < :5",
        "NOT n < :9",
        "s > :he",
        "s = :hello",
        "n <> :s10",
        "high > :7f",
        "yes = :true",
        "nothing = :null",
        "ss = :dogcat",
        "m = :map",
        "l = :l",
        "m.x = :1",
        "m.deep.y = :z",
        "l[2][0] = :3",
        "n BETWEEN :5 AND :10",
        "n BETWEEN neg AND n",
        ":9 BETWEEN :5 AND n",
        "n IN (:5, :hello, :10)",
        "ss IN (:dogcat)",
        "begins_with(s, :he)",
        "begins_with(s, hollow)",
        "begins_with(:hello, s)",
        "begins_with(b, :hi)",
        "contains(s, :ell)",
        "contains(b, :hi)",
        "contains(ss, :cat)",
        "contains(ns, :1)",
        "contains(bs, :x01)",
        "contains(l, :ba)",
        "contains(l, :list3)",
        "contains(:dogcat, :cat)",
        "attribute_exists(m.deep.y)",
        "attribute_exists(nothing)",
        "attribute_not_exists(m.absent)",
        "attribute_not_exists(l[3])",
        "attribute_not_exists(s.x)",
        "attribute_not_exists(m[0])",
        "attribute_type(n, :N)",
        "attribute_type(m.deep, :M)",
        "attribute_type(:5, :N)",
        "size(s) = :5",
        "size(ss) < :5",
        "size(l) = :3",
        "size(m) > :1",
        "size(b) = size(:hello) OR size(b) > :5",
        "size(hollow) < :1",
        # size() counts UTF-16 code units, as Java does.
        "size(music) = :3",
        "n = :5 OR n = :10 AND s = :hello",
        "NOT (n = :5 OR n = :9)",
        "NOT n = :5 AND s = :hello",
    ],
)
def test_condition_holds(text: str) -> None:
    assert is_match(text)


@every(
    "text",
    [
        "n = :s10",
        "n < :9",
        "s > :5",
        "l > n",
        "high < :7f",
        "m.deep = :map",
        "n BETWEEN s AND :10",
        "n BETWEEN :5 AND s",
        "l BETWEEN n AND :10",
        "n IN (:s10, :9)",
        "begins_with(n, s)",
        "begins_with(s, b)",
        "contains(n, :1)",
        "contains(s, :1)",
        "contains(m, :1)",
        "contains(ss, :dogcat)",
        "attribute_type(n, :M)",
        "attribute_exists(m.x.y)",
        "attribute_exists(l[0][0])",
        "size(n) = :10",
        "size(yes) > :1 OR size(nothing) > :1 OR size(n) < :1",
        "size(s) = :hello",
        "NOT n = :10 AND s = :hello",
        "n = :10 AND n = :5 OR s = :z",
    ],
)
def test_condition_does_not_hold(text: str) -> None:
    assert not is_match(text)


# A missing attribute equals nothing, not even another missing one. So the idiom `pk <> :pk` creates
# an item only once.
@every("other", [":5", "n", "gone2", "size(gone2)"])
def test_missing_attribute_differs_from_everything(other: str) -> None:
    assert is_match(f"gone <> {other}")
    assert is_match(f"{other} <> gone")
    for comparator in ("=", "<", "<=", ">", ">="):
        assert not is_match(f"gone {comparator} {other}")
        assert not is_match(f"{other} {comparator} gone")


@every(
    "text",
    [
        "gone BETWEEN :5 AND :10",
        "n BETWEEN gone AND :10",
        "n BETWEEN :5 AND gone",
        "gone IN (:5, gone2)",
        "n IN (gone)",
        "begins_with(gone, :he)",
        "begins_with(s, gone)",
        "contains(gone, :he)",
        "contains(s, gone)",
        "attribute_type(gone, :N)",
        "attribute_exists(gone)",
        "size(gone) < :5",
    ],
)
def test_missing_attribute_satisfies_no_other_condition(text: str) -> None:
    assert not is_match(text)


# A chain of AND or OR is evaluated without recursion.
def test_long_chain_of_conditions_does_not_exhaust_the_stack() -> None:
    chain = " AND ".join(["n=:10"] * 150)
    assert is_match(chain)
    assert not is_match(f"{chain.replace('AND', 'OR').replace('=:10', '=:5')}")


class CountedList(list[AttributeValue]):
    """Counts how often it is compared."""

    comparisons = 0

    def __eq__(self, other: object) -> bool:
        type(self).comparisons += 1
        return super().__eq__(other)


def test_a_long_condition_compares_two_large_values_once() -> None:
    item: Item = {"l": {"L": CountedList([{"N": "1"}])}}
    values: dict[str, AttributeValue] = {":l": {"L": [{"N": "2"}]}}
    tests = ["l <> :l", "NOT l = :l", "(l <> :l OR l = :l)"] * 30
    assert holds(parse_condition(" AND ".join(tests), Placeholders(None, values)), item)
    assert CountedList.comparisons == 1
