"""The catalog: the list of an app's access patterns, each a named value that can be called.

    elections = PatternCatalog("elections", votes)
    ballots = elections.read("AP7", "Ballots of an election", Ballot.key.partition)
    store.query(ballots("Favorite Language"))

Whatever cannot work is refused where it is declared; `check()`, the last line of the module, looks
at the list as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar, Unpack, cast, overload

from singletable.errors import DeclarationError, SingleTableError
from singletable.patterns.check import (
    check_code,
    check_effect,
    check_indexes,
    check_name,
    check_table,
    check_tables,
    check_unused,
    sizes_of,
)
from singletable.patterns.expected import Expectations, Expected, expected_of
from singletable.patterns.pattern import (
    FeedPattern,
    Parameter,
    Pattern,
    ReadPattern,
    ScanPattern,
    WritePattern,
)
from singletable.patterns.recognize import recognized
from singletable.patterns.sample import parameters_of
from singletable.patterns.serve import serving
from singletable.patterns.touches import touches_of
from singletable.schema import (
    Collection,
    Index,
    ItemKey,
    Path,
    Selection,
    Table,
    UniqueValue,
    model_of,
)
from singletable.schema.fields import entity_behind
from singletable.store import CallShape, EntityAccess

P = ParamSpec("P")
Q = TypeVar("Q", bound="ItemKey[Any] | Selection[Any] | UniqueValue[Any]")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
W = TypeVar("W", ReadPattern[Any, Any], WritePattern, ScanPattern, FeedPattern)


class PatternCatalog:
    """The access patterns of an app, in the order in which they are declared.

    `sizes` are the bytes that an item of an entity usually has. `unused` names indexes that no
    pattern reads, each with the reason why it stays.
    """

    def __init__(
        self,
        name: str,
        *tables: Table,
        sizes: Mapping[type, int] | None = None,
        unused: Mapping[Index, str] | None = None,
    ) -> None:
        check_name(f"PatternCatalog({name!r})", name)
        check_tables(f"PatternCatalog({name!r})", tables)
        self.name = name
        self.tables = tables
        self.sizes = sizes_of(f"PatternCatalog({name!r})", tables, sizes or {})
        self.unused = dict(unused or {})
        self.patterns: dict[str, Pattern] = {}
        check_unused(f"PatternCatalog({name!r})", tables, self.unused)

    def __iter__(self) -> Iterator[Pattern]:
        return iter(self.patterns.values())

    def __repr__(self) -> str:
        return f"PatternCatalog({self.name!r})"

    def read(
        self,
        code: str,
        what: str,
        asks: Callable[P, Q],
        *,
        collects: type[Collection] | None = None,
        example: Sequence[object] | None = None,
        **expected: Unpack[Expectations],
    ) -> ReadPattern[P, Q]:
        """A pattern that reads by a key: `Ballot.key`, `Ballot.key.partition`, `Ballot.by_voter`.

        With `collects` the partition is read whole, as a collection. `example` gives a value for
        each parameter where a usual one will not do. What is expected: `rate` is how often it is
        called, `items` are found in one call, `size` bytes each, and `consistent` asks for them
        as they stand at the moment.
        """
        where = self._where(code, what)
        parameters = parameters_of(where, asks, example)
        try:
            # A checker knows callers by their types; the examples were found by the same ones.
            sample = cast("Callable[..., Q]", asks)(*(one.example for one in parameters))
        except SingleTableError as error:
            raise DeclarationError(
                f"{where} could not be tried with {_values(parameters)}: {error} Give values that "
                "do: example=(…)."
            ) from error
        as_expected = expected_of(where, expected)
        consistent = as_expected.consistent
        touches = touches_of(where, self.tables, sample, collects, consistent=consistent)
        return self._add(
            ReadPattern(
                self.name, code, what, as_expected, touches, asks, parameters, sample, collects
            )
        )

    def read_function(
        self,
        code: str,
        *,
        collects: type[Collection] | None = None,
        example: Sequence[object] | None = None,
        **expected: Unpack[Expectations],
    ) -> Callable[[Callable[P, Q]], ReadPattern[P, Q]]:
        """The same for a function that makes a selection; its first sentence says what it is."""
        check_code(f"{self!r}.reads", code)

        def declared(function: Callable[P, Q]) -> ReadPattern[P, Q]:
            said = (function.__doc__ or "").strip().partition("\n\n")[0]
            what = " ".join(said.split()).removesuffix(".")
            return self.read(code, what, function, collects=collects, example=example, **expected)

        return declared

    @overload
    def lookup(
        self,
        code: str,
        what: str,
        entity: type[E],
        by: Path[E, A],
        /,
        *,
        order: Path[E, Any] | None = None,
        **expected: Unpack[Expectations],
    ) -> ReadPattern[[A], Selection[E]]: ...
    @overload
    def lookup(
        self,
        code: str,
        what: str,
        entity: type[E],
        a: Path[E, A],
        b: Path[E, B],
        /,
        *,
        order: Path[E, Any] | None = None,
        **expected: Unpack[Expectations],
    ) -> ReadPattern[[A, B], Selection[E]]: ...
    @overload
    def lookup(
        self,
        code: str,
        what: str,
        entity: type[E],
        a: Path[E, A],
        b: Path[E, B],
        c: Path[E, C],
        /,
        *,
        order: Path[E, Any] | None = None,
        **expected: Unpack[Expectations],
    ) -> ReadPattern[[A, B, C], Selection[E]]: ...
    def lookup(
        self,
        code: str,
        what: str,
        entity: type[Any],
        /,
        *by: Path[Any, Any],
        order: Path[Any, Any] | None = None,
        **expected: Unpack[Expectations],
    ) -> Any:
        """A pattern that asks by fields; the key that answers it is found, or the lack of one told.

        With `order` the items come in the order of a field.
        """
        where = self._where(code, what)
        model = model_of(entity_behind(entity))
        names = [path.field for path in by]
        ask = serving(where, model, names, None if order is None else order.field)
        return self.read(code, what, ask, **expected)

    def write(
        self,
        code: str,
        what: str,
        *effects: EntityAccess,
        **expected: Unpack[Expectations],
    ) -> WritePattern:
        """A pattern that writes: `creates(Ballot)`, or several effects in one transaction."""
        where = self._where(code, what)
        if not effects:
            raise DeclarationError(
                f"{where} says nothing of what it writes. Say so: creates(Ballot), "
                "updates(Ballot, Ballot.rank), deletes(Ballot)."
            )
        for touch in effects:
            check_effect(where, touch)
            check_table(where, self.tables, touch.entity)
        if "consistent" in expected:
            raise DeclarationError(
                f"{where}: consistent=… is for patterns that read. Whatever a write must know, it "
                "reads as it stands at the moment."
            )
        as_expected = expected_of(where, expected)
        return self._add(WritePattern(self.name, code, what, as_expected, tuple(effects)))

    def scan(
        self,
        code: str,
        what: str,
        entity: type,
        *,
        reason: str,
        **expected: Unpack[Expectations],
    ) -> ScanPattern:
        """A pattern that reads a whole table, with the reason why no key will do.

        `items` are then all that the table holds, those of other entities too: all are paid for.
        """
        where = self._where(code, what)
        if not reason.strip():
            raise DeclarationError(
                f"{where} reads the whole table at every call, and costs more the more there is. "
                "Ask by a key, or give the reason why that is right: reason=…."
            )
        entity = entity_behind(entity)
        check_table(where, self.tables, entity)
        touches = (EntityAccess("scan", entity),)
        as_expected = expected_of(where, expected)
        return self._add(ScanPattern(self.name, code, what, as_expected, touches, reason))

    def feed(self, code: str, what: str, *entities: type) -> FeedPattern:
        """A pattern that follows what is written to some entities."""
        where = self._where(code, what)
        found = [entity_behind(entity) for entity in entities]
        for entity in found:
            check_table(where, self.tables, entity)
        touches = tuple(EntityAccess("feed", entity) for entity in found)
        return self._add(FeedPattern(self.name, code, what, Expected(), touches))

    def check(self) -> None:
        """Look at the list as a whole: every index is read by a pattern, or has a reason."""
        check_indexes(self.name, self.tables, self, self.unused)

    def recognize(self, question: CallShape) -> Pattern | None:
        """The pattern that a call of a store was; None if it is in no pattern's words."""
        return recognized(self.patterns, question)

    def __getitem__(self, code: str) -> Pattern:
        pattern = self.patterns.get(code)
        if pattern is None:
            raise DeclarationError(
                f"{self!r} has no pattern {code!r}. There are {', '.join(self.patterns)}."
            )
        return pattern

    def _where(self, code: str, what: str) -> str:
        """What a pattern is called in messages; its code is its own, and it says what it is."""
        check_name(f"Pattern {code!r} of {self!r}", code)
        if code in self.patterns:
            raise DeclarationError(
                f"{self!r} has two patterns {code!r}: {self.patterns[code].what!r} and {what!r}. "
                "Give each a code of its own."
            )
        if not what.strip():
            raise DeclarationError(
                f"Pattern {code!r} of {self!r} does not say what it is. Say it in a few words, or "
                "in the docstring of its function."
            )
        return f"Pattern {code!r} ({what})"

    def _add(self, pattern: W) -> W:
        self.patterns[pattern.code] = pattern
        return pattern


def _values(parameters: Sequence[Parameter]) -> str:
    return ", ".join(f"{one.name}={one.example!r}" for one in parameters) or "no values"
