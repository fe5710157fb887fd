"""The same thing done by many at the same moment."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

R = TypeVar("R")
F = TypeVar("F", bound=Exception)


def together(many: int, act: Callable[[], R], refusal: type[F]) -> tuple[list[R], list[F]]:
    """What came of it for each who was not refused, and the refusals."""
    start = Barrier(many)
    done: list[R] = []
    refused: list[F] = []

    def one() -> None:
        start.wait()
        try:
            done.append(act())
        except refusal as error:
            refused.append(error)

    with ThreadPoolExecutor(many) as pool:
        for future in [pool.submit(one) for _ in range(many)]:
            future.result()
    return done, refused
