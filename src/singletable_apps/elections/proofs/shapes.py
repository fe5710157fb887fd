"""Files from anywhere, read as what they claim to be or refused with the place that is wrong."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from singletable_apps.elections.proofs.canonical import canonical
from singletable_apps.elections.proofs.errors import NotCanonical, StatementRefused
from singletable_apps.elections.proofs.published import FORMAT as PUBLICATION
from singletable_apps.elections.proofs.published import Published
from singletable_apps.elections.proofs.receipt import FORMAT as RECEIPT
from singletable_apps.elections.proofs.receipt import Receipt

Shape = TypeVar("Shape", Receipt, Published)


def read_receipt(value: object) -> Receipt:
    """The value as a receipt, every field of its type and none besides."""
    return _expect(_read(value, Receipt, "receipt"), RECEIPT, "receipt")


def read_published(value: object) -> Published:
    """The value as a publication, every field of its type and none besides."""
    return _expect(_read(value, Published, "publication"), PUBLICATION, "publication")


def _read(value: object, shape: type[Shape], what: str) -> Shape:
    try:
        given = canonical(value)
        read = msgspec.convert(value, shape)
    except (NotCanonical, msgspec.ValidationError) as error:
        raise StatementRefused(f"This is no {what}: {error}") from error
    except RecursionError as error:
        raise StatementRefused(f"This is no {what}: it is nested too deeply.") from error
    # Fields that nobody checks could tell a reader anything.
    if canonical(read) != given:
        raise StatementRefused(f"This {what} has fields that no {what} has. Take the original.")
    return read


def _expect(read: Shape, format_name: str, what: str) -> Shape:
    if read["format"] != format_name:
        raise StatementRefused(
            f"This {what} has the format '{read['format']}', and this program reads "
            f"'{format_name}'. Check it with the program it came with."
        )
    return read
