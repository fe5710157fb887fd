"""Front matter: the names and values before the text of a Markdown file.

YAML between lines of `---` as Jekyll, Hugo and many others have it, TOML between lines of `+++` as
Hugo has it, or plain lines that end with `___`, as in Bear Blog.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, cast

import yaml

from singletable_apps.shared.languages import Phrase

_FENCED = re.compile(
    r"\A\ufeff?(---|\+\+\+)[ \t]*\n(.*?)^\1[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
# Bear Blog ends the header with underscores and does not start it with anything.
_BARE = re.compile(r"\A\ufeff?((?:[a-z_]+:.*\n)+)_{3,}[ \t]*(?:\n|\Z)")
_MAX_LENGTH, _MAX_FRONT_MATTER, _MAX_DEPTH = 1_000_000, 100_000, 20
_TOML_LINE = re.compile(r"\(at line (\d+), column \d+\)")
# The C loader is ten times as fast, but not every build of PyYAML has it.
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class InvalidFrontMatter(ValueError):
    """The front matter cannot be read. The message says why, and can be translated."""

    def __init__(self, text: str, **parameters: object) -> None:
        super().__init__(Phrase(text, **parameters))


def write_front_matter(values: Mapping[str, object], text: str) -> str:
    """Return a Markdown file with YAML; values may be texts, lists, times, and true or false.

    Empty values are left out.
    """
    lines = [f"{name}: {_as_yaml(value)}" for name, value in values.items() if value]
    return "\n".join(["---", *lines, "---", "", text, ""])


def _as_yaml(value: object) -> str:
    """Return a value as YAML on one line; a text is in quotes only if it needs them."""
    match value:
        case bool():
            return str(value).lower()
        case datetime():
            return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
        case list():
            return f"[{', '.join(map(_as_yaml, cast(list[object], value)))}]"
        case _:
            text = str(value)
            try:
                is_plain = yaml.safe_load(f"[{text}]") == [text]
            except (yaml.YAMLError, ValueError):
                is_plain = False
            return text if is_plain else json.dumps(text, ensure_ascii=False)


def read_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the names and values, and the text after them, or raise InvalidFrontMatter."""
    if bare := _BARE.match(text):
        lines = (line.partition(":") for line in bare[1].splitlines())
        values = {name: value.strip() for name, _, value in lines if value.strip()}
        return values, text[bare.end() :]
    found = _FENCED.match(text)
    if found is None:
        if text.startswith(("---\n", "+++\n")):
            raise InvalidFrontMatter("It has no end: a line %(fence)s is missing.", fence=text[:3])
        return {}, text
    if len(found[2]) > _MAX_FRONT_MATTER:
        raise InvalidFrontMatter("It is longer than %(most)s characters.", most=_MAX_FRONT_MATTER)
    values = read_values(found[2], is_toml=found[1] == "+++", first_line=2)
    return values, text[found.end() :]


def read_values(text: str, *, is_toml: bool = False, first_line: int = 1) -> dict[str, Any]:
    """Return the names and values in YAML, of which JSON is a part, or TOML.

    Errors name the line in the file; the text starts at `first_line`.
    """
    if len(text) > _MAX_LENGTH:
        raise InvalidFrontMatter("It is longer than %(most)s characters.", most=_MAX_LENGTH)
    try:
        found: object = tomllib.loads(text) if is_toml else _load_yaml(text)
        _check_values(found)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        at, lines = _line_of(error), text.splitlines() or [""]
        if at is None:
            reason = Phrase(" ".join(str(error).split())[:200])
            raise InvalidFrontMatter("It cannot be read: %(reason)s.", reason=reason) from error
        at = min(at, len(lines) - 1)
        raise InvalidFrontMatter(
            "Line %(number)s cannot be read: %(line)s – expected %(expected)s.",
            number=at + first_line,
            line=lines[at].strip()[:80],
            expected=_expected(lines[at], is_toml),
        ) from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise InvalidFrontMatter("Expected names and values, such as title: Tea.")
    return {str(key): each for key, each in cast(dict[object, Any], found).items()}


def _line_of(error: Exception) -> int | None:
    """Return the number of the line that has the error, from 0, or None if it is unknown."""
    if isinstance(error, yaml.MarkedYAMLError):
        # The context is where the value begins that has no end.
        mark = error.context_mark or error.problem_mark
        return None if mark is None else mark.line
    found = _TOML_LINE.search(str(error))
    return int(found[1]) - 1 if found else None


def _expected(line: str, is_toml: bool) -> Phrase:
    """Return what a line that cannot be read should have, in plain words."""
    for start, end in ("[]", "{}"):
        if line.count(start) != line.count(end):
            return Phrase("a %(start)s and a %(end)s around the values", start=start, end=end)
    if line.count('"') % 2 or line.count("'") % 2:
        return Phrase("quotation marks at both ends of the value")
    if "\t" in line:
        return Phrase("spaces instead of tabs")
    if is_toml:
        return Phrase('a name, an equals sign and a value, such as title = "Tea"')
    if line.count(": ") > 1 or line.partition(":")[2].strip()[:1] in tuple("@`%&*!|>"):
        return Phrase('quotation marks around the value, such as title: "Tea: a story"')
    return Phrase("a name, a colon and a value, such as title: Tea")


def _load_yaml(text: str) -> object:
    depth = 0
    # The stubs of PyYAML do not type its events.
    events: Iterable[Any] = cast(Any, yaml).parse(text, _Loader)
    for event in events:
        # With aliases, a short text can stand for gigabytes.
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("aliases such as *name are not supported")
        # PyYAML fails with arbitrary errors on values with tags, such as `!!bool x`.
        if getattr(event, "tag", None) is not None:
            raise yaml.YAMLError("tags such as !!int are not supported")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise yaml.YAMLError(f"expected at most {_MAX_DEPTH} levels")
    return cast(object, yaml.load(text, _Loader))


def _check_values(value: object, depth: int = 0) -> None:
    """Raise ValueError if values are nested too deeply or numbers are too long to print."""
    if depth > _MAX_DEPTH:
        raise ValueError(f"expected at most {_MAX_DEPTH} levels")
    if isinstance(value, int) and value.bit_length() > 64:
        raise ValueError("a number has too many digits")
    if isinstance(value, dict):
        for name, inner in cast(dict[object, object], value).items():
            _check_values(name, depth)
            _check_values(inner, depth + 1)
    elif isinstance(value, list):
        for inner in cast(list[object], value):
            _check_values(inner, depth + 1)
