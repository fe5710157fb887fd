"""`singletable load`: drive the declared access patterns of an app, and compare with the plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.options import PatternApp, TableNames
from singletable.errors import InvalidValue, ResourceNotFound

if TYPE_CHECKING:
    from singletable.patterns import Pattern, PatternCatalog
    from singletable.schema import Table
    from singletable.store import AsyncStore
    from singletable_design.planning import Plan, Population
    from singletable_design.planning.load_test import LoadOutcome, LoadSettings
    from singletable_design.planning.traffic import Traffic

# A deviation from the plan that is explained.
_NOTABLE = 0.05

_FACTOR = re.compile(r"(\d+(?:\.\d+)?)x")
_PER_SECOND = re.compile(r"(\d[\d,]*(?:\.\d+)?)/s")


def load(
    app: PatternApp,
    at: Annotated[
        str,
        typer.Option(
            "--address",
            metavar="ADDRESS",
            help="Where the tables are, such as memory:, file:test.db or dynamodb:eu-west-1.",
        ),
    ] = "memory:",
    rate: Annotated[
        str,
        typer.Option(
            "--rate",
            metavar="RATE",
            help="How often to call: 2x the declared rates, 500/s in total, or peak for the "
            "declared peaks.",
        ),
    ] = "1x",
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, max=86_400, help="How long to call.")
    ] = 60.0,
    patterns: Annotated[
        str | None,
        typer.Option(
            "--patterns",
            metavar="CODES",
            help="Call only these patterns, by their codes with commas: AP1,AP7.",
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=10_000, help="How many calls run at once.")
    ] = 50,
    populate: Annotated[
        bool, typer.Option("--populate", help="Store sample items before the test.")
    ] = False,
    scale: Annotated[
        str | None,
        typer.Option(
            "--scale",
            metavar="SCALE",
            help="How many sample items: 0.01x of the declared counts, or '1,000 users'. Without "
            "it, about 10,000.",
        ),
    ] = None,
    create_tables: Annotated[
        bool, typer.Option("--create-tables", help="Create the tables that do not exist.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Write to tables that have items already.")
    ] = False,
    max_errors: Annotated[
        float,
        typer.Option("--max-errors", min=0, max=100, help="How many percent of calls may fail."),
    ] = 1.0,
    max_p99: Annotated[
        float | None,
        typer.Option(
            "--max-p99", metavar="MS", min=0, help="How long 99 of 100 calls may take at most."
        ),
    ] = None,
    max_deviation: Annotated[
        float | None,
        typer.Option(
            "--max-deviation",
            metavar="PERCENT",
            min=0,
            help="How much the units of a call may differ from the plan.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Another seed gives other items and calls.")
    ] = 1,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the report as a page.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write a line for each pattern.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all figures.")
    ] = None,
    table_names: TableNames = None,
) -> None:
    """Call the declared access patterns at their rates, and compare with the plan.

    Generates sample items of the declared number and size (--populate), and calls that use them:
    it writes to the tables, so use ones that are made for the test. Calls arrive at random times,
    whether or not earlier ones have finished. Reports latency, errors, throttling and the capacity
    units of each pattern. Ends with exit code 1 if a target was missed. Items that calls created
    are deleted at the end; the sample items stay.

    In memory the tables are created and populated in any case.
    """
    import asyncio

    from rich.console import Console

    from singletable.cli.app_loader import load_catalogs
    from singletable.cli.options import parse_table_names
    from singletable.cli.output import check_writable, write_output
    from singletable.tables import resolve_table_names
    from singletable_design.cli.report_view import print_report
    from singletable_design.planning import Population, Traffic, create_plan
    from singletable_design.planning.load_report import load_csv, load_json, show_load_test
    from singletable_design.planning.load_test import LoadSettings, Targets
    from singletable_design.planning.population import sample_scale
    from singletable_design.planning.report import report_page
    from singletable_design.planning.scale import parse_scale

    check_writable(html, csv, json)
    _, catalogs = load_catalogs(app)
    chosen = _choose(catalogs, patterns)
    factor = sample_scale(catalogs) if scale is None else parse_scale(scale, catalogs)
    population = Population(catalogs, scale=factor, seed=seed)
    traffic = Traffic(catalogs, population)
    rates = _rates(chosen, traffic, rate, named=patterns is not None)
    tables = dict.fromkeys(table for catalog in catalogs for table in catalog.tables)
    names = resolve_table_names(list(tables), parse_table_names(table_names))
    run = _Run(
        names,
        population,
        traffic,
        create_plan(catalogs),
        LoadSettings(rates, seconds, concurrency, seed),
    )
    in_memory = at.startswith("memory:")
    outcome = asyncio.run(
        run.run(
            at,
            create_tables=create_tables or in_memory,
            populate=populate or in_memory,
            is_confirmed=yes,
        )
    )
    targets = Targets(
        max_errors / 100,
        None if max_p99 is None else max_p99 / 1000,
        None if max_deviation is None else max_deviation / 100,
    )
    notes = _notes(chosen, traffic, outcome)
    report = show_load_test(app, outcome, targets, notes)
    print_report(Console(highlight=False), report)
    for path, text in (
        (html, report_page(report)),
        (csv, load_csv(outcome)),
        (json, load_json(outcome, targets, notes)),
    ):
        if path is not None:
            write_output(text, path, overwrite=True)
    if not report.is_good:
        raise typer.Exit(1)


def _choose(catalogs: Sequence[PatternCatalog], codes: str | None) -> list[Pattern]:
    everything = [pattern for catalog in catalogs for pattern in catalog]
    if codes is None:
        return everything
    by_code = {code: one for one in everything for code in (one.code, one.id)}
    wanted = [code.strip() for code in codes.split(",") if code.strip()]
    unknown = [code for code in wanted if code not in by_code]
    if unknown or not wanted:
        raise InvalidValue(
            f"--patterns {codes!r}: there is no pattern {', '.join(unknown)}. Patterns: "
            f"{', '.join(one.code for one in everything)}."
        )
    return list(dict.fromkeys(by_code[code] for code in wanted))


def _rates(
    chosen: Sequence[Pattern], traffic: Traffic, text: str, *, named: bool
) -> dict[str, float]:
    """Return the calls per second of each pattern that can be called."""
    from singletable_design.planning.load_test import rates_of

    possible = [one for one in chosen if one.id in traffic.patterns]
    declared = rates_of(
        possible, lambda rate: rate.peak_per_second if text == "peak" else rate.per_second
    )
    if named and (unrated := [one.code for one in possible if one.id not in declared]):
        raise InvalidValue(
            f"--patterns: {', '.join(unrated)} has no rate. Declare it, such as "
            "rate=per_second(20)."
        )
    total = sum(declared.values())
    if match := _FACTOR.fullmatch(text):
        factor = float(match[1])
    elif match := _PER_SECOND.fullmatch(text):
        factor = float(match[1].replace(",", "")) / (total or 1)
    elif text == "peak":
        factor = 1.0
    else:
        raise typer.BadParameter(
            f"Expected a factor such as 2x, calls per second such as 500/s, or peak, got {text!r}.",
            param_hint="'--rate'",
        )
    return {name: one * factor for name, one in declared.items() if one * factor > 0}


@dataclass(frozen=True)
class _Run:
    """Prepares the tables, and runs the test."""

    names: Mapping[Table, str]
    population: Population
    traffic: Traffic
    plan: Plan
    settings: LoadSettings

    async def run(
        self, address: str, *, create_tables: bool, populate: bool, is_confirmed: bool
    ) -> LoadOutcome:
        from singletable.cli.existing_tables import check_file_exists
        from singletable.cli.output import progress_bar
        from singletable.connect import connect_async
        from singletable.store import AsyncStore
        from singletable_design.planning.load_test import LoadTest

        if not create_tables:
            check_file_exists(address)
        async with connect_async(address) as driver:
            store = AsyncStore(driver, tables=self.names)
            test = LoadTest(driver, self.traffic, self.plan, self.settings, tables=self.names)
            if create_tables:
                for table in self.names:
                    await store.admin.create_table(table, if_missing=True)
            await self._check_empty(store, populate=populate, is_confirmed=is_confirmed)
            if populate:
                typer.echo(self._announcement(), err=True)
                with progress_bar("Populating") as show:
                    await store.bulk_load(self.population.items(), on_progress=show)
            with progress_bar("Calling") as show:
                outcome = await test.run(show)
            # The next test finds the tables as they were.
            await self.traffic.delete_created(store)
            return outcome

    async def _check_empty(self, store: AsyncStore, *, populate: bool, is_confirmed: bool) -> None:
        """Raise if the test would write to a table that has other items."""
        filled: list[str] = []
        for table, name in self.names.items():
            try:
                page = await store.admin.items(table, 1)
            except ResourceNotFound:
                raise InvalidValue(
                    f"There is no table {name!r} at this address. Create it with --create-tables."
                ) from None
            if page.items:
                filled.append(name)
        if filled and not is_confirmed:
            raise InvalidValue(
                f"{', '.join(filled)} already has items. {self._announcement()} Calls change and "
                "delete sample items, too. Use tables that are made for the test; to write to "
                "these, pass --yes."
            )
        if not filled and not populate:
            raise InvalidValue(
                "The tables are empty, so that calls would find nothing. Store sample items with "
                "--populate."
            )

    def _announcement(self) -> str:
        counts = [
            f"{one.total:,} {one.model.name}"
            for one in self.population.entities.values()
            if one.model.entity not in self.population.problems
        ]
        total = sum(
            one.total * one.size
            for one in self.population.entities.values()
            if one.model.entity not in self.population.problems
        )
        return (
            f"The sample has {self.population.total:,} items of about {total / 1_000_000:,.1f} MB "
            f"in all: {', '.join(counts)}."
        )


def _notes(chosen: Sequence[Pattern], traffic: Traffic, outcome: LoadOutcome) -> list[str]:
    from singletable.patterns import FeedPattern

    notes = [
        f"{one.code} ({one.description}) was not called: {traffic.impossible[one.id]}."
        for one in chosen
        if one.id in traffic.impossible
    ]
    unrated = [
        one.code for one in chosen if one.expected.rate is None and not isinstance(one, FeedPattern)
    ]
    if unrated:
        notes.append(f"Patterns without a rate were not called: {', '.join(unrated)}.")
    if any(abs(one.deviation or 0) > _NOTABLE for one in outcome.patterns):
        notes.append(
            "If calls consume less than planned, queries find fewer items than `items` declares; "
            "if more, other items are in the range that they read. Declare counts of all entities, "
            "and `items` and `scanned` that fit them."
        )
    if any(one.failures["AlreadyExists"] for one in outcome.patterns):
        notes.append(
            "New items existed already: a test that was stopped has left them. Empty the tables, "
            "and populate them again."
        )
    rare = [one.pattern.code for one in outcome.patterns if not one.arrived]
    if rare:
        notes.append(
            f"Too rare for a call in this time: {', '.join(rare)}. A longer test or a higher rate "
            "calls them."
        )
    return notes
