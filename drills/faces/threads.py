"""Do several things at once, and fail if one of them does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence


def side_by_side(works: Sequence[Callable[[], None]]) -> None:
    """Each in a thread of its own, until all have ended; the first error is raised again."""
    failures: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
