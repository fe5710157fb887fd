"""The catalog: an app's access patterns, each a named value that can be called.

    elections = PatternCatalog("elections", votes)
    ballots = elections.read("AP7", "Ballots of an election", Ballot.key.partition)
    store.query(ballots("Favorite Language"))

A pattern that cannot work raises where it is declared. Call `check()` in the last line of the
module to check the catalog as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, ParamSpec, TypeVar, Unpack, cast, overload

from singletable.errors import DeclarationError, SingleTableError
from singletable.patterns.checks import (
    check_code,
    check_counts,
    check_effect,
    check_hydrate,
    check_indexes,
    check_name,
    check_sizes,
    check_table,
    check_tables,
    check_unused,
    check_values,
)
from singletable.patterns.expected_load import (
    Expectations,
    ExpectedLoad,
    FieldValues,
    ItemCount,
    Rate,
)
from singletable.patterns.matcher import match_pattern
from singletable.patterns.pattern import (
    CrudPatterns,
    FeedPattern,
    FunctionPattern,
    Parameter,
    Pattern,
    Positional,
    ReadPattern,
    ScanPattern,
    WritePattern,
    creates,
    deletes,
    updates,
)
from singletable.patterns.read_patterns import find_lookup_key, read_accesses, read_parameters
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
from singletable.schema.fields import declared_entity
from singletable.schema.keys import BoundKey
from singletable.store import CallShape, EntityAccess

P = ParamSpec("P")
Q = TypeVar("Q", bound="ItemKey[Any] | Selection[Any] | UniqueValue[Any]")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
E = TypeVar("E")
W = TypeVar("W", ReadPattern[Any, Any], WritePattern, ScanPattern, FeedPattern)

_MAX_SHAPES = 1_000


class PatternCatalog:
    """The access patterns of an app, in the order of their declaration.

    `sizes` are typical item sizes in bytes, and `counts` the number of items, by entity. `values`
    says how many values a key field has and how often they occur: `zipf(Skill.name, 200)`. `unused`
    lists indexes that no pattern reads, each with the reason why it stays.
    """

    def __init__(
        self,
        name: str,
        *tables: Table,
        sizes: Mapping[type, int] | None = None,
        counts: Mapping[type, int | ItemCount] | None = None,
        values: Sequence[FieldValues] = (),
        unused: Mapping[Index, str] | None = None,
    ) -> None:
        where = f"PatternCatalog({name!r})"
        check_name(where, name)
        check_tables(where, tables)
        self.name = name
        self.tables = tables
        self.sizes = check_sizes(where, tables, sizes or {})
        self.counts = check_counts(where, tables, counts or {})
        self.values = check_values(where, tables, values)
        self.unused = dict(unused or {})
        self.patterns: dict[str, Pattern] = {}
        # An app makes calls of a few shapes, each of them many times.
        self._recognized: dict[CallShape, Pattern | None] = {}
        check_unused(where, tables, self.unused)

    def __iter__(self) -> Iterator[Pattern]:
        return iter(self.patterns.values())

    def __repr__(self) -> str:
        return f"PatternCatalog({self.name!r})"

    @overload
    def read(
        self,
        code: str,
        description: str,
        selector: Positional[P, Q],
        *,
        collection: type[Collection] | None = None,
        example: Sequence[object] | None = None,
        **expected: Unpack[Expectations],
    ) -> ReadPattern[P, Q]: ...
    @overload
    def read(
        self,
        code: str,
        description: str,
        selector: Callable[P, Q],
        *,
        collection: type[Collection] | None = None,
        example: Sequence[object] | None = None,
        **expected: Unpack[Expectations],
    ) -> ReadPattern[P, Q]: ...
    def read(
        self,
        code: str,
        description: str,
        selector: Any,
        *,
        collection: type[Collection] | None = None,
        example: Sequence[object] | None = None,
        **expected: Unpack[Expectations],
    ) -> Any:
        """Declare a pattern that reads by a key: `Ballot.key`, `Ballot.key.partition`, ….

        With `collection` it reads the partition, or a range of it, into a Collection. `example` has
        a value for each parameter, where the default ones do not work. The expected load: `rate` is
        how often the pattern is called; one call finds `items` items of `size` bytes, among
        `scanned` items that it reads before a filter; `consistent` requests strongly consistent
        reads; `hydrate` says whether the items of a query are read with `hydrate`, which is assumed
        for an index that does not contain all fields; `skew` says how unevenly calls spread over
        partition keys, from 0 (evenly) to 1 (by Zipf's law) and more.
        """
        return self._read(ReadPattern, code, description, selector, collection, example, expected)

    def _read(
        self,
        kind: type[ReadPattern[P, Q]],
        code: str,
        description: str,
        selector: Callable[P, Q],
        collection: type[Collection] | None,
        example: Sequence[object] | None,
        expected: Expectations,
    ) -> ReadPattern[P, Q]:
        where = self._declare(code, description)
        parameters = read_parameters(where, selector, example)
        try:
            # The examples have the types of the parameters, which a type checker cannot know.
            sample = cast("Callable[..., Q]", selector)(*(one.example for one in parameters))
        except SingleTableError as error:
            raise DeclarationError(
                f"{where} failed with {_show_examples(parameters)}: {error} Pass values that "
                "work: example=(…)."
            ) from error
        load = ExpectedLoad.declared(where, expected)
        accesses = read_accesses(where, self.tables, sample, collection, consistent=load.consistent)
        check_hydrate(where, sample, collection, load.hydrate)
        return self._add(
            kind(
                self.name,
                code,
                description,
                load,
                accesses,
                selector,
                parameters,
                sample,
                collection,
            )
        )

    def read_function(
        self,
        code: str,
        *,
        collection: type[Collection] | None = None,
        example: Sequence[object] | None = None,
        **expected: Unpack[Expectations],
    ) -> Callable[[Callable[P, Q]], FunctionPattern[P, Q]]:
        """Declare a read pattern from a function; its docstring is the description."""
        check_code(f"{self!r}.read_function", code)

        def decorate(function: Callable[P, Q]) -> FunctionPattern[P, Q]:
            summary = (function.__doc__ or "").strip().partition("\n\n")[0]
            description = " ".join(summary.split()).removesuffix(".")
            pattern = self._read(
                FunctionPattern, code, description, function, collection, example, expected
            )
            return cast("FunctionPattern[P, Q]", pattern)

        return decorate

    @overload
    def lookup(
        self,
        code: str,
        description: str,
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
        description: str,
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
        description: str,
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
        description: str,
        entity: type[Any],
        /,
        *by: Path[Any, Any],
        order: Path[Any, Any] | None = None,
        **expected: Unpack[Expectations],
    ) -> Any:
        """Declare a pattern that queries by fields; raise UnsupportedPattern if no key serves it.

        With `order` the items are sorted by that field.
        """
        where = self._declare(code, description)
        model = model_of(declared_entity(entity))
        fields = [path.field for path in by]
        query = find_lookup_key(where, model, fields, None if order is None else order.field)
        return self.read(code, description, query, **expected)

    def write(
        self,
        code: str,
        description: str,
        *effects: EntityAccess,
        **expected: Unpack[Expectations],
    ) -> WritePattern:
        """Declare a pattern that writes: `creates(Ballot)`, or several in one transaction."""
        where = self._declare(code, description)
        if not effects:
            raise DeclarationError(
                f"{where} does not declare what it writes: pass creates(Ballot), "
                "updates(Ballot, Ballot.rank) or deletes(Ballot)."
            )
        for effect in effects:
            check_effect(where, effect)
            check_table(where, self.tables, effect.entity)
        if "consistent" in expected:
            raise DeclarationError(
                f"{where}: consistent=… is for patterns that read. What a write must read first is "
                "always read with strong consistency."
            )
        _check_no_hydrate(where, expected)
        load = ExpectedLoad.declared(where, expected)
        return self._add(WritePattern(self.name, code, description, load, tuple(effects)))

    def crud(
        self,
        codes: str,
        name: str,
        key: Positional[P, ItemKey[E]],
        *with_create: EntityAccess,
        update: EntityAccess | None = None,
        consistent: bool = False,
        reads: Rate | None = None,
        writes: Rate | None = None,
    ) -> CrudPatterns[P, E]:
        """Declare the usual patterns of an entity: get, create, update and delete an item.

        `codes` are those of the four patterns, as in "T1 T2 T3 T4"; a single code is their prefix:
        T-get, T-create, T-update and T-delete. `name` completes their descriptions: "a team".
        `with_create` are more effects of the transaction that creates an item. An update edits any
        fields, unless `update` says which: `updates(Team, Team.name)`, `puts(Team)`. `reads` is how
        often items are read, and `writes` the rate of each of the three others.
        """
        entity = _entity_of(f"{self!r}.crud({codes!r})", key)
        read, create, change, delete = _crud_codes(self, codes)
        return CrudPatterns(
            self.read(read, f"Get {name}", key, consistent=consistent, rate=reads),
            self.write(create, f"Create {name}", creates(entity), *with_create, rate=writes),
            self.write(change, f"Update {name}", update or updates(entity), rate=writes),
            self.write(delete, f"Delete {name}", deletes(entity), rate=writes),
        )

    def scan(
        self,
        code: str,
        description: str,
        entity: type,
        *,
        reason: str,
        **expected: Unpack[Expectations],
    ) -> ScanPattern:
        """Declare a pattern that scans a whole table, with the reason why no key will do.

        `items` is then the number of all items in the table, because a scan is charged for all.
        """
        where = self._declare(code, description)
        if not reason.strip():
            raise DeclarationError(
                f"{where} scans the whole table at every call, which costs more as the table "
                "grows. Query by a key, or give the reason: reason=…."
            )
        entity = declared_entity(entity)
        check_table(where, self.tables, entity)
        accesses = (EntityAccess("scan", entity),)
        _check_no_hydrate(where, expected)
        load = ExpectedLoad.declared(where, expected)
        return self._add(ScanPattern(self.name, code, description, load, accesses, reason))

    def feed(self, code: str, description: str, *entities: type) -> FeedPattern:
        """Declare a pattern that follows the changes to some entities."""
        where = self._declare(code, description)
        resolved = [declared_entity(entity) for entity in entities]
        for entity in resolved:
            check_table(where, self.tables, entity)
        accesses = tuple(EntityAccess("feed", entity) for entity in resolved)
        return self._add(FeedPattern(self.name, code, description, ExpectedLoad(), accesses))

    def check(self) -> None:
        """Raise unless every index is read by a pattern, or listed in `unused`."""
        check_indexes(self.name, self.tables, self, self.unused)

    def recognize(self, shape: CallShape) -> Pattern | None:
        """Return the declared pattern that matches this call, or None."""
        try:
            return self._recognized[shape]
        except KeyError:
            if len(self._recognized) >= _MAX_SHAPES:
                self._recognized.clear()
            return self._recognized.setdefault(shape, match_pattern(self.patterns, shape))

    def __getitem__(self, code: str) -> Pattern:
        pattern = self.patterns.get(code)
        if pattern is None:
            raise DeclarationError(
                f"{self!r} has no pattern {code!r}. Patterns: {', '.join(self.patterns)}."
            )
        return pattern

    def _declare(self, code: str, description: str) -> str:
        """Check the code and description, and return the pattern's name for errors."""
        check_name(f"Pattern {code!r} of {self!r}", code)
        if code in self.patterns:
            raise DeclarationError(
                f"{self!r} has two patterns {code!r}: {self.patterns[code].description!r} and "
                f"{description!r}. Use a different code for each."
            )
        if not description.strip():
            raise DeclarationError(
                f"Pattern {code!r} of {self!r} has no description. Pass one, or write a docstring "
                "for its function."
            )
        return f"Pattern {code!r} ({description})"

    def _add(self, pattern: W) -> W:
        self.patterns[pattern.code] = pattern
        self._recognized.clear()
        return pattern


def find_catalogs(module: ModuleType) -> list[PatternCatalog]:
    """Return the catalogs among a module's names, each once and in order."""
    catalogs = (value for value in vars(module).values() if isinstance(value, PatternCatalog))
    return list(dict.fromkeys(catalogs))


def _crud_codes(catalog: PatternCatalog, codes: str) -> list[str]:
    listed = codes.split()
    if len(listed) == 1:
        listed = [f"{listed[0]}-{verb}" for verb in ("get", "create", "update", "delete")]
    if len(listed) != 4:
        raise DeclarationError(
            f"{catalog!r}.crud({codes!r}): expected the codes of get, create, update and delete, "
            "such as 'T1 T2 T3 T4', or a prefix for them, such as 'T'."
        )
    return listed


def _entity_of(where: str, key: object) -> type[Any]:
    if not isinstance(key, BoundKey):
        raise DeclarationError(f"{where}: expected the key of an entity, but got {key!r}.")
    return key._entity  # pyright: ignore[reportUnknownMemberType]


def _show_examples(parameters: Sequence[Parameter]) -> str:
    return ", ".join(f"{one.name}={one.example!r}" for one in parameters) or "no values"


def _check_no_hydrate(where: str, expected: Expectations) -> None:
    if expected.get("hydrate") is not None:
        raise DeclarationError(f"{where}: hydrate=… is for patterns that query.")
