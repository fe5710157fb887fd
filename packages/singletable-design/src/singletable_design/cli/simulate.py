"""`singletable simulate`: where a design gets hot, and from which load on it is throttled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.options import PatternApp, Scale, parse_capacity

if TYPE_CHECKING:
    from singletable.patterns import PatternCatalog
    from singletable.store import Progress
    from singletable_design.planning import Workload
    from singletable_design.planning.simulation import Cache, SimulationSettings, ThrottlePoint

# Throttling is near if it begins below this multiple of the peak load.
_NEAR_FACTOR = 2.0
_HITS = re.compile(r"(\d+\.?\d*)(%|s)?")


def simulate(
    app: PatternApp,
    scale: Scale = "1x",
    minutes: Annotated[
        int, typer.Option("--minutes", min=1, max=10_080, help="The minutes to simulate.")
    ] = 60,
    capacity: Annotated[
        str | None,
        typer.Option(
            "--capacity",
            metavar="CAPACITY",
            help="The capacity of all tables and indexes, instead of the declared one: on-demand, "
            "or READ/WRITE units such as 500/100.",
        ),
    ] = None,
    shards: Annotated[
        list[str] | None,
        typer.Option(
            "--shards",
            metavar="KEY=N",
            help="What if this partition key had N shards? KEY is its template, or how it begins.",
        ),
    ] = None,
    cache: Annotated[
        list[str] | None,
        typer.Option(
            "--cache",
            metavar="PATTERN=HITS",
            help="What if a cache answered this pattern? HITS is a share such as 90%, or the time "
            "that results are kept, such as 60s.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page with charts; open it anywhere."),
    ] = None,
) -> None:
    """Simulate the expected load of a design: hot keys, throttling, splits and latency.

    Calls arrive at the declared rates, and their keys are drawn from the declared values. A model
    of DynamoDB's partitions decides which requests are throttled. Shows how much more load the
    tables take before throttling begins, and in which key. No account is needed, and nothing is
    written to a table.
    """
    from rich.console import Console

    from singletable.cli.app_loader import load_catalogs
    from singletable.cli.output import check_writable, progress_bar, write_report
    from singletable_design.cli.report_view import print_report
    from singletable_design.planning import workload_of
    from singletable_design.planning.report import report_page
    from singletable_design.planning.scale import parse_scale
    from singletable_design.planning.simulation import (
        SimulationSettings,
        WhatIf,
        find_throttle_point,
    )
    from singletable_design.planning.simulation import simulate as run
    from singletable_design.planning.simulation.report import show_simulation

    check_writable(html)
    _, catalogs = load_catalogs(app)
    factor = parse_scale(scale, catalogs)
    workload = workload_of(catalogs, factor=factor)
    settings = SimulationSettings(minutes=minutes, capacity=parse_capacity(capacity))
    # Wrong changes are rejected before a long simulation starts.
    changes = _changes(workload, settings, shards or (), cache or ())
    runs = [("as it is", workload, settings), *changes]
    seconds = 60 * minutes
    with progress_bar("Simulating seconds") as show:
        (now, *what_ifs) = [
            WhatIf(
                change,
                run(one, chosen, on_progress=_offset(show, seconds * number, seconds * len(runs))),
                find_throttle_point(one, chosen),
            )
            for number, (change, one, chosen) in enumerate(runs)
        ]
    notes = [f"The load is that at a scale of {scale}."] if factor != 1 else []
    if not changes:
        notes += _remedies(now.throttle_point, is_on_demand=_is_on_demand(workload, settings))
    notes += _notes(workload, catalogs)
    report = show_simulation(app, now.result, now.throttle_point, what_ifs, notes)
    print_report(Console(highlight=False), report)
    if html is not None:
        write_report(html, report_page(report))


def _is_on_demand(workload: Workload, settings: SimulationSettings) -> bool:
    if settings.capacity is None:
        return not workload.capacity
    return settings.capacity == "on-demand"


def _remedies(point: ThrottlePoint, *, is_on_demand: bool) -> Iterator[str]:
    """Yield options to try if throttling is near."""
    if point.factor is None or point.factor >= _NEAR_FACTOR:
        return
    if "partition" in point.limited_by:
        yield (
            "To see what helps, spread the busy key with --shards KEY=N, or answer reads from a "
            "cache with --cache PATTERN=90%."
        )
    elif is_on_demand:
        yield (
            "A new table on demand takes 12,000 read and 4,000 write units a second. Simulate a "
            "provisioned one with --capacity READ/WRITE, or a pre-warmed one with "
            "SimulationSettings(warm=…)."
        )
    else:
        yield "Simulate more capacity with --capacity READ/WRITE, or with --capacity on-demand."


def _changes(
    workload: Workload, settings: SimulationSettings, shards: Iterable[str], cache: Iterable[str]
) -> list[tuple[str, Workload, SimulationSettings]]:
    """Return the changed workloads and settings: each change on its own, then all together."""
    from dataclasses import replace

    from singletable_design.planning.simulation import shard_key
    from singletable_design.planning.simulation.simulator import Simulation

    changes: list[tuple[str, Workload, SimulationSettings]] = []
    everything, all_settings = workload, settings
    for text in shards:
        key, _, number = text.rpartition("=")
        if not key or not number.isdecimal():
            raise typer.BadParameter(
                f"Expected KEY=N, such as 'SKILL=10', got {text!r}.", param_hint="'--shards'"
            )
        changes.append(
            (f"{key} in {number} shards", shard_key(workload, key, int(number)), settings)
        )
        everything = shard_key(everything, key, int(number))
    for text in cache:
        pattern, value = _parse_cache(text)
        caches = {_pattern_id(workload, pattern): value}
        changes.append((f"cache for {pattern}", workload, replace(settings, caches=caches)))
        all_settings = replace(all_settings, caches={**all_settings.caches, **caches})
    if len(changes) > 1:
        changes.append(("all of these", everything, all_settings))
    for _, changed, changed_settings in changes:
        Simulation(changed, changed_settings)
    return changes


def _offset(
    show: Callable[[Progress], object], before: int, total: int
) -> Callable[[Progress], object]:
    """Return a callback for one of several simulations, with the seconds before it."""
    from singletable.store import Progress

    return lambda progress: show(Progress(before + progress.done, total))


def _parse_cache(text: str) -> tuple[str, Cache]:
    from singletable_design.planning.simulation import Cache

    pattern, _, value = text.rpartition("=")
    match = _HITS.fullmatch(value)
    number = float(match[1]) if match else -1.0
    share = number / 100 if match and match[2] == "%" else number
    if match is None or not pattern or (match[2] != "s" and share > 1):
        raise typer.BadParameter(
            "Expected PATTERN=HITS, with a share such as 90% or 0.9, or the time that results are "
            f"kept such as 60s, got {text!r}.",
            param_hint="'--cache'",
        )
    return pattern, Cache(seconds=number) if match[2] == "s" else Cache(share)


def _pattern_id(workload: Workload, name: str) -> str:
    """Return the id of a pattern, such as shop:C1, from its id or its code."""
    matches = [load.id for load in workload.patterns if load.id.partition(":")[2] == name]
    if len(matches) > 1:
        raise typer.BadParameter(
            f"Several patterns are {name!r}. Use one of: {', '.join(matches)}.",
            param_hint="'--cache'",
        )
    return matches[0] if matches else name


def _notes(workload: Workload, catalogs: Sequence[PatternCatalog]) -> list[str]:
    """Return the assumptions of the plan, and those about keys."""
    from singletable_design.planning import create_plan

    notes = [*create_plan(catalogs).assumptions]
    if workload.assumed:
        notes.append(
            "The number of values is not declared, so we assume that each item has its own: "
            f"{', '.join(workload.assumed)}. Declare it with values=[…] of the catalog."
        )
    if workload.even:
        notes.append(
            "In every second, calls are about all values equally often: "
            f"{', '.join(workload.even)}. If some are busier, such as those of today, declare "
            "values=[zipf(…)]."
        )
    return notes
