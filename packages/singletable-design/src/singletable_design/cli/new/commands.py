"""The commands of `singletable new` and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from singletable.errors import InvalidValue

app = typer.Typer(
    help="Start an app, or add an entity to one.", no_args_is_help=True, add_completion=False
)


def _option(metavar: str, text: str) -> Any:
    return typer.Option(metavar=metavar, help=text)


@app.command()
def entity(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name of the class, such as Project.")
    ],
    app: Annotated[
        str,
        typer.Argument(
            metavar="APP",
            help="The module that declares the table, such as shop.entities, or better the one "
            "with its access patterns. shop.entities:orders is one of several tables.",
        ),
    ],
    owned_by: Annotated[str | None, _option("ENTITY", "The entity that owns it: User.")] = None,
    many: Annotated[
        bool | None,
        typer.Option("--many/--one", help="Whether an owner can have several, or only one."),
    ] = None,
    field: Annotated[
        list[str] | None,
        _option(
            "NAME:TYPE",
            "A field: title:str, status:open|done, due:date? (optional), created:created. "
            "Repeatable.",
        ),
    ] = None,
    id_: Annotated[
        str | None,
        typer.Option("--id", metavar="FIELD", help="What identifies it; by default NAME_id."),
    ] = None,
    across: Annotated[
        list[str] | None,
        _option(
            "FIELD",
            "A field by which items of all owners are queried. Several are queried together, with "
            "a multi-attribute index key.",
        ),
    ] = None,
    list_all: Annotated[
        bool, typer.Option("--all", help="List the items of all owners, without a field.")
    ] = False,
    order: Annotated[
        list[str] | None, _option("FIELD", "How items of all owners are sorted. Repeatable.")
    ] = None,
    read_rate: Annotated[
        str | None, _option("RATE", "How often each read is called: 20/s, 5/min, 1/h.")
    ] = None,
    write_rate: Annotated[str | None, _option("RATE", "How often each write is called.")] = None,
    items: Annotated[int | None, typer.Option(min=0, metavar="N", help="How many.")] = None,
    size: Annotated[
        int | None, typer.Option(min=1, max=409_600, metavar="BYTES", help="The size of an item.")
    ] = None,
    page_size: Annotated[
        int, typer.Option(min=1, metavar="N", help="How many items a list reads at once.")
    ] = 20,
    code: Annotated[
        str | None, _option("LETTERS", "How the codes of its patterns begin: P for P1, P2, ….")
    ] = None,
    output: Annotated[
        Path | None, _option("FILE", "Write the module to this new file, instead of printing it.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing: use the options.")] = False,
) -> None:
    """Design an entity from a few answers, and write a module with it and its access patterns.

    Asks for what is not an option: who owns it, its fields, how it is queried, and the expected
    load. Proposes keys and an index, an existing one if it fits, and shows the requests and units
    of each access pattern. Your own files are not changed: import the new module where you like.
    """
    from singletable_design.cli.new.entity import add_entity
    from singletable_design.cli.new.entity_design import EntityAnswers
    from singletable_design.cli.new.fields import parse_field, parse_rate

    if code is not None and not (code.isascii() and code.isalpha()):
        raise InvalidValue(f"--code {code}: expected letters, such as P for P1, P2 and so on.")
    if list_all and across:
        raise InvalidValue("--all lists all items, and --across only some of them. Pass one.")
    answers = EntityAnswers(
        name,
        owned_by,
        many,
        None if field is None else tuple(map(parse_field, field)),
        id_,
        None if across is None and not list_all else tuple(across or ()),
        list_all,
        None if order is None else tuple(order),
        None if read_rate is None else parse_rate(read_rate),
        None if write_rate is None else parse_rate(write_rate),
        items,
        size,
        page_size,
        code,
    )
    add_entity(app, answers, output, asks=not yes)


@app.command("app")
def new_app(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="The name of the package and of its folder, such as bookings."
        ),
    ],
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="PATH", help="The new folder; by default NAME."),
    ] = None,
    pages: Annotated[
        bool,
        typer.Option(
            "--pages", help="A site with accounts, pages and an API, on singletable-apps."
        ),
    ] = False,
) -> None:
    """Create a project that runs: a table with entities and patterns, a web API and its tests.

    It has a Makefile (make run, make test), a workflow for GitHub Actions, and a schema.lock. The
    sample domain is small: events, and the bookings of their seats; with --pages, accounts and
    their notes. Replace it with yours.
    """
    from singletable_design.cli.new.project import create_project

    create_project(name, folder or Path(name), pages=pages)
