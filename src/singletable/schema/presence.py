"""Whether an item has a value: None is an attribute that is not there, or one that is null.

Other programs write null for what they have no value for, and we do where absence would be read as
a default. Both are read as None, so both are none to a condition. Where the type has no None, null
is no value that could be read, and only the attribute is asked for.
"""

from __future__ import annotations

from singletable.expressions import (
    And,
    At,
    Compare,
    Condition,
    Exists,
    Literally,
    NotExists,
    Or,
    Path,
)
from singletable.schema.codec import Codec

NULL = Literally({"NULL": True})


def there_is(place: Path, codec: Codec) -> Condition:
    """The condition that there is a value."""
    exists = Exists(place)
    return And(exists, Compare("<>", At(place), NULL)) if _reads_null(codec) else exists


def there_is_none(place: Path, codec: Codec) -> Condition:
    """The condition that there is no value."""
    missing = NotExists(place)
    return Or(missing, Compare("=", At(place), NULL)) if _reads_null(codec) else missing


def _reads_null(codec: Codec) -> bool:
    """Whether null is read as a value of the type: as None, or as an empty set."""
    return codec.absent is not None
