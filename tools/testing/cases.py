"""Run a test for many values as one test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

Test: TypeAlias = Callable[..., None]


def every(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Decorate a test that has only these parameters, as `pytest.mark.parametrize` would.

    A table with hundreds of rows is one test, which takes a tenth of the time. The first row that
    fails is noted in its error.
    """
    listed = [(row,) if isinstance(names, str) else row for row in rows]
    keys = (names,) if isinstance(names, str) else names

    def decorate(test: Test) -> Test:
        def run(**others: Any) -> None:
            for row in listed:
                values = dict(zip(keys, row, strict=True))
                try:
                    test(**others, **values)
                except BaseException as error:
                    error.add_note(f"for {values}")
                    raise

        run.__name__, run.__doc__ = test.__name__, test.__doc__
        return run

    return decorate
