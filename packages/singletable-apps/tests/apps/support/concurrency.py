"""Run the same call in many threads at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

R = TypeVar("R")
E = TypeVar("E", bound=Exception)


def run_concurrently(
    threads: int, call: Callable[[], R], error: type[E]
) -> tuple[list[R], list[E]]:
    """Call from all threads at the same time. Return the results and the errors of type `error`."""
    barrier = Barrier(threads)
    results: list[R] = []
    errors: list[E] = []

    def run() -> None:
        barrier.wait()
        try:
            results.append(call())
        except error as raised:
            errors.append(raised)

    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(run) for _ in range(threads)]:
            future.result()
    return results, errors
