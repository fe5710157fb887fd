"""Map the errors of an app to problems (RFC 9457)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from fastapi import Request

from singletable_apps.shared import errors
from singletable_apps.shared.accounts import NotSignedIn, TooManyAttempts
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.web import problems
from singletable_apps.shared.web.error_handlers import ErrorProblems

_COMMON: Mapping[type[Exception], problems.ProblemType] = MappingProxyType(
    {
        errors.NotFound: problems.NOT_FOUND,
        errors.InvalidInput: problems.INVALID,
        NotSignedIn: problems.NOT_SIGNED_IN,
        NotPermitted: problems.NOT_ALLOWED,
        errors.Busy: problems.UNAVAILABLE,
        TooManyAttempts: problems.TOO_MANY_REQUESTS,
    }
)


class AppProblems:
    """Turns the errors of an app into problems.

    `types` has the problem types of the app's own errors, which hold for their subclasses too, and
    `others` are problem types without an error; one with the name of a common type replaces it.
    `field_name` returns the name that a field of the service has in request bodies; the fields in
    `parameters` are in the path. `handlers` make the problems of errors that need more than a type.
    """

    def __init__(
        self,
        types: Mapping[type[Exception], problems.ProblemType] = MappingProxyType({}),
        *,
        others: Collection[problems.ProblemType] = (),
        field_name: Callable[[str, Request], str] = lambda name, _: name,
        parameters: Collection[str] = (),
        handlers: ErrorProblems = MappingProxyType({}),
    ) -> None:
        self._types = {**_COMMON, **types}
        common = {each.name for each in problems.COMMON}
        new = [each for each in types.values() if each.name not in common]
        self.own_types = tuple(dict.fromkeys([*new, *others]))
        self._field_name = field_name
        self._parameters = parameters
        self._handlers = handlers

    def handlers(self) -> ErrorProblems:
        """Return the functions that make problems, by error type."""
        return {
            **dict.fromkeys((errors.AppError, TooManyAttempts), self.problem_of),
            **self._handlers,
        }

    def problem_of(self, error: Exception, request: Request) -> problems.Problem:
        """Return the problem of an error; one that the app has no problem type for is a bug."""
        kind = next((self._types[one] for one in type(error).__mro__ if one in self._types), None)
        if kind is None:
            raise error
        return problems.Problem(
            kind,
            str(error),
            errors=[
                self._field_error(name, text, request) for name, text in _fields(error).items()
            ],
            headers=_headers(error),
            extensions=getattr(error, "extensions", {}),
        )

    def _field_error(self, name: str, text: str, request: Request) -> problems.FieldError:
        if request.method == "GET" or name in self._parameters:
            # `skill/1` is the second parameter of this name.
            return problems.FieldError(text, parameter=name.partition("/")[0])
        # An error of the whole request has no field.
        return problems.FieldError(
            text, pointer=f"/{self._field_name(name, request)}" if name else ""
        )


def _fields(error: Exception) -> Mapping[str, str]:
    match error:
        case errors.InvalidInput():
            return error.errors
        case errors.RequestRejected() if error.field:
            return {error.field: str(error)}
        case _:
            return {}


def _headers(error: Exception) -> dict[str, str]:
    match error:
        case errors.Busy():
            return {"Retry-After": str(error.retry_after)}
        case TooManyAttempts():
            return {"Retry-After": str(error.seconds)}
        case _:
            return {}
