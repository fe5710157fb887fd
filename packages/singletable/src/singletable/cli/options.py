"""Arguments and options that several commands share, and how their values are parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from singletable.schema import Provisioned
    from singletable.tables import Encryption


F = TypeVar("F", bound=Callable[..., Any])


class AddressCommand(TyperCommand):
    """A command that accepts --address in place of its argument ADDRESS."""

    # Typer's name for a context is private, and was Click's in older versions.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; --address takes the place of the argument."""
        takes_address = any(_is_address(one) for one in self.params)
        for at, word in enumerate(args if takes_address else ()):
            option, equals, value = word.partition("=")
            if word == "--":
                break
            if option == "--address":
                rest = args[at + 1 :]
                if not equals and not rest:
                    raise typer.BadParameter("Expected an address.", param_hint="'--address'")
                ctx.meta[_GIVEN] = value if equals else rest.pop(0)
                args = args[:at] + rest
                break
        remaining = super().parse_args(ctx, args)
        if _GIVEN in ctx.meta:
            ctx.params["address"] = ctx.meta[_GIVEN]
        return remaining

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters that are left to parse."""
        params = super().get_params(ctx)
        return [one for one in params if _GIVEN not in ctx.meta or not _is_address(one)]


_GIVEN = "singletable.address"


def _is_address(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument" and parameter.name == "address")


class Commands(typer.Typer):
    """A group of commands, each of which accepts --address for the argument ADDRESS."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[F], F]:
        """Add a command."""
        return super().command(name, cls=AddressCommand, **options)


class StreamView(Enum):
    """The stream view types of DynamoDB."""

    NEW_IMAGE = "NEW_IMAGE"
    OLD_IMAGE = "OLD_IMAGE"
    NEW_AND_OLD_IMAGES = "NEW_AND_OLD_IMAGES"
    KEYS_ONLY = "KEYS_ONLY"


class TableClass(Enum):
    """The table classes of DynamoDB."""

    STANDARD = "STANDARD"
    STANDARD_INFREQUENT_ACCESS = "STANDARD_INFREQUENT_ACCESS"


TableApp = Annotated[
    str,
    typer.Argument(
        metavar="APP",
        help="The module that declares the tables, such as shop.entities. shop.entities:orders is "
        "one of its tables.",
    ),
]
SchemaApp = Annotated[
    str,
    typer.Argument(
        metavar="APP", help="The module that declares the tables, such as shop.entities."
    ),
]
PatternApp = Annotated[
    str,
    typer.Argument(
        metavar="APP", help="The module that declares access patterns, such as shop.patterns."
    ),
]
ADDRESS_HELP = "Where the tables are, such as file:votes.db or dynamodb:. Or --address ADDRESS."
Address = Annotated[str, typer.Argument(metavar="ADDRESS", help=ADDRESS_HELP)]
OptionalAddress = Annotated[str | None, typer.Argument(metavar="[ADDRESS]", help=ADDRESS_HELP)]
TableNames = Annotated[
    list[str] | None,
    typer.Option(
        "--table-name",
        metavar="DECLARED=REAL",
        help="The real name of a declared table. Repeat it for several tables.",
    ),
]
Scale = Annotated[
    str,
    typer.Option(
        "--scale",
        metavar="SCALE",
        help="Multiply all rates and item counts: 10x, or '10,000 users' for as many as make "
        "the number of User items that.",
    ),
]
Months = Annotated[
    float,
    typer.Option("--months", min=0, max=120, help="Apply the declared growth of some months."),
]


def parse_pairs(
    option: str, values: Iterable[str] | None, form: str = "NAME=VALUE"
) -> dict[str, str]:
    """Parse the values of a repeatable option, which have the form NAME=VALUE."""
    pairs: dict[str, str] = {}
    for pair in values or ():
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise typer.BadParameter(f"Expected {form}, got {pair!r}.", param_hint=repr(option))
        pairs[name] = value
    return pairs


def parse_table_names(values: Iterable[str] | None) -> dict[str, str]:
    """Parse the values of --table-name."""
    return parse_pairs("--table-name", values, "DECLARED=REAL")


def parse_capacity(text: str | None) -> Provisioned | Literal["on-demand"] | None:
    """Parse the value of --capacity."""
    match text:
        case None | "on-demand":
            return text
        case _:
            return parse_units("--capacity", text)


def parse_units(option: str, text: str) -> Provisioned:
    """Parse read and write units such as 500/100."""
    from singletable.schema import Provisioned

    read, _, write = text.replace(",", "").partition("/")
    if read.isdecimal() and write.isdecimal() and int(read) and int(write):
        return Provisioned(int(read), int(write))
    choices = "on-demand, or " if option == "--capacity" else ""
    raise typer.BadParameter(
        f"Expected {choices}READ/WRITE units a second such as 500/100, got {text!r}.",
        param_hint=repr(option),
    )


def parse_encryption(value: str) -> Encryption:
    """Parse the value of --encryption."""
    from singletable.tables import AwsManagedKey, AwsOwnedKey, CustomerKey

    match value:
        case "aws-owned":
            return AwsOwnedKey()
        case "aws-managed":
            return AwsManagedKey()
        case _:
            return CustomerKey(value)
