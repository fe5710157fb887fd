"""PatternCatalog: declaring patterns, calling them, and rejecting invalid ones."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import Enum
from typing import Any
from uuid import UUID

import pytest

from singletable.errors import DeclarationError, UnsupportedPattern
from singletable.patterns import PatternCatalog, Rate, creates, per_hour, per_second, updates
from singletable.schema import Selection, Table
from tools.testing.designs.election_catalog import ballots, by_mail, elections, one_ballot, since
from tools.testing.designs.members import Member
from tools.testing.designs.votes import NOON, Ballot, Election, File, by_person, keys_only, votes


def test_read_pattern_returns_what_its_key_returns() -> None:
    assert one_ballot("L", "ada") == Ballot.key("L", "ada")
    assert ballots("L").key_queries() == Ballot.key.partition("L").key_queries()
    assert since("ada", NOON).key_queries() == Ballot.by_voter("ada").ge(NOON).key_queries()
    assert by_mail("a@b.c") == Member.one_email("a@b.c")


def test_keys_and_selections_carry_the_pattern_id() -> None:
    marked: list[Any] = [
        one_ballot("L", "ada"),
        ballots("L"),
        ballots("L").gt("b"),
        by_mail("a@b.c"),
    ]
    assert [one.pattern for one in marked] == [
        "elections:AP1",
        "elections:AP2",
        "elections:AP2",
        "elections:AP4",
    ]
    assert Ballot.key("L", "ada").pattern is None


def test_catalog_lists_patterns_in_order() -> None:
    assert [pattern.code for pattern in elections][:5] == ["AP1", "AP2", "AP3", "AP4", "AP5"]
    assert str(elections["AP5"]) == "AP5: Ballots of a voter since a time"
    with pytest.raises(DeclarationError, match=r"no pattern 'AP99'\. Patterns: AP1, AP2"):
        elections["AP99"]


def test_parameters_have_names_types_and_examples() -> None:
    assert [(one.name, one.type, one.example) for one in since.parameters] == [
        ("voter", str, "{voter}"),
        ("when", datetime, NOON),
    ]
    assert [one.name for one in one_ballot.parameters] == ["election", "voter"]


class Color(Enum):
    RED = "red"


def test_read_function_is_called_with_examples_of_each_type() -> None:
    catalog = PatternCatalog("shop", votes)

    @catalog.read_function("A")
    def ballots_of(a: str, b: int, c: Color, d: UUID | None, e: bytes) -> Selection[Ballot]:
        """Ballots."""
        assert (b, c, e) == (1, Color.RED, b"x")
        assert isinstance(d, UUID)
        return Ballot.key.partition(a)

    assert ballots_of.sample.values == {"election": "{a}"}


def _nothing(name: str) -> Any:
    """Ballots."""
    return name


untyped: Any = eval("lambda name: None")
untyped.__doc__ = "Ballots."


def _several(*names: str) -> Selection[Ballot]:
    """Ballots."""
    return Ballot.key.partition(names[0])


def _list(names: list[str]) -> Selection[Ballot]:
    """Ballots."""
    return Ballot.key.partition(names[0])


def _undocumented(name: str) -> Selection[Ballot]:
    return Ballot.key.partition(name)


other = Table("other")

INVALID: dict[str, tuple[Callable[[PatternCatalog], object], str]] = {
    "duplicate code": (
        lambda c: [c.read("A", "One", Ballot.key), c.read("A", "Two", Ballot.key)],
        "PatternCatalog('c') has two patterns 'A': 'One' and 'Two'. Use a different code for each.",
    ),
    "no description": (
        lambda c: c.read_function("A")(_undocumented),
        "Pattern 'A' of PatternCatalog('c') has no description. Pass one, or write a docstring "
        "for its function.",
    ),
    "consistent read of a global index": (
        lambda c: c.read("A", "Mine", Ballot.by_voter, consistent=True),
        "Pattern 'A' (Mine) is consistent and uses Ballot.by_voter, which is in the global "
        "index 'by_person'. Reads of a global index are always eventually consistent. Leave out "
        "consistent=True, or use the primary key.",
    ),
    "table not in the catalog": (
        lambda c: c.write("A", "Join", creates(Member)),
        "Pattern 'A' (Join) uses Member, which is in Table('members'), but the catalog has "
        "Table('vote_data'). Add the table to the catalog.",
    ),
    "function returns no key": (
        lambda c: c.read_function("A")(_nothing),
        "Pattern 'A' (Ballots) returned '{name}'; expected what a key returns: Ballot.key(…), "
        "Ballot.key.partition(…), Ballot.by_voter(…).",
    ),
    "parameter without a type": (
        lambda c: c.read_function("A")(untyped),
        "Pattern 'A' (Ballots): the parameter name has no type. Annotate it.",
    ),
    "variadic parameters": (
        lambda c: c.read_function("A")(_several),
        "Pattern 'A' (Ballots): *names accepts any number of values. Name each parameter.",
    ),
    "type without an example": (
        lambda c: c.read_function("A")(_list),
        "Pattern 'A' (Ballots): no example value for names of type list[str]. Pass one value "
        "for each parameter: example=(…).",
    ),
    "too few examples": (
        lambda c: c.read("A", "One", Ballot.key, example=("L",)),
        "Pattern 'A' (One): example has 1 values, but the pattern has 2 parameters (election, "
        "voter).",
    ),
    "example that does not work": (
        lambda c: c.read("A", "One", Ballot.key, example=("L", "")),
        "Pattern 'A' (One) failed with election='L', voter='': Ballot.voter in the key "
        "BALLOT#{voter}: a value in a key must not be empty. Pass values that work: example=(…).",
    ),
    "collection from one item": (
        lambda c: c.read("A", "File", Election.key, collection=File),
        "Pattern 'A' (File) reads the collection File from one item. Use a partition: "
        "key.partition.",
    ),
    "write without effects": (
        lambda c: c.write("A", "Nothing"),
        "Pattern 'A' (Nothing) does not declare what it writes: pass creates(Ballot), "
        "updates(Ballot, Ballot.rank) or deletes(Ballot).",
    ),
    "field of another entity": (
        lambda c: c.write("A", "Other", updates(Election, Ballot.rank)),
        "updates(Election, …): Ballot.rank is not a field of Election, which has name, title.",
    ),
    "field name instead of a field": (
        lambda c: c.write("A", "Other", updates(Election, "title")),  # type: ignore[arg-type]
        "updates(Election, …): 'title' is not a field of Election, which has name, title.",
    ),
    "entity instead of an effect": (
        lambda c: c.write("A", "Other", Election),  # type: ignore[arg-type]
        f"Pattern 'A' (Other): {Election!r} does not declare a write. Use creates(Election), "
        "puts(Election), updates(Election, …), upserts(Election, …), modifies(Election), "
        "deletes(Election), checks(Election), loads(Election) or clears(Election).",
    ),
    "scan without a reason": (
        lambda c: c.scan("A", "All", Ballot, reason=" "),
        "Pattern 'A' (All) scans the whole table at every call, which costs more as the table "
        "grows. Query by a key, or give the reason: reason=….",
    ),
    "number instead of a rate": (
        lambda c: c.read("A", "One", Ballot.key, rate=3),  # type: ignore[call-overload]
        "Pattern 'A' (One): rate=3: expected a rate, such as per_second(20).",
    ),
    "negative rate": (
        lambda c: c.read("A", "One", Ballot.key, rate=per_hour(-1)),
        "a rate of -1 calls an hour: expected a finite number, 0 or more.",
    ),
    "item size too large": (
        lambda c: c.read("A", "One", Ballot.key, size=500_000),
        "Pattern 'A' (One): size=500000: an item has 1 to 409,600 bytes.",
    ),
    "items is not a number": (
        lambda c: c.read("A", "One", Ballot.key, items="10"),  # type: ignore[call-overload]
        "Pattern 'A' (One): items='10': expected a whole number, 0 or more.",
    ),
    "consistent write": (
        lambda c: c.write("A", "Cast", creates(Ballot), consistent=True),
        "Pattern 'A' (Cast): consistent=… is for patterns that read. What a write must read "
        "first is always read with strong consistency.",
    ),
    "code of two words": (
        lambda c: c.read("A 1", "One", Ballot.key),
        "Pattern 'A 1' of PatternCatalog('c'): expected a name of one word, such as 'AP7' or "
        "'shop'.",
    ),
    "empty catalog name": (
        lambda c: PatternCatalog("", votes),
        "PatternCatalog(''): expected a name of one word, such as 'AP7' or 'shop'.",
    ),
    "entity instead of a table": (
        lambda c: PatternCatalog("c", Ballot),  # type: ignore[arg-type]
        f"PatternCatalog('c'): expected tables after the name, but got {Ballot!r}.",
    ),
    "item size of zero": (
        lambda c: PatternCatalog("c", votes, sizes={Ballot: 0}),
        "PatternCatalog('c'): sizes of Ballot=0: an item has 1 to 409,600 bytes.",
    ),
    "size of an entity in another table": (
        lambda c: PatternCatalog("c", votes, sizes={Member: 300}),
        "PatternCatalog('c'): sizes uses Member, which is in Table('members'), but the catalog "
        "has Table('vote_data'). Add the table to the catalog.",
    ),
    "unused index that does not exist": (
        lambda c: PatternCatalog("c", other, unused={by_person: "the console"}),
        "PatternCatalog('c'): unused has Index('by_person'), but the tables have no indexes. "
        "Remove it.",
    ),
    "decorator without a code": (
        lambda c: c.read_function(_undocumented),  # type: ignore[arg-type]
        "PatternCatalog('c').read_function expects the code of the pattern: write "
        '@….read_function("AP7") above def _undocumented(…).',
    ),
    "entity instead of a key": (
        lambda c: c.read("A", "One", Ballot),  # type: ignore[type-var]
        "Pattern 'A' (One): expected a key, but got the class Ballot. Use one of its keys: "
        "Ballot.key for one item, Ballot.key.partition for several.",
    ),
    "item instead of an entity": (
        lambda c: c.write("A", "Begin", creates(Election(name="L", title="T"))),  # type: ignore[arg-type]
        "creates(…): expected an entity class, but got Election(name='L', title='T').",
    ),
    "entity instead of a collection": (
        lambda c: c.read("A", "File", Election.key.partition, collection=Ballot),  # type: ignore[arg-type]
        f"Pattern 'A' (File): collection={Ballot!r}: expected a Collection class, which lists the "
        "entities in the partition.",
    ),
    "collection from another partition": (
        lambda c: c.read("A", "File", Ballot.by_voter, collection=File),
        "Pattern 'A' (File) reads the collection File by Ballot.by_voter, but such a partition "
        "contains no Election. Query a partition that they share, or remove Election from File.",
    ),
    "entity name in sizes": (
        lambda c: PatternCatalog("c", votes, sizes={"Ballot": 300}),  # type: ignore[dict-item]
        "PatternCatalog('c'): sizes: expected an entity class, but got 'Ballot'.",
    ),
    "hydrate by a whole key": (
        lambda c: c.read("A", "One", Ballot.key, hydrate=True),
        "Pattern 'A' (One): hydrate=True is for patterns that query items of one entity: "
        "Ballot.by_voter, Ballot.key.partition.",
    ),
    "hydrate of a collection": (
        lambda c: c.read("A", "File", Election.key.partition, collection=File, hydrate=True),
        "Pattern 'A' (File): hydrate=True is for patterns that query items of one entity: "
        "Ballot.by_voter, Ballot.key.partition.",
    ),
    "hydrate of a write": (
        lambda c: c.write("A", "Begin", creates(Election), hydrate=True),
        "Pattern 'A' (Begin): hydrate=… is for patterns that query.",
    ),
    "hydrate of a scan": (
        lambda c: c.scan("A", "All", Election, reason="a copy", hydrate=False),
        "Pattern 'A' (All): hydrate=… is for patterns that query.",
    ),
    "hydrate that is not a bool": (
        lambda c: c.read("A", "Mine", Ballot.by_voter, hydrate="yes"),  # type: ignore[call-overload]
        "Pattern 'A' (Mine): hydrate='yes': expected True or False.",
    ),
    "no table": (
        lambda c: PatternCatalog("empty"),
        "PatternCatalog('empty') has no table. Pass the tables that its patterns use.",
    ),
}


@pytest.mark.parametrize(("declare", "message"), INVALID.values(), ids=INVALID)
def test_declaration_rejects_invalid_patterns(
    declare: Callable[[PatternCatalog], object], message: str
) -> None:
    with pytest.raises(DeclarationError) as raised:
        declare(PatternCatalog("c", votes))
    assert str(raised.value) == message


def test_lookup_without_a_key_lists_the_keys() -> None:
    with pytest.raises(UnsupportedPattern) as raised:
        PatternCatalog("c", votes).lookup(
            "A", "By rank", Ballot, Ballot.election, Ballot.rank, order=Ballot.when_cast
        )
    assert str(raised.value) == (
        "Pattern 'A' (By rank) queries Ballot by 'election', 'rank' ordered by 'when_cast', but no "
        "key of Ballot starts with that. Keys: key (election, then voter); by_voter (voter, then "
        "when_cast, election); by_choice (election, choice, then voter). Add a key on an index, "
        "Key(pk=(election,), sk=(rank, when_cast,)).on(…), or query by the fields that one of "
        "these starts with: the whole partition key, then the sort key from left to right."
    )


@pytest.mark.parametrize(
    ("by", "order", "access"),
    [
        ((Ballot.election,), None, "key"),
        ((Ballot.voter,), None, "by_voter"),
        ((Ballot.choice, Ballot.election), None, "by_choice"),
        ((Ballot.election, Ballot.voter), None, "key"),
        ((Ballot.voter, Ballot.when_cast), None, "by_voter"),
        ((Ballot.voter, Ballot.when_cast), Ballot.election, "by_voter"),
        ((Ballot.election, Ballot.choice), Ballot.voter, "by_choice"),
    ],
    ids=str,
)
def test_lookup_finds_the_key_that_serves_it(by: Any, order: Any, access: str) -> None:
    catalog: Any = PatternCatalog("c", votes)
    pattern = catalog.lookup("A", "Found", Ballot, *by, order=order)
    assert pattern.sample.access.name == access
    assert {one.name for one in pattern.parameters} == {path.field for path in by}


def test_check_reports_indexes_that_no_pattern_reads() -> None:
    catalog = PatternCatalog("c", votes)
    catalog.read("A", "Mine", Ballot.by_voter)
    with pytest.raises(DeclarationError) as raised:
        catalog.check()
    assert str(raised.value) == (
        "PatternCatalog 'c': no pattern reads Index('keys_only') of Table('vote_data'), but every "
        "write of an item in it is charged (it contains Ballot.by_choice). Declare the pattern "
        "that reads it, remove the index, or give a reason: unused={index: 'reason'}."
    )


def test_unused_index_is_accepted_until_a_pattern_reads_it() -> None:
    reasons = {by_person: "the console", keys_only: "until March"}
    PatternCatalog("c", votes, unused=reasons).check()
    catalog = PatternCatalog("c", votes, unused=reasons)
    catalog.read("A", "Mine", Ballot.by_voter)
    with pytest.raises(DeclarationError, match=r"listed as unused \(the console\), but a pattern"):
        catalog.check()


@pytest.mark.parametrize(
    ("rate", "calls_per_second", "text"),
    [(per_second(2.5), 2.5, "2.5 a second"), (per_hour(7200), 2.0, "7,200 an hour")],
)
def test_rate_converts_to_calls_per_second(rate: Rate, calls_per_second: float, text: str) -> None:
    assert (rate.per_second, str(rate)) == (calls_per_second, text)
