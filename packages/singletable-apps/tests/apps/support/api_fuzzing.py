"""Send requests that schemathesis makes from the description of an API, and check the responses."""

from __future__ import annotations

# Much of schemathesis is without types.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import ignored_auth

# `make fuzz` asks for many.
few_examples = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "2")),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def load_schema(
    app: FastAPI,
    path: str,
    rejected: Sequence[int],
    *,
    coverage: bool = False,
    invalid: Sequence[int] = (),
) -> Any:
    """Return the operations of an API.

    A request that fits the description may be rejected with one of these statuses for what it
    means, such as a name that is taken; one that does not fit it, also with those in `invalid`.
    """
    config: dict[str, Any] = {
        # What is at the limits of every schema takes half a minute in large APIs.
        "phases": {"coverage": {"enabled": coverage or "FUZZ_EXAMPLES" in os.environ}},
        "checks": {
            # RFC 6585 has a status of its own for the one header that edits require.
            "missing_required_header": {"expected-statuses": [400, 401, 428]},
            "positive_data_acceptance": {"expected-statuses": ["2xx", 304, *rejected]},
        },
    }
    if invalid:
        config["checks"]["negative_data_rejection"] = {"expected-statuses": [*invalid, "5xx"]}
    return schemathesis.openapi.from_asgi(path, app, config=SchemathesisConfig.from_dict(config))


@dataclass
class Fuzzer:
    """Directs most valid requests at what exists, with a token.

    `restore` restores the data and returns tokens to take in turn. `names` has two values of each
    path parameter. Schemathesis repeats requests of the methods `repeated` with a wrong token.
    """

    restore: Callable[[], Sequence[str]]
    names: Mapping[str, Sequence[str]]
    repeated: Sequence[str]
    _turns: cycle[bool] = field(default_factory=lambda: cycle([True, True, True, False]))
    _tokens: cycle[str] | None = None
    _changed_by: str = ""

    def send(self, case: schemathesis.Case[Any]) -> None:
        """Send a request, and fail unless the response is as described."""
        operation, method = case.operation.label, case.operation.method
        if self._tokens is None or self._changed_by not in ("", operation):
            self._tokens, self._changed_by = cycle(self.restore()), ""
        if method != "get":
            self._changed_by = operation
        self._aim(case)
        case.call_and_validate(excluded_checks=[] if method in self.repeated else [ignored_auth])

    def names_for(self, case: schemathesis.Case[Any]) -> Mapping[str, Sequence[str]]:
        """Return two values of each path parameter of a request."""
        return self.names

    def next_token(self) -> str:
        """Return the token of a request."""
        assert self._tokens is not None
        return next(self._tokens)

    def _aim(self, case: schemathesis.Case[Any]) -> None:
        parts = case.meta.components if case.meta else {}

        def is_valid(place: ParameterLocation) -> bool:
            return place not in parts or parts[place].mode.is_positive

        path, headers = ParameterLocation.PATH, ParameterLocation.HEADER
        if path in parts and is_valid(path) and next(self._turns):
            names = self.names_for(case)
            for name in case.path_parameters.keys() & names.keys():
                case.path_parameters[name] = names[name][next(self._turns)]
        if is_valid(headers) and next(self._turns):
            case.headers["Authorization"] = f"Bearer {self.next_token()}"
        if headers in parts and is_valid(headers) and "if-match" in case.headers:
            case.headers["if-match"] = "*"
        if case.path.endswith("/events") and is_valid(ParameterLocation.QUERY):
            case.query["wait"] = "0"
