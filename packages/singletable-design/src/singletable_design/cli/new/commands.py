"""The commands of `singletable new` and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable.errors import InvalidValue

app = typer.Typer(help="Start an app, or add an entity to one.", no_args_is_help=True)


@app.command()
def entity(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name of the class, such as Project.")
    ],
    app: Annotated[
        str,
        typer.Argument(
            metavar="APP",
            help="The package or module that declares the table, such as shop or shop.entities. "
            "shop.entities:orders is one of its tables.",
        ),
    ],
    owned_by: Annotated[
        str | None,
        typer.Option("--owned-by", metavar="ENTITY", help="The entity that owns it, such as User."),
    ] = None,
    many: Annotated[
        bool | None,
        typer.Option("--many/--one", help="Whether an owner can have several, or only one."),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--field",
            metavar="NAME:TYPE",
            help="A field: title:str, status:open|done, due:date? (optional), created:created. "
            "Repeat it for several.",
        ),
    ] = None,
    id_: Annotated[
        str | None,
        typer.Option(
            "--id", metavar="FIELD", help="The field that identifies it; by default NAME_id."
        ),
    ] = None,
    across: Annotated[
        list[str] | None,
        typer.Option(
            "--across",
            metavar="FIELD",
            help="A field by which items of all owners are queried. Several are queried together, "
            "with a multi-attribute index key.",
        ),
    ] = None,
    list_all: Annotated[
        bool, typer.Option("--all", help="List the items of all owners, without a field.")
    ] = False,
    order: Annotated[
        list[str] | None,
        typer.Option(
            "--order", metavar="FIELD", help="How items of all owners are sorted. Repeatable."
        ),
    ] = None,
    read_rate: Annotated[
        str | None,
        typer.Option(
            "--read-rate", metavar="RATE", help="How often each read is called: 20/s, 5/min, 1/h."
        ),
    ] = None,
    write_rate: Annotated[
        str | None,
        typer.Option("--write-rate", metavar="RATE", help="How often each write is called."),
    ] = None,
    items: Annotated[
        int | None, typer.Option("--items", min=0, metavar="N", help="The number of items.")
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            "--size",
            min=1,
            max=409_600,
            metavar="BYTES",
            help="The size of an item; by default estimated from its fields.",
        ),
    ] = None,
    page_size: Annotated[
        int,
        typer.Option(
            "--page-size", min=1, metavar="N", help="How many items a list reads at once."
        ),
    ] = 20,
    code: Annotated[
        str | None,
        typer.Option(
            "--code",
            metavar="LETTERS",
            help="How the codes of its patterns begin; by default with the first letter of NAME, "
            "or like the codes that the catalog has.",
        ),
    ] = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Ask nothing: use the options, and write the files."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the changes as a diff, and write nothing.")
    ] = False,
) -> None:
    """Design an entity from a few answers, and add it with its access patterns and tests.

    Asks for what is not an option: who owns it, its fields, how it is queried, and the expected
    load. Proposes keys and an index, an existing one if it fits, and shows the requests and units
    of each access pattern. Then it edits the modules of the app; nothing is overwritten.
    """
    from rich.console import Console

    from singletable_design.cli.new.entity_command import add_entity
    from singletable_design.cli.new.entity_questions import EntityOptions
    from singletable_design.cli.new.fields import parse_field, parse_rate

    options = EntityOptions(
        name=name,
        app=app,
        owner=owned_by,
        several=many,
        fields=None if fields is None else tuple(parse_field(one) for one in fields),
        id=id_,
        across=None if across is None and not list_all else tuple(across or ()),
        is_listed=list_all,
        order=None if order is None else tuple(order),
        read_rate=None if read_rate is None else parse_rate(read_rate),
        write_rate=None if write_rate is None else parse_rate(write_rate),
        items=items,
        size=size,
        page_size=page_size,
        code=code,
    )
    if code is not None and not (code.isascii() and code.isalpha()):
        raise InvalidValue(f"--code {code}: expected letters, such as P for P1, P2 and so on.")
    if list_all and across:
        raise InvalidValue("--all lists all items, and --across only some of them. Pass one.")
    add_entity(Console(highlight=False), options, asks=not yes, is_dry_run=dry_run)


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
) -> None:
    """Create a project that runs: a table with entities and patterns, a web API and its tests.

    It has a Makefile (make run, make test), a workflow for GitHub Actions, and a schema.lock. The
    sample domain is small: events, and the bookings of their seats. Replace it with yours.
    """
    from singletable_design.cli.new.project import create_project

    create_project(name, folder or Path(name))
