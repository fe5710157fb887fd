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


class SharedOptionsCommand(TyperCommand):
    """A command that accepts the options of its groups, and --address for its argument ADDRESS.

    `singletable --table-name votes=prod sql …` is `singletable sql … --table-name votes=prod`.
    """

    # Typer's name for a context is private, and was Click's in older versions.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, after taking out the options that belong to a group."""
        own = {one for param in self.params for one in param.opts}
        group = ctx.parent
        while group is not None:
            for option in group.command.params:
                if option.param_type_name == "option" and not (own & {*option.opts}):
                    args = _take(group, option, args)
            group = group.parent
        if any(_is_address(one) for one in self.params) and "--address" not in own:
            values, args = _values(args, "--address")
            if values:
                ctx.meta[_GIVEN] = values[-1]
        remaining = super().parse_args(ctx, args)
        if _GIVEN in ctx.meta:
            ctx.params["address"] = ctx.meta[_GIVEN]
        return remaining

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, and which options of the groups the command accepts."""
        shared: list[str] = []
        names = {one.name for one in self.params}
        takes_tables = names >= {"app", "address"}
        group = ctx.parent
        # A command of an app without an address reads its module, and no tables.
        while group is not None and (takes_tables or (group.parent and "app" not in names)):
            shared += [
                one.opts[0] if one.is_flag or not one.metavar else f"{one.opts[0]} {one.metavar}"
                for one in group.command.params
                if one.param_type_name == "option" and not one.is_eager
            ]
            group = group.parent
        self.epilog = f"Also: {', '.join(shared)}." if shared else None
        super().format_help(ctx, formatter)

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters that are left to parse."""
        params = super().get_params(ctx)
        return [one for one in params if _GIVEN not in ctx.meta or not _is_address(one)]


_GIVEN = "singletable.address"


def _is_address(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument" and parameter.name == "address")


def _take(group: Any, option: Any, args: list[str]) -> list[str]:
    """Give the values of an option to the group that declares it; return the other arguments."""
    if option.is_eager:
        return args
    if option.is_flag:
        end = args.index("--") if "--" in args else len(args)
        names = {*option.opts, *option.secondary_opts}
        values: list[Any] = [word in option.opts for word in args[:end] if word in names]
        rest = [word for word in args[:end] if word not in names] + args[end:]
    else:
        values, rest = _values(args, option.opts[0])
    if values:
        earlier = group.params[option.name] or ()
        given: Any = [*earlier, *values] if option.multiple else values[-1]
        option.handle_parse_result(group, {option.name: given}, [])
    return rest


def _values(args: list[str], name: str) -> tuple[list[str], list[str]]:
    """Return the values of an option, and the arguments without it."""
    values: list[str] = []
    rest: list[str] = []
    left = iter(args)
    for word in left:
        option, equals, value = word.partition("=")
        if word == "--":
            rest += [word, *left]
        elif option != name:
            rest.append(word)
        elif equals:
            values.append(value)
        elif (following := next(left, None)) is not None:
            values.append(following)
        else:
            raise typer.BadParameter("Expected a value.", param_hint=repr(name))
    return values, rest


class Commands(typer.Typer):
    """A group of commands, each of which accepts the options of the group."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[F], F]:
        """Add a command."""
        return super().command(name, cls=SharedOptionsCommand, **options)


def shared_option(ctx: typer.Context, name: str) -> Any:
    """Return the value of an option that a group of the command declares."""
    group: Any = ctx
    while group is not None:
        if name in group.params:
            return group.params[name]
        group = group.parent
    return None


def table_names(ctx: typer.Context) -> dict[str, str]:
    """Return the real names of declared tables, from --table-name."""
    return parse_pairs("--table-name", shared_option(ctx, "table_names"), "DECLARED=REAL")


class StreamView(Enum):
    """The stream view types of DynamoDB."""

    NEW_IMAGE = "NEW_IMAGE"
    OLD_IMAGE = "OLD_IMAGE"
    NEW_AND_OLD_IMAGES = "NEW_AND_OLD_IMAGES"
    KEYS_ONLY = "KEYS_ONLY"


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


def parse_capacity(text: str | None) -> Provisioned | Literal["on-demand"] | None:
    """Parse the value of --capacity: on-demand, or read and write units such as 500/100."""
    from singletable.schema import Provisioned

    if text is None:
        return None
    if text == "on-demand":
        return "on-demand"
    read, _, write = text.replace(",", "").partition("/")
    if read.isdecimal() and write.isdecimal() and int(read) and int(write):
        return Provisioned(int(read), int(write))
    raise typer.BadParameter(
        f"Expected on-demand, or READ/WRITE units a second such as 500/100, got {text!r}.",
        param_hint="'--capacity'",
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
