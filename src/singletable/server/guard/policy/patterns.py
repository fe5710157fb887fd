"""Texts of a policy with `*`, `?` and `${variables}` in them, made ready to match."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from singletable.server.guard.policy.fault import PolicyFault

_VARIABLE = re.compile(r"\$\{([^{}]*)\}")
_WITH_DEFAULT = re.compile(r"\s*([^,]+?)\s*(?:,\s*'([^']*)'\s*)?")
# `${*}` is how a policy writes a star that stands for itself.
_ESCAPED = ("*", "?", "$")


def wildcard(
    text: str, variables: Mapping[str, str], *, ignore_case: bool = False
) -> re.Pattern[str]:
    """A pattern for texts like `text`, in which `*` is any number of characters and `?` one."""
    fixed: list[str] = [""]
    for piece, is_literal in _pieces(text, variables):
        if is_literal:
            fixed[-1] += re.escape(piece)
        elif piece == "*":
            fixed.append("")
        else:
            fixed[-1] += "."
    return _compiled(fixed, ignore_case)


def literal(
    text: str, variables: Mapping[str, str], *, ignore_case: bool = False
) -> re.Pattern[str]:
    """A pattern for `text` itself, its variables filled in."""
    filled = "".join(piece for piece, _ in _pieces(text, variables))
    return _compiled([re.escape(filled)], ignore_case)


def _compiled(fixed: list[str], ignore_case: bool) -> re.Pattern[str]:
    """A pattern for the parts between stars. What a star has passed over is not tried again:
    otherwise a long value and a pattern with many stars would take for ever.
    """
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    if len(fixed) == 1:
        return re.compile(fixed[0], flags)
    first, *middle, last = fixed
    passed = "".join(f"(?>.*?{part})" for part in middle)
    return re.compile(f"{first}{passed}.*{last}", flags)


def _pieces(text: str, variables: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """The text in pieces: wildcards, and what stands for itself."""
    end = 0
    for found in _VARIABLE.finditer(text):
        yield from _plain(text[end : found.start()], text)
        yield _value(found[1], variables), True
        end = found.end()
    yield from _plain(text[end:], text)


def _plain(piece: str, text: str) -> Iterator[tuple[str, bool]]:
    if "${" in piece:
        raise PolicyFault(f"'{text}' has a '${{' that is not closed by '}}'")
    for part in re.split(r"([*?])", piece):
        if part:
            yield part, part not in ("*", "?")


def _value(written: str, variables: Mapping[str, str]) -> str:
    if written in _ESCAPED:
        return written
    parts = _WITH_DEFAULT.fullmatch(written)
    name = parts[1].lower() if parts else ""
    for known, value in variables.items():
        if known.lower() == name:
            return value
    if parts and parts[2] is not None:
        return parts[2]
    raise PolicyFault(
        f"the variable '${{{written}}}' has no value here (there are: {', '.join(variables)}). "
        "Give it one in the credential's [credential.context]"
    )
