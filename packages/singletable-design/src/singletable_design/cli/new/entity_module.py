"""Write a designed entity as one new module: the class, and a catalog of its access patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from singletable.migration.schema_diff.old_declaration import OUR_NAMES, STANDARD_NAMES
from singletable.patterns import PatternCatalog
from singletable.schema.source import docstring, format_call, format_key, quoted, render_imports
from singletable_design.cli.new.entity_design import (
    EntityAnswers,
    EntityDesign,
    with_article,
    words_of,
)
from singletable_design.introspection.names import plural, snake_case

_OUR_NAMES = (
    *OUR_NAMES, "PatternCatalog", "created", "creates", "deletes", "per_day", "per_hour",
    "per_minute", "per_second", "updated", "updates", "version",
)  # fmt: skip


def render_module(
    design: EntityDesign,
    answers: EntityAnswers,
    module: str,
    variables: Mapping[str, str],
    catalogs: Sequence[PatternCatalog],
) -> str:
    """Return the source of the module.

    `variables` are those of the table and its indexes in `module`. The codes of patterns follow
    those of `catalogs`.
    """
    name, catalog = design.name, plural(snake_case(design.name))
    arguments = [quoted(catalog), variables[design.table.name]]
    for key, number in (("sizes", answers.size), ("counts", answers.items)):
        arguments += [] if number is None else [f"{key}={{{name}: {_number(number)}}}"]
    created = format_call(f"{catalog} = PatternCatalog(", arguments)
    patterns = _pattern_lines(design, answers, catalog, catalogs)
    code = "\n".join([*_class_lines(design, answers, variables), "\n", created, *patterns])
    title = f"{words_of(catalog).capitalize()}: the entity, and its access patterns."
    groups = [STANDARD_NAMES, {"singletable": _OUR_NAMES}, {module: variables.values()}]
    head = [docstring(title), "from __future__ import annotations", render_imports(code, groups)]
    return "\n\n".join(head) + f"\n\n{code}\n"


def _class_lines(
    design: EntityDesign, answers: EntityAnswers, variables: Mapping[str, str]
) -> Iterable[str]:
    arguments = ["Entity", f"table={variables[design.table.name]}"]
    if design.tag is not None:
        arguments.append(f"type_tag=({', '.join(map(quoted, design.tag))})")
    summary = with_article(words_of(design.name)).capitalize()
    summary += f" of {with_article(words_of(answers.owner))}" if answers.owner else ""
    yield format_call(f"class {design.name}(", arguments, "):")
    yield f"    {docstring(f'{summary}.')}\n"
    for field in design.fields:
        begin, options = field.declare()
        yield format_call(begin, options, indent=4)
    yield ""
    for key in design.keys:
        sides = [
            f"{side}={_tuple(parts)}" for side, parts in (("pk", key.pk), ("sk", key.sk)) if parts
        ]
        on = [] if key.index is None else [variables[key.index.name]]
        yield format_key(key.name, sides, on)


def _pattern_lines(
    design: EntityDesign, answers: EntityAnswers, catalog: str, catalogs: Sequence[PatternCatalog]
) -> Iterable[str]:
    prefix = answers.code or design.name[0]
    codes = (re.fullmatch(rf"{prefix}(\d+)\w?", one.code) for other in catalogs for one in other)
    number = max((int(one[1]) for one in codes if one), default=0)
    for variable, description, access in _patterns(design, answers):
        number += 1
        is_write, is_list = access.endswith(")"), not access.endswith((")", ".key"))
        arguments = [quoted(f"{prefix}{number}"), quoted(description), access]
        if is_list:
            page = min(answers.page_size, answers.items or answers.page_size)
            arguments += [f"items={page}"] if page != 1 else []
        if rate := answers.write_rate if is_write else answers.read_rate:
            arguments.append(f"rate=per_{rate.period}({_number(rate.calls)})")
        begin = f"{variable} = {catalog}.{'write' if is_write else 'read'}("
        yield format_call(begin, arguments)


def _patterns(design: EntityDesign, answers: EntityAnswers) -> Iterable[tuple[str, str, str]]:
    """Yield the variable, the description and the access of each pattern, as source."""
    name, words, snake = design.name, words_of(design.name), snake_case(design.name)
    one, many, all_ = with_article(words), plural(words).capitalize(), plural(snake)
    yield f"get_{snake}", f"Get {one}", f"{name}.key"
    if answers.owner is not None and answers.several is not False:
        owner = answers.owner
        description = f"{many} of {with_article(words_of(owner))}"
        yield f"{all_}_of_{snake_case(owner)}", description, f"{name}.key.partition"
    for key in design.keys[1:]:
        by = " and ".join(map(words_of, answers.across or ()))
        order = ", then ".join(map(words_of, answers.order or ()))
        description = f"{many} by {by}" if by else f"All {plural(words)}"
        description += f", sorted by {order}" if order else ""
        yield f"{all_}_{key.name}" if by else f"all_{all_}", description, f"{name}.{key.name}"
    yield f"create_{snake}", f"Create {one}", f"creates({name})"
    changed = [
        f"{name}.{field.name}"
        for field in design.fields
        if field not in design.identity and not field.is_set_by_store
    ]
    if changed:
        access = format_call("updates(", [name, *changed], indent=4).strip()
        yield f"update_{snake}", f"Change {one}", access
    yield f"delete_{snake}", f"Delete {one}", f"deletes({name})"


def _tuple(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _number(number: float) -> str:
    """Return a number as source: 1000 as 1_000."""
    return f"{int(number):_}" if number == int(number) else repr(number)
