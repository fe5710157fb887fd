"""Codes that are none: whoever sends many is guessing, and learns of no further one."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from singletable_apps.polls.api.asking import ThisApi
from singletable_apps.polls.api.refusals import problem_of
from singletable_apps.polls.errors import NoCode
from singletable_apps.shared.web import RateLimit, client_address, household


@dataclass(frozen=True)
class _Guesses:
    """How many codes of one address were none."""

    limit: RateLimit | None
    address: str

    @contextmanager
    def counted(self, code: str | None) -> Generator[None]:
        """Count a code that is found to be none; a 429 problem if there were too many before."""
        if not code or self.limit is None:
            yield
            return
        self.limit.check(self.address)
        try:
            yield
        except NoCode as refusal:
            problem = problem_of(refusal)
            problem.headers.update(self.limit.hit(self.address))
            raise problem from refusal


def _guesses(request: Request, api: ThisApi) -> _Guesses:
    return _Guesses(api.settings.limits.guess, household(client_address(request)))


Guesses: TypeAlias = Annotated[_Guesses, Depends(_guesses)]
