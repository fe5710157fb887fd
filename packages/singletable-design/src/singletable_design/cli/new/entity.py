"""Design an entity from options and questions, show what it costs, and write its module."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from singletable.cli.app_loader import load_module, load_tables
from singletable.cli.explain_view import print_plan
from singletable.cli.output import print_trimmed, write_output
from singletable.errors import DeclarationError, InvalidValue, SingleTableError
from singletable.patterns import find_catalogs
from singletable.schema import Index, Table, model_of
from singletable.schema.source import render_index
from singletable_design.cli.new import entity_design as designs
from singletable_design.cli.new.entity_module import render_module
from singletable_design.cli.new.fields import NewField, parse_field, parse_rate
from singletable_design.cli.new.project import run_source
from singletable_design.introspection.names import plural, snake_case
from singletable_design.planning import create_report
from singletable_design.planning.formats import format_dollars


def add_entity(
    app: str, answers: designs.EntityAnswers, output: Path | None, *, asks: bool
) -> None:
    """Design the entity, print the proposal on standard error, and write or print the module."""
    tables = load_tables(app)
    module = load_module(app.partition(":")[0])
    known = {one.__name__: model_of(one) for table in tables for one in table.entities}
    designs.check_entity_name(answers.name, known)
    if asks:
        answers = _ask_all(answers, list(known))
    owner = None if answers.owner is None else known[_one_of(answers.owner, list(known))]
    if owner is None and len(tables) > 1:
        raise DeclarationError(f"{app} has several tables. Name one as {app}:VARIABLE.")
    table = tables[0] if owner is None else owner.table
    catalogs = [one for one in find_catalogs(module) if table in one.tables]
    design = designs.EntityDesigner(answers, table, owner, catalogs).design()
    home, variables = _variables(module, design)
    text = render_module(design, answers, home.__name__, variables, catalogs)
    console = Console(highlight=False, stderr=True)
    notes = list(design.notes)
    with _new_index(design, home), run_source(text) as created:
        catalog = find_catalogs(created)[0]
        for pattern in catalog:
            print_plan(console, pattern, catalog)
        report = create_report([catalog])
        hot = [one for one in report.advice if one.kind.startswith("hot-key")]
        notes += [f"{one.problem} {one.change}" for one in hot]
    console.print(f"On demand in {report.region}: {format_dollars(report.cost)} a month.\n")
    if design.new_index is not None:
        source = render_index(design.new_index, variables[design.new_index.name], 1_000)
        notes.append(
            f"The index is new. Declare it in {home.__name__}, add it to the table, and migrate "
            f"tables that exist: {source}"
        )
    for note in notes:
        print_trimmed(console, Text.assemble(("Note: ", "bold yellow"), note))
    write_output(text, output)


def _variables(
    module: ModuleType, design: designs.EntityDesign
) -> tuple[ModuleType, dict[str, str]]:
    """Return the module with the table, and the variables of the table and its indexes by name."""
    # A module that declares an entity is preferred: the given one may only import the table.
    wanted: list[Table | Index] = [design.table, *design.table.indexes]
    for home in (*(sys.modules[one.__module__] for one in design.table.entities), module):
        names = {id(value): name for name, value in vars(home).items()}
        if id(design.table) in names:
            found = {one.name: names[id(one)] for one in wanted if id(one) in names}
            new = design.new_index
            return home, found | ({} if new is None else {new.name: snake_case(new.name)})
    raise DeclarationError(f"No module-level variable has {design.table!r}. Assign it to one.")


@contextmanager
def _new_index(design: designs.EntityDesign, home: ModuleType) -> Generator[None]:
    """Declare the new index within the block; remove it and the new entity afterwards."""
    table, index, before = design.table, design.new_index, list(design.table.entities)
    if index is not None:
        table.indexes = (*table.indexes, index)
        setattr(home, snake_case(index.name), index)
    try:
        yield
    finally:
        for entity in table.entities[len(before) :]:
            table.remove_entity(entity)
        if index is not None:
            table.indexes = table.indexes[:-1]


def _ask_all(answers: designs.EntityAnswers, known: Sequence[str]) -> designs.EntityAnswers:
    """Ask for everything that is not an option."""

    def ask(name: str, question: str, parse: Callable[[str], Any], default: str = "") -> Any:
        nonlocal answers
        if getattr(answers, name) is None:
            given: dict[str, Any] = {name: _prompt(question, parse, default)}
            answers = replace(answers, **given)
        return getattr(answers, name)

    def names(text: str) -> tuple[str, ...]:
        return tuple(text.replace(",", " ").split())

    many = plural(designs.words_of(answers.name))
    if known:
        choices = f"{', '.join(known)}, or Enter for none"
        parse_owner = _optional(lambda text: _one_of(text, known))
        ask("owner", f"Which entity owns {many}? {choices}", parse_owner)
    if answers.owner is not None:
        question = f"Can one {answers.owner} have several {many}?"
        ask("several", question, lambda text: text.lower().startswith("y"), "yes")
    if answers.fields is None:
        examples = "title:str, status:open|done, due:date? (optional), created:created, …"
        typer.echo(f"Fields: {examples}", err=True)
        parse = _optional(parse_field)
        fields: list[NewField] = []
        while field := _prompt("Next field, or Enter to end", parse):
            fields.append(field)
        answers = replace(answers, fields=tuple(fields))
    if answers.several is not False:
        default = f"{snake_case(answers.name)}_id"
        ask("id", "Which field identifies it?", str, default)
    asked = "Queried across all owners by which fields? Names, or all for a list, or Enter for none"
    if ask("across", asked, names) == ("all",):
        answers = replace(answers, across=(), is_listed=True)
    if answers.across or answers.is_listed:
        ask("order", "Sorted by which fields? Names, or Enter for none", names)
    ask("items", "How many items will there be?", int, "1000")
    rates = "How often is each read called? 20/s, 5/min, 100/h, 3/day"
    ask("read_rate", rates, parse_rate, "1/s")
    ask("write_rate", "How often is each write called?", parse_rate, "1/min")
    ask("size", "How many bytes has an item? Enter if you do not know", _optional(int))
    return answers


def _prompt(question: str, parse: Callable[[str], Any], default: str = "") -> Any:
    """Ask on standard error until the answer is valid; standard output is for the module."""
    shown = f" [{default}]" if default else ""
    while True:
        typer.echo(f"{question}{shown}: ", nl=False, err=True)
        if not (line := sys.stdin.readline()):
            raise typer.Abort
        try:
            return parse(line.strip() or default)
        except SingleTableError as error:
            typer.echo(str(error), err=True)
        except ValueError:
            typer.echo("Expected a whole number.", err=True)


def _one_of(text: str, known: Sequence[str]) -> str:
    if text in known:
        return text
    near = get_close_matches(text.title(), known, 1)
    meant = f" Did you mean {near[0]}?" if near else ""
    raise InvalidValue(f"There is no entity {text!r}.{meant} Entities: {', '.join(known)}.")


def _optional(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda text: parse(text) if text else None
