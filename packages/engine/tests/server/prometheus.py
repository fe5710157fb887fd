"""Parse Prometheus's text format strictly, by its specification."""

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
class MetricFamily:
    """The samples of one name."""

    help: str = ""
    kind: str = ""
    samples: dict[tuple[str, Labels], float] = field(
        default_factory=dict[tuple[str, Labels], float]
    )

    def value(self, suffix: str = "", **labels: str) -> float:
        """Return the value with exactly these labels; an empty label counts as absent."""
        labelset = frozenset((name, value) for name, value in labels.items() if value)
        return self.samples[suffix, labelset]


def parse_metrics(text: str) -> dict[str, MetricFamily]:
    """Return the families of a page; raise AssertionError if it breaks a rule of the format."""
    assert text.endswith("\n"), "the last line ends with a newline"
    families: dict[str, MetricFamily] = {}
    last = ""
    for line in text.splitlines():
        if comment := _COMMENT.fullmatch(line):
            keyword, last, rest = comment.groups()
            family = families.setdefault(last, MetricFamily())
            assert not family.samples, f"comments come before samples: {line}"
            if keyword == "HELP":
                assert not family.help, f"repeated: {line}"
                family.help = _unescaped(rest)
            else:
                assert not family.kind, f"repeated: {line}"
                assert rest in _SUFFIXES, line
                family.kind = rest
        else:
            sample = _SAMPLE.fullmatch(line)
            assert sample, f"not a sample: {line}"
            name, labels, value = sample.groups()
            family = families[last]
            suffix = name.removeprefix(last)
            assert name.startswith(last), f"samples of a family must follow each other: {line}"
            assert suffix in _SUFFIXES[family.kind], line
            key = suffix, _labels(labels or "")
            assert key not in family.samples, f"repeated: {line}"
            family.samples[key] = float(value)
    for name, family in families.items():
        assert family.help, f"{name} has no help"
        if family.kind == "counter":
            assert name.endswith("_total"), f"{name} is a counter without _total"
        if family.kind == "histogram":
            _check_histogram(family)
    return families


def _labels(text: str) -> Labels:
    labels: dict[str, str] = {}
    position = 0
    while position < len(text):
        label = _LABEL.match(text, position)
        assert label, f"not a label: {text[position:]}"
        assert label[1] not in labels, f"repeated label: {text}"
        labels[label[1]] = _unescaped(label[2])
        position = label.end()
    return frozenset((name, value) for name, value in labels.items() if value)


def _unescaped(text: str) -> str:
    return re.sub(r"\\.", lambda escape: _ESCAPED[escape[0]], text)


def _check_histogram(family: MetricFamily) -> None:
    """Check that buckets are cumulative and that the last one counts everything."""
    buckets: dict[Labels, list[tuple[float, float]]] = {}
    for (suffix, labels), value in family.samples.items():
        if suffix == "_bucket":
            bound = float(dict(labels)["le"])
            others = frozenset(label for label in labels if label[0] != "le")
            buckets.setdefault(others, []).append((bound, value))
    for labels, counts in buckets.items():
        assert counts == sorted(counts)
        assert [value for _, value in counts] == sorted(value for _, value in counts)
        assert counts[-1] == (float("inf"), family.samples["_count", labels])
        assert ("_sum", labels) in family.samples
