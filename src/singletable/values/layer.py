"""What DynamoDB's two layers of checks say of a bad value.

DynamoDB checks values in two layers of different age, and words some refusals differently in each.
Which layer an operation has is the engine's affair; here is what each layer says.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from dataclasses import dataclass

from singletable.values.number import NOT_NUMERIC, OVERFLOW, UNDERFLOW, NotANumber

INVALID = "One or more parameter values were invalid: "
_HUGE_EXPONENT = re.compile(r"[^eE]*[eE]([+-]?)0*2147483647", re.ASCII)


@dataclass(frozen=True, slots=True)
class Layer:
    """How one age of DynamoDB words its refusals."""

    modern: bool

    def bad_number(self, text: str, problem: NotANumber) -> str:
        """What is said of a text that is no number."""
        if self.modern:
            return str(problem)
        if not text:
            return NOT_NUMERIC
        # The older layer negates the exponent in 32 bits, which wraps for this one value.
        if str(problem) == OVERFLOW and _HUGE_EXPONENT.fullmatch(text):
            return UNDERFLOW
        return str(problem)

    def duplicates(self, kind: str, members: list[str]) -> str:
        """What is said of a set that names a member twice."""
        if kind == "NS":
            text = "Input collection contains duplicates"
            return f"{INVALID}{text}." if self.modern else text
        listed = f"[{', '.join(members)}]"
        if self.modern:
            first = _first_again(members)
            known = sorted(members[:first], key=a2b_base64 if kind == "BS" else str.encode)
            quoted = [f'"{member}"' for member in [*known, *members[first:]]]
            listed = f"[{(',' if kind == 'BS' else ', ').join(quoted)}]"
        of_type = "of type BS" if kind == "BS" else ""
        return f"{INVALID}Input collection {listed}{of_type} contains duplicates."


def _first_again(members: list[str]) -> int:
    """The place of the first member that was there before."""
    seen: set[str] = set()
    for place, member in enumerate(members):
        if member in seen:
            return place
        seen.add(member)
    return len(members)


MODERN = Layer(modern=True)
OLDER = Layer(modern=False)
