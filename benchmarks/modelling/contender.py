"""What is measured: reading an item as an object, and writing the object as an item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.measuring.expect import expect
from benchmarks.modelling.ballot import FACTS, FIELDS, JSON, WIRE, facts


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to model items: from the wire form, from JSON where it reads that itself, and back."""

    name: str
    read: Callable[[dict[str, Any]], Any]
    write: Callable[[Any], dict[str, Any]]
    read_json: Callable[[bytes], Any] | None = None

    def checked(self) -> Contender:
        """The same, once it has shown that it reads what is there and writes what it read."""
        ballot = self.read(WIRE)
        expect(facts(ballot), FACTS)
        written = self.write(ballot)
        expect(sorted(FIELDS - written.keys()), [])
        expect(facts(self.read({**WIRE, **written})), FACTS)
        if self.read_json is not None:
            expect(facts(self.read_json(JSON)), FACTS)
        return self
