"""The log into a file, each entry checked on its way."""

from __future__ import annotations

from collections.abc import Callable

from singletable import Store
from singletable_apps.elections import patterns
from singletable_apps.elections.archive.lines import End, end_line, entry_line
from singletable_apps.elections.log import check_entry, check_whole
from singletable_apps.elections.projection import Progress, head


def export_log(
    store: Store, write: Callable[[bytes], object], progress: Progress | None = None
) -> End:
    """Write the log line by line; a service may go on writing to it meanwhile.

    It holds all there is, hashes of passwords included: keep it as you keep the tables.
    """
    check_whole(store)
    newest = head(store)
    last = End(0, "")
    for event in store.query(patterns.all_events(), consistent=True):
        check_entry(event, last.events + 1, last.head)
        write(entry_line(event))
        last = End(event.event_id, event.hash)
        if progress is not None:
            progress(last.events, max(last.events, newest.event_id if newest else 0))
    write(end_line(last))
    return last
