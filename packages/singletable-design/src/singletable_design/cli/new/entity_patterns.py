"""Design the access patterns of a new entity: gets, lists and writes, each with its load."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

from singletable.patterns import Rate
from singletable_design.cli.new.entity_design import EntityAnswers, EntityDesign, article, words_of
from singletable_design.introspection.names import plural, snake_case, unused_name


@dataclass(frozen=True, slots=True)
class NewPattern:
    """An access pattern of a new entity; `access` is source, such as `Project.key`."""

    code: str
    variable: str
    description: str
    access: str
    items: int = 1
    rate: Rate | None = None

    @property
    def is_read(self) -> bool:
        """Whether it reads."""
        return not self.access.endswith(")")


def design_patterns(
    design: EntityDesign,
    answers: EntityAnswers,
    owner: str | None,
    known: Sequence[str],
    taken: Container[str],
) -> list[NewPattern]:
    """Return the patterns of an entity.

    `known` are the codes of the other patterns, and `taken` the names that the module has already.
    """
    name, words, snake = design.name, words_of(design.name), snake_case(design.name)
    one, many, page = f"{article(words)} {words}", plural(words).capitalize(), answers.page_size
    if answers.items is not None:
        page = max(1, min(page, answers.items))
    found: list[tuple[str, str, str, int]] = [(f"get_{snake}", f"Get {one}", f"{name}.key", 1)]
    if owner is not None and answers.several:
        owned = f"{article(words_of(owner))} {words_of(owner)}"
        variable = f"{plural(snake)}_of_{snake_case(owner)}"
        found.append((variable, f"{many} of {owned}", f"{name}.key.partition", page))
    if design.index_key is not None:
        by = " and ".join(map(words_of, answers.across))
        order = ", then ".join(map(words_of, answers.order))
        description = f"{many} by {by}" if by else f"All {plural(words)}"
        description += f", sorted by {order}" if order else ""
        variable = f"{plural(snake)}_{design.index_key.name}" if by else f"all_{plural(snake)}"
        found.append((variable, description, f"{name}.{design.index_key.name}", page))
    found.append((f"create_{snake}", f"Create {one}", f"creates({name})", 1))
    if design.changeable_fields:
        changed = [name, *(f"{name}.{one.name}" for one in design.changeable_fields)]
        found.append((f"update_{snake}", f"Change {one}", f"updates({', '.join(changed)})", 1))
    found.append((f"delete_{snake}", f"Delete {one}", f"deletes({name})", 1))
    patterns: list[NewPattern] = []
    for code, (variable, description, access, items) in zip(
        pattern_codes(name, known, len(found), answers.code), found, strict=True
    ):
        rate = answers.write_rate if access.endswith(")") else answers.read_rate
        variable = unused_name(variable, taken)
        patterns.append(NewPattern(code, variable, description, access, items, rate))
    return patterns


def pattern_codes(
    name: str, known: Sequence[str], count: int, chosen: str | None = None
) -> list[str]:
    """Return new codes: the next numbers after AP1, AP2, …, or P1, P2, … for a Project."""
    if chosen is not None:
        numbered = (re.fullmatch(rf"{chosen}(\d+)\w?", code) for code in known)
        first = 1 + max((int(one[1]) for one in numbered if one), default=0)
        return [f"{chosen}{number}" for number in range(first, first + count)]
    prefixes = {re.sub(r"\d+\w?$", "", code) for code in known}
    initials = "".join(one for one in name if one.isupper())
    candidates = [name[0], initials, name[:2].upper(), name[:3].upper(), name.upper()]
    prefix = next((one for one in candidates if one not in prefixes), f"{name}-")
    first = 1
    if len(prefixes) == 1 and len(common := prefixes.pop()) > 1:
        prefix = common
        first += max(int(found[0]) for code in known if (found := re.findall(r"\d+", code)))
    return [f"{prefix}{number}" for number in range(first, first + count)]
