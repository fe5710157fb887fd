"""Scan a table in parallel segments, in rounds, with a checkpoint after each round.

In a round, each segment reads a page and handles it. What happens after all of them, such as
carrying over changes, sees no page half done. An interrupted scan repeats at most one round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from dynamodb_engine.operations import PageOutput, Scan
from dynamodb_engine.retry import send
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.migration.environment import Environment
from singletable.migration.state import Segment, is_state_item
from singletable.schema import Table
from singletable.schema.table import STATE_ATTRIBUTE


def scan_rounds(
    env: Environment,
    name: str,
    table: Table,
    handle: Callable[[list[Item]], Steps[None]],
    *,
    after_round: Callable[[], None] | None = None,
) -> None:
    """Read all items of a table consistently, page by page.

    The progress is stored under `name` in the state, so a scan continues where it was interrupted,
    with the number of segments that it began with. Items of migrations are left out.
    """
    segments = env.state.scans.setdefault(name, [Segment() for _ in range(env.segments)])
    while waiting := [number for number, one in enumerate(segments) if not one.done]:
        positions = env.run_parallel(
            [partial(_handle_page, env, table, number, segments, handle) for number in waiting]
        )
        for number, after in zip(waiting, positions, strict=True):
            segments[number] = Segment(after, done=after is None)
        if after_round is not None:
            after_round()
        env.checkpoint()


def restart_scan(env: Environment, name: str) -> None:
    """Forget the progress of a scan."""
    env.state.scans.pop(name, None)


def scan_pages(
    env: Environment,
    table: Table,
    *,
    index: str | None = None,
    total_segments: int | None = None,
    segments: Sequence[int] | None = None,
) -> Iterator[list[Item]]:
    """Yield the items of a table page by page, without the items of migrations.

    Nothing is stored about the progress, which is reported. The next page of each segment is read
    in parallel.
    `segments` reads only some of `total_segments`. An index is read eventually consistently.
    """
    total = total_segments or env.segments
    positions: dict[int, Item | None] = dict.fromkeys(
        range(total) if segments is None else segments
    )
    read = 0
    while positions:
        active = list(positions)[: env.segments]
        pages = env.run_parallel(
            [
                partial(env.send, _scan(env, table, number, total, positions[number], index))
                for number in active
            ]
        )
        for number, page in zip(active, pages, strict=True):
            if page.last_evaluated_key is None:
                del positions[number]
            else:
                positions[number] = page.last_evaluated_key
            read += len(page.items)
            env.progress(f"Reading {table.name}", read, of=[table])
            yield [item for item in page.items if not is_state_item(item)]


def first_item(env: Environment, table: Table) -> Item | None:
    """Return an item of the application, if the table has one."""
    after: Item | None = None
    while True:
        scan = Scan(
            env.table_name(table),
            limit=25,
            exclusive_start_key=after,
            filter_expression="attribute_not_exists(#state)",
            expression_attribute_names={"#state": STATE_ATTRIBUTE},
            consistent_read=True,
        )
        page = env.send(scan)
        after = page.last_evaluated_key
        if page.items or after is None:
            return next(iter(page.items), None)


def _scan(
    env: Environment,
    table: Table,
    number: int,
    total: int,
    after: Item | None,
    index: str | None = None,
) -> Scan:
    return Scan(
        env.table_name(table),
        index_name=index,
        limit=env.page_size,
        exclusive_start_key=after,
        total_segments=total if total > 1 else None,
        segment=number if total > 1 else None,
        consistent_read=True if index is None else None,
    )


def _handle_page(
    env: Environment,
    table: Table,
    number: int,
    segments: list[Segment],
    handle: Callable[[list[Item]], Steps[None]],
) -> Item | None:
    """Read and handle the next page of a segment, and return the key to continue after."""

    def steps() -> Steps[Item | None]:
        scan = _scan(env, table, number, len(segments), segments[number].after)
        page: PageOutput = yield from send(env.context.retry_policy, scan)
        items = [item for item in page.items if not is_state_item(item)]
        if items:
            yield from handle(items)
        return page.last_evaluated_key

    return env.run(steps())
