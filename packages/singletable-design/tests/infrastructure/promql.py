"""Parse and evaluate the part of PromQL that generated rules and dashboards use.

The series are two scrapes of the same metrics, taken as the two ends of every range.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Labels: TypeAlias = frozenset[tuple[str, str]]
# A metric's name and labels; an empty label counts as absent.
Scrape: TypeAlias = Mapping[tuple[str, Labels], float]
Vector: TypeAlias = dict[Labels, float]

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)
    |(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<range>\[(?:\d+[smhd]|\$__rate_interval)\])
    |(?P<sign>=~|!~|!=|[=(){},/>])
    )""",
    re.VERBOSE,
)
_WORDS = {"sum", "by", "or", "rate", "increase", "histogram_quantile", "absent", "vector"}


def read_scrape(text: str) -> dict[tuple[str, Labels], float]:
    """Return the samples of a page in Prometheus's text format."""
    samples: dict[tuple[str, Labels], float] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            series, _, value = line.rpartition(" ")
            name, _, labels = series.partition("{")
            pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels)
            samples[name, frozenset((key, one) for key, one in pairs if one)] = float(value)
    return samples


@dataclass
class Evaluation:
    """The evaluation of an expression on two scrapes that are `seconds` apart."""

    before: Scrape
    after: Scrape
    seconds: float = 300.0

    def evaluate(self, expression: str) -> Vector:
        """Return the result; raise AssertionError if the expression is not valid."""
        parser = _Parser(expression, self)
        result = parser.disjunction()
        assert parser.token is None, f"unexpected {parser.token}: {expression}"
        assert isinstance(result, dict), f"a number is not an alert: {expression}"
        return result


class _Parser:
    def __init__(self, text: str, data: Evaluation) -> None:
        self.text, self.data = text, data
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while position < len(text):
            token = _TOKEN.match(text, position)
            assert token, f"not PromQL: {text[position:]}"
            assert token.lastgroup
            self.tokens.append((token.lastgroup, token[token.lastgroup]))
            position = token.end()
        self.position = 0

    @property
    def token(self) -> tuple[str, str] | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def take(self, kind: str, value: str | None = None) -> str:
        token = self.token
        assert token is not None, f"ends too early: {self.text}"
        assert token[0] == kind, f"expected {kind}, found {token}: {self.text}"
        assert value in (None, token[1]), f"expected {value}, found {token}: {self.text}"
        self.position += 1
        return token[1]

    def skip(self, kind: str, value: str) -> bool:
        found = self.token == (kind, value)
        self.position += found
        return found

    def disjunction(self) -> Vector | float:
        left = self.comparison()
        while self.skip("name", "or"):
            right = self.comparison()
            assert isinstance(left, dict), self.text
            assert isinstance(right, dict), self.text
            left = {**right, **left}
        return left

    def comparison(self) -> Vector | float:
        left = self.quotient()
        if self.skip("sign", ">"):
            right = self.quotient()
            assert isinstance(left, dict), self.text
            assert isinstance(right, float), self.text
            left = {labels: value for labels, value in left.items() if value > right}
        return left

    def quotient(self) -> Vector | float:
        left = self.operand()
        while self.skip("sign", "/"):
            right = self.operand()
            assert isinstance(left, dict), self.text
            assert isinstance(right, dict), self.text
            left = {
                labels: value / right[labels] if right[labels] else float("nan")
                for labels, value in left.items()
                if labels in right
            }
        return left

    def operand(self) -> Vector | float:
        if self.token and self.token[0] == "number":
            return float(self.take("number"))
        name = self.take("name")
        if name == "sum":
            return self.sum()
        if name in _WORDS:
            self.take("sign", "(")
            result = self.function(name)
            self.take("sign", ")")
            return result
        return self.selected(name)[1]

    def sum(self) -> Vector:
        kept: set[str] = set()
        if self.skip("name", "by"):
            self.take("sign", "(")
            kept.add(self.take("name"))
            while self.skip("sign", ","):
                kept.add(self.take("name"))
            self.take("sign", ")")
        self.take("sign", "(")
        inner = self.disjunction()
        self.take("sign", ")")
        assert isinstance(inner, dict), self.text
        total: Vector = {}
        for labels, value in inner.items():
            group = frozenset(label for label in labels if label[0] in kept)
            total[group] = total.get(group, 0.0) + value
        return total

    def function(self, name: str) -> Vector:
        match name:
            case "vector":
                return {frozenset(): float(self.take("number"))}
            case "absent":
                _, found = self.selected(self.take("name"))
                return {} if found else {frozenset(): 1.0}
            case "histogram_quantile":
                share = float(self.take("number"))
                self.take("sign", ",")
                buckets = self.disjunction()
                assert isinstance(buckets, dict), self.text
                return _quantile(share, buckets)
            case "rate" | "increase":
                before, after = self.selected(self.take("name"))
                self.take("range")
                seconds = self.data.seconds if name == "rate" else 1.0
                return {
                    labels: (value - before.get(labels, 0.0)) / seconds
                    for labels, value in after.items()
                }
            case _:
                raise AssertionError(f"unknown function {name}: {self.text}")

    def selected(self, metric: str) -> tuple[Vector, Vector]:
        """Return the series of a metric in both scrapes."""
        names = {name for name, _ in self.data.after}
        assert metric in names, f"{metric} is not exported"
        known = {label for name, labels in self.data.after if name == metric for label, _ in labels}
        matchers: list[tuple[str, Callable[[str], bool]]] = []
        if self.skip("sign", "{"):
            while not self.skip("sign", "}"):
                label = self.take("name")
                assert label in {*known, "job", "index"}, f"{metric} has no label {label}"
                matchers.append((label, _matcher(self.take("sign"), self.take("string"))))
                if self.token != ("sign", "}"):
                    self.take("sign", ",")

        def select(scrape: Scrape) -> Vector:
            return {
                labels: value
                for (name, labels), value in scrape.items()
                if name == metric
                and all(test(dict(labels).get(label, "")) for label, test in matchers)
            }

        return select(self.data.before), select(self.data.after)


def _matcher(operator: str, string: str) -> Callable[[str], bool]:
    text: str = ast.literal_eval(string)
    if text == "$job":  # a variable of the dashboard
        return lambda value: True
    pattern = re.compile(text if "~" in operator else re.escape(text))
    positive = operator in ("=", "=~")
    return lambda value: (pattern.fullmatch(value) is not None) == positive


def _quantile(share: float, buckets: Vector) -> Vector:
    """Return the upper bound of the bucket that contains the quantile."""
    groups: dict[Labels, list[tuple[float, float]]] = {}
    for labels, count in buckets.items():
        bound = float(dict(labels)["le"])
        others = frozenset(label for label in labels if label[0] != "le")
        groups.setdefault(others, []).append((bound, count))
    return {
        labels: next(bound for bound, count in sorted(bounds) if count >= share * max(bounds)[1])
        for labels, bounds in groups.items()
    }
