"""What does not fit a form, in plain words for who typed it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import ValidationError

_Limits = Mapping[str, object]

# By the types of pydantic's errors; for others its own words are good enough.
_WORDS: Mapping[str, Callable[[_Limits], str]] = {
    "missing": lambda limits: "Please fill this in.",
    "string_too_short": lambda limits: _at_least(limits["min_length"], "character"),
    "string_too_long": lambda limits: _at_most(limits["max_length"], "character"),
    "too_short": lambda limits: _choose("at least", limits["min_length"]),
    "too_long": lambda limits: _choose("at most", limits["max_length"]),
    "int_parsing": lambda limits: "Enter a whole number.",
    "int_from_float": lambda limits: "Enter a whole number.",
    "int_parsing_size": lambda limits: "That number is too large.",
    "float_parsing": lambda limits: "Enter a number.",
    "decimal_parsing": lambda limits: "Enter a number.",
    "greater_than_equal": lambda limits: f"Enter {limits['ge']} or more.",
    "greater_than": lambda limits: f"Enter more than {limits['gt']}.",
    "less_than_equal": lambda limits: f"Enter {limits['le']} or less.",
    "less_than": lambda limits: f"Enter less than {limits['lt']}.",
    "literal_error": lambda limits: "Choose one of those offered.",
    "enum": lambda limits: "Choose one of those offered.",
    "value_error": lambda limits: str(limits["error"]),
}


def in_words(error: ValidationError) -> dict[str, str]:
    """What is wrong, by the name of the field; the first thing if there are several."""
    found: dict[str, str] = {}
    for fault in error.errors():
        name = str(fault["loc"][0]) if fault["loc"] else ""
        word = _WORDS.get(fault["type"])
        text = word(fault.get("ctx", {})) if word else f"{fault['msg']}."
        found.setdefault(name, text)
    return found


def _at_least(count: object, thing: str) -> str:
    return "Please fill this in." if count == 1 else f"Enter at least {count} {thing}s."


def _at_most(count: object, thing: str) -> str:
    return f"Enter at most {count} {thing}s."


def _choose(how: str, count: object) -> str:
    return f"Choose {how} {'one' if count == 1 else count}."
