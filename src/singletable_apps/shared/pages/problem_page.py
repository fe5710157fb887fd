"""Who makes the page about a problem."""

from __future__ import annotations

from typing import Protocol

from fastapi import Request, Response

from singletable_apps.shared.web import Problem


class ProblemPage(Protocol):
    """Makes the page about a problem."""

    def __call__(self, request: Request, problem: Problem) -> Response:
        """The answer for a browser."""
        ...
