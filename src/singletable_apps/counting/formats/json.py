"""JSON of a shape that is known, or an error that says where it is another."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from singletable_apps.counting.errors import FormatError

T = TypeVar("T")
_NOTHING = msgspec.Raw()


def decoded(data: bytes, kind: type[T]) -> T:
    """The data as a value of the kind."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise FormatError(f"A member of the JSON is not what it should be: {error}.") from error
    except RecursionError as error:
        raise FormatError("The JSON is nested deeper than any ballot file is.") from error
    except (msgspec.DecodeError, ValueError) as error:
        raise FormatError(f"This is not JSON: {error}.") from error


class Members(msgspec.Struct):
    """The members that tell one JSON format from the other."""

    report: msgspec.Raw = msgspec.field(name="CastVoteRecordReport", default=_NOTHING)
    election: msgspec.Raw = msgspec.field(name="Election", default=_NOTHING)
    config: msgspec.Raw = msgspec.field(name="config", default=_NOTHING)
    results: msgspec.Raw = msgspec.field(name="results", default=_NOTHING)

    @property
    def is_cvr(self) -> bool:
        """Whether these are cast vote records."""
        return self.is_wrapped or self.election is not _NOTHING

    @property
    def is_wrapped(self) -> bool:
        """Whether the report is inside a member of its own."""
        return self.report is not _NOTHING

    @property
    def is_rctab(self) -> bool:
        """Whether this is a tabulation of RCTab."""
        return self.config is not _NOTHING and self.results is not _NOTHING
