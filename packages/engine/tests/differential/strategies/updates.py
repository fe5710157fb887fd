"""Update expressions: each clause at most once, no overlapping paths."""

from __future__ import annotations

from tests.differential.features import Feature
from tests.differential.strategies.universe import USUAL, values
from tests.differential.strategies.writer import Writer

_NESTED = Feature.UPDATES_OF_PATHS
_SETS = ("SS", "NS", "BS")


def write_update(writer: Writer) -> str:
    """Draw an update of one to three attributes."""
    names = dict.fromkeys(writer.attribute() for _ in range(writer.pick((1, 1, 2, 3))))
    sections: dict[str, list[str]] = {}
    for name in names:
        section, clause = _clause(writer, name)
        sections.setdefault(section, []).append(clause)
    return " ".join(f"{section} {', '.join(clauses)}" for section, clauses in sections.items())


def _clause(writer: Writer, name: str) -> tuple[str, str]:
    target = writer.path(name, _NESTED)
    kind = USUAL[name]
    sections = ["SET", "SET", "SET", "REMOVE"]
    if kind == "N" or kind in _SETS:
        sections += ["ADD", "ADD"]
    if kind in _SETS:
        sections += ["DELETE", "DELETE"]
    match section := writer.pick(sections):
        case "SET":
            return section, f"{target} = {_new_value(writer, name, target)}"
        case "REMOVE":
            return section, target
        case _:
            return section, f"{target} {writer.usual(name)}"


def _new_value(writer: Writer, name: str, target: str) -> str:
    shapes = ["value", "value", "path", "if_not_exists"]
    if USUAL[name] == "N":
        shapes += ["+", "-", "+", "counter"]
    if USUAL[name] == "L":
        shapes += ["append", "prepend", "append to new"]
    match shape := writer.pick(shapes):
        case "path":
            return writer.path(writer.attribute(), _NESTED)
        case "if_not_exists":
            path = writer.path(writer.attribute(), _NESTED) if writer.chance() else target
            return f"if_not_exists({path}, {writer.usual(name)})"
        case "+" | "-":
            path = writer.path(writer.attribute(), _NESTED) if writer.chance() else target
            return f"{path} {shape} {writer.usual(name)}"
        case "counter":
            return f"if_not_exists({target}, {writer.usual(name)}) + {writer.usual(name)}"
        case "append":
            return f"list_append({target}, {writer.usual(name)})"
        case "prepend":
            return f"list_append({writer.usual(name)}, {target})"
        case "append to new":
            return (
                f"list_append(if_not_exists({target}, {writer.usual(name)}), {writer.usual(name)})"
            )
        case _:
            odd = writer.chance()
            return writer.value(writer.draw(values(writer.features))) if odd else writer.usual(name)
