"""The questions about a new entity, and the options that answer them in advance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import typer

from singletable.errors import InvalidValue, SingleTableError
from singletable.patterns import Rate
from singletable_design.cli.new.entity_design import EntityAnswers, article, words_of
from singletable_design.cli.new.fields import NewField, parse_field, parse_rate
from singletable_design.introspection.names import plural, snake_case

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EntityOptions:
    """The options of the command; None where a question is asked instead."""

    name: str
    app: str
    owner: str | None
    several: bool | None
    fields: tuple[NewField, ...] | None
    id: str | None
    across: tuple[str, ...] | None
    is_listed: bool
    order: tuple[str, ...] | None
    read_rate: Rate | None
    write_rate: Rate | None
    items: int | None
    size: int | None
    page_size: int
    code: str | None = None


def ask_owner(options: EntityOptions, known: Sequence[str]) -> EntityOptions:
    """Ask for the owner, and whether it can have several."""
    if options.owner is None and known:
        owner = _ask(
            f"Which entity owns {plural(words_of(options.name))}? {', '.join(known)}, or Enter for "
            "none",
            lambda text: _one_of(text, known),
        )
        options = replace(options, owner=owner or None)
    if options.owner is not None and options.several is None:
        words = plural(words_of(options.name))
        several = typer.confirm(f"Can one {options.owner} have several {words}?", default=True)
        options = replace(options, several=several)
    return options


def _one_of(text: str, known: Sequence[str]) -> str:
    if text and text not in known:
        raise InvalidValue(f"There is no entity {text!r}. Entities: {', '.join(known)}.")
    return text


def ask_rest(options: EntityOptions, owner_fields: Sequence[str]) -> EntityAnswers:
    """Ask for everything else that is not an option: fields, queries and the expected load."""
    words = words_of(options.name)
    if options.fields is None:
        typer.echo("Fields: title:str, status:open|done, due:date? (optional), created:created, …")
        fields: list[NewField] = []
        while field := _ask("Next field, or Enter to end", _optional(parse_field)):
            fields.append(field)
        options = replace(options, fields=tuple(fields))
    has_id = options.owner is None or options.several is not False
    if options.id is None and has_id:
        question = f"Which field identifies {article(words)} {words}?"
        options = replace(options, id=_ask(question, str, _default_id(options)))
    names = [one.name for one in options.fields or ()]
    known = [
        *owner_fields,
        *([options.id] if options.id and options.id not in names else []),
        *names,
    ]
    if options.across is None:
        where = f" across all {plural(words_of(options.owner))}" if options.owner else ""
        asked = _ask(
            f"Queried{where} by which fields? Names, or all for a list of all, or Enter for none",
            lambda text: _names(text, [*known, "all"]),
        )
        is_listed = asked == ("all",)
        options = replace(options, across=() if is_listed else asked, is_listed=is_listed)
    if options.order is None and (options.across or options.is_listed):
        order = _ask(
            "Sorted by which fields? Names, or Enter for none", lambda text: _names(text, known)
        )
        options = replace(options, order=order)
    if options.items is None:
        options = replace(options, items=_ask("How many items will there be?", _count, "1000"))
    if options.read_rate is None:
        rate = _ask("How often is each read called? 20/s, 5/min, 100/h, 3/day", parse_rate, "1/s")
        options = replace(options, read_rate=rate)
    if options.write_rate is None:
        rate = _ask("How often is each write called?", parse_rate, "1/min")
        options = replace(options, write_rate=rate)
    if options.size is None:
        size = _ask("How many bytes has an item? Enter to estimate", _optional(_count))
        options = replace(options, size=size)
    return answers_of(options)


def _names(text: str, known: Sequence[str]) -> tuple[str, ...]:
    names = tuple(text.replace(",", " ").split())
    for name in names:
        if name not in known:
            raise InvalidValue(f"There is no field {name!r}. Fields: {', '.join(known)}.")
    return names


def answers_of(options: EntityOptions) -> EntityAnswers:
    """Return the answers that the options give."""
    return EntityAnswers(
        name=options.name,
        id=options.id or _default_id(options),
        fields=options.fields or (),
        several=options.several is not False,
        across=options.across or (),
        is_listed=options.is_listed,
        order=options.order or (),
        read_rate=options.read_rate,
        write_rate=options.write_rate,
        items=options.items,
        size=options.size,
        page_size=options.page_size,
        code=options.code,
    )


def _default_id(options: EntityOptions) -> str:
    return f"{snake_case(options.name)}_id"


def _ask(question: str, parse: Callable[[str], T], default: str = "") -> T:
    """Ask until the answer is valid."""

    def parse_answer(text: str) -> T:
        try:
            return parse(text.strip())
        except SingleTableError as error:
            raise typer.BadParameter(str(error)) from None

    shown = bool(default)
    return cast("T", typer.prompt(question, default, show_default=shown, value_proc=parse_answer))


def _optional(parse: Callable[[str], T]) -> Callable[[str], T | None]:
    return lambda text: parse(text) if text else None


def _count(text: str) -> int:
    plain = text.replace(",", "").replace("_", "")
    if not plain.isdecimal():
        raise InvalidValue(f"{text!r} is not a whole number.")
    return int(plain)
