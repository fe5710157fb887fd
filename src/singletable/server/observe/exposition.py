"""Prometheus's text format, version 0.0.4: families of samples, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_IN_LABELS = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_IN_HELP = str.maketrans({"\\": r"\\", "\n": r"\n"})


@dataclass(frozen=True, slots=True)
class Sample:
    """One line: a value, its labels, and what the family's name goes on with."""

    value: float
    labels: Mapping[str, str]
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """Samples of one name."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    meaning: str
    samples: Iterable[Sample]


def single(
    name: str, kind: Literal["counter", "gauge"], meaning: str, value: float, **labels: str
) -> Family:
    """A family of one sample."""
    return Family(name, kind, meaning, [Sample(value, labels)])


def exposition(families: Iterable[Family]) -> bytes:
    """The page that a scraper reads."""
    return "".join(line for family in families for line in _lines(family)).encode()


def _lines(family: Family) -> Iterable[str]:
    yield f"# HELP {family.name} {family.meaning.translate(_IN_HELP)}\n"
    yield f"# TYPE {family.name} {family.kind}\n"
    for sample in family.samples:
        yield f"{family.name}{sample.suffix}{_labels(sample.labels)} {sample.value!r}\n"


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{k}="{v.translate(_IN_LABELS)}"' for k, v in labels.items()) + "}"
