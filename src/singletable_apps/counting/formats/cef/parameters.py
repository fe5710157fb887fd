"""The parameter lines of CEF, which begin with #/ and come before the first vote."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from singletable_apps.counting.errors import FormatError
from singletable_apps.counting.formats.digits import shown

_PARAMETER = re.compile(r"#/([^:]*\S):(.*)")
_TRUTH = {"true": True, "false": False}


@dataclass(slots=True)
class Parameters:
    """What the parameters say; those that are not standard are ignored, as the format asks."""

    candidates: list[str] = field(default_factory=list[str])
    implicit: bool = True
    weights: bool = False


def take_parameter(text: str, line: int, into: Parameters) -> None:
    """Put what a parameter line says into the parameters."""
    found = _PARAMETER.fullmatch(text)
    if found is None:
        raise FormatError(
            f"a parameter is '#/Name: value' without a space before the colon; this is "
            f"{shown(text)}.",
            line,
        )
    value = found[2].strip()
    if "#" in value:
        raise FormatError("a comment may not stand on a parameter's line.", line)
    match found[1].strip().lower():
        case "candidates":
            into.candidates = [name.strip() for name in value.split(";") if name.strip()]
        case "implicit ranking":
            into.implicit = _truth(value, line)
        case "weight allowed":
            into.weights = _truth(value, line)
        case _:
            pass


def _truth(value: str, line: int) -> bool:
    if value.lower() not in _TRUTH:
        raise FormatError(f"this is true or false, and {shown(value)} is neither.", line)
    return _TRUTH[value.lower()]
