"""Blocks of Terraform's language, and how they are written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Raw:
    """An expression that is written as it is."""

    text: str


Expression: TypeAlias = "str | int | bool | Raw | Sequence[Expression] | Mapping[str, Expression]"


@dataclass(frozen=True, slots=True)
class Block:
    """A block: its type and labels, its arguments, the blocks in it, and a note above it."""

    type: str
    labels: tuple[str, ...] = ()
    arguments: Mapping[str, Expression | None] | None = None
    blocks: tuple[Block, ...] = ()
    note: str = ""


def written(blocks: Iterable[Block]) -> str:
    """The text of a file, as `terraform fmt` would have it."""
    return "\n".join("\n".join(_lines(block)) + "\n" for block in blocks)


def _lines(block: Block) -> Iterator[str]:
    labels = "".join(f" {_quoted(label)}" for label in block.labels)
    given = {name: one for name, one in (block.arguments or {}).items() if one is not None}
    yield from (f"# {line}" for line in block.note.splitlines())
    yield f"{block.type}{labels} {{"
    yield from _arguments(given)
    for number, inner in enumerate(block.blocks):
        if given or number:
            yield ""
        yield from (f"  {line}" if line else line for line in _lines(inner))
    yield "}"


def _arguments(given: Mapping[str, Expression]) -> Iterator[str]:
    """The arguments, their signs aligned; one that takes several lines is aligned alone."""
    short = [name for name, value in given.items() if not isinstance(value, Mapping)]
    width = max(map(len, short), default=0)
    for name, value in given.items():
        if isinstance(value, Mapping):
            yield f"  {name} = {{"
            widest = max((len(_quoted(key)) for key in value), default=0)
            yield from (f"    {_quoted(key):{widest}} = {_text(one)}" for key, one in value.items())
            yield "  }"
        else:
            yield f"  {name:{width}} = {_text(value)}"


def _text(value: Expression) -> str:
    match value:
        case Raw(text):
            return text
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return _quoted(value)
        case Mapping():
            pairs = ", ".join(f"{_quoted(key)} = {_text(one)}" for key, one in value.items())
            return f"{{ {pairs} }}"
        case _:
            return f"[{', '.join(map(_text, value))}]"


def _quoted(text: str) -> str:
    """The text in quotes. What would begin a template in it is doubled, as the language has it."""
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted.replace("${", "$${").replace("%{", "%%{")
