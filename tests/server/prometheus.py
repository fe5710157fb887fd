"""A strict reader of Prometheus's text format, by its specification."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

Labels: TypeAlias = frozenset[tuple[str, str]]

_COMMENT = re.compile(r"# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)")
_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
_SUFFIXES = {"counter": [""], "gauge": [""], "histogram": ["_bucket", "_sum", "_count"]}
_ESCAPED = {r"\\": "\\", r"\"": '"', r"\n": "\n"}


@dataclass
class Family:
    """What a page says of one name."""

    meaning: str = ""
    kind: str = ""
    samples: dict[tuple[str, Labels], float] = field(
        default_factory=dict[tuple[str, Labels], float]
    )

    def value(self, suffix: str = "", **labels: str) -> float:
        """The value with exactly these labels; one that is empty is as good as absent."""
        given = frozenset((name, value) for name, value in labels.items() if value)
        return self.samples[suffix, given]


def read_page(text: str) -> dict[str, Family]:
    """The families of a page; AssertionError if it breaks a rule of the format."""
    assert text.endswith("\n"), "the last line ends too"
    families: dict[str, Family] = {}
    last = ""
    for line in text.splitlines():
        if comment := _COMMENT.fullmatch(line):
            what, last, rest = comment.groups()
            family = families.setdefault(last, Family())
            assert not family.samples, f"comments come before samples: {line}"
            if what == "HELP":
                assert not family.meaning, f"told once: {line}"
                family.meaning = _unescaped(rest)
            else:
                assert not family.kind, f"told once: {line}"
                assert rest in _SUFFIXES, line
                family.kind = rest
        else:
            sample = _SAMPLE.fullmatch(line)
            assert sample, f"no sample: {line}"
            name, labels, value = sample.groups()
            family = families[last]
            suffix = name.removeprefix(last)
            assert name.startswith(last), f"the samples of a family stand together: {line}"
            assert suffix in _SUFFIXES[family.kind], line
            key = suffix, _labels(labels or "")
            assert key not in family.samples, f"told once: {line}"
            family.samples[key] = float(value)
    for name, family in families.items():
        assert family.meaning, f"{name} is explained"
        if family.kind == "counter":
            assert name.endswith("_total"), f"{name} is a counter"
        if family.kind == "histogram":
            _check_histogram(family)
    return families


def _labels(text: str) -> Labels:
    found: dict[str, str] = {}
    position = 0
    while position < len(text):
        label = _LABEL.match(text, position)
        assert label, f"no label: {text[position:]}"
        assert label[1] not in found, f"named once: {text}"
        found[label[1]] = _unescaped(label[2])
        position = label.end()
    return frozenset((name, value) for name, value in found.items() if value)


def _unescaped(text: str) -> str:
    return re.sub(r"\\.", lambda found: _ESCAPED[found[0]], text)


def _check_histogram(family: Family) -> None:
    """Buckets grow with their bounds, and the last holds everything."""
    buckets: dict[Labels, list[tuple[float, float]]] = {}
    for (suffix, labels), value in family.samples.items():
        if suffix == "_bucket":
            bound = float(dict(labels)["le"])
            others = frozenset(label for label in labels if label[0] != "le")
            buckets.setdefault(others, []).append((bound, value))
    for labels, counted in buckets.items():
        assert counted == sorted(counted)
        assert [value for _, value in counted] == sorted(value for _, value in counted)
        assert counted[-1] == (float("inf"), family.samples["_count", labels])
        assert ("_sum", labels) in family.samples
