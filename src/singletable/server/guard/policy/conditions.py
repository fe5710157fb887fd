"""Read the Condition of a statement: every operator and every key in it must be one we know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import cast

from singletable.server.guard.policy.fault import PolicyFault
from singletable.server.guard.policy.keys import OF_REQUESTS, SEVERAL
from singletable.server.guard.policy.operators import (
    COMPARISONS,
    NULL,
    Compares,
    IsNull,
    Scope,
    Test,
)
from singletable.server.guard.policy.patterns import literal, wildcard

_OPERATOR = re.compile(r"(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?")


def read_tests(condition: object, context: Mapping[str, str]) -> tuple[Test, ...]:
    """The tests of a condition, all of which must hold."""
    return tuple(
        _read_test(operator, _key(key, context), values, context)
        for operator, keys in _entries(condition, "Condition")
        for key, values in _entries(keys, operator)
    )


def _entries(value: object, what: str) -> Iterator[tuple[str, object]]:
    if not isinstance(value, dict):
        raise PolicyFault(f"{what} is a table of names and values (in JSON, an object)")
    yield from cast("dict[str, object]", value).items()


def _key(written: str, context: Mapping[str, str]) -> str:
    """The key as it is spelt here, however it was written."""
    known = (*OF_REQUESTS, *context)
    for key in known:
        if key.lower() == written.lower():
            return key
    raise PolicyFault(
        f"the condition key '{written}' is not known here, and so could not be enforced (there "
        f"are: {', '.join(known)}). Leave it out, or give it a value in [credential.context]"
    )


def _read_test(operator: str, key: str, values: object, context: Mapping[str, str]) -> Test:
    parts = _OPERATOR.fullmatch(operator)
    name = parts[2] if parts else operator
    if parts and name == NULL and not parts[1] and not parts[3]:
        return IsNull(key, _absent(values))
    comparison = COMPARISONS.get(name)
    if parts is None or comparison is None:
        raise PolicyFault(
            f"the condition operator '{operator}' is not known here, and so could not be enforced "
            f"(there are: {', '.join((*COMPARISONS, NULL))}; with ForAllValues: or ForAnyValue: "
            "before, and IfExists behind)"
        )
    scope = cast("Scope", parts[1] or "")  # the pattern has no others
    if key in SEVERAL and not scope:
        raise PolicyFault(
            f"'{key}' has several values, and '{operator}' does not say whether it is about all "
            f"of them or any. Write 'ForAllValues:{operator}'"
        )
    compile_ = wildcard if comparison.wildcards else literal
    patterns = [
        compile_(text, context, ignore_case=comparison.ignore_case) for text in _texts(values, key)
    ]
    return Compares(key, scope, parts[3] is not None, comparison.negated, tuple(patterns))


def _texts(values: object, key: str) -> list[str]:
    texts = cast("list[object]", values) if isinstance(values, list) else [values]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise PolicyFault(f"the values of '{key}' are a text or a list of texts")
    return cast("list[str]", texts)


def _absent(values: object) -> bool:
    options = cast("list[object]", values) if isinstance(values, list) else [values]
    words = {str(option).lower() for option in options}
    if words not in ({"true"}, {"false"}):
        raise PolicyFault("the value of a Null test is 'true' (not there) or 'false' (there)")
    return words == {"true"}
