"""A catalog lists patterns, each a value that can be called; what cannot work is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import Enum
from typing import Any
from uuid import UUID

import pytest

from singletable import (
    DeclarationError,
    PatternCatalog,
    Selection,
    Table,
    UnsupportedPattern,
    creates,
    per_hour,
    per_second,
    updates,
)
from tests.patterns.declared import ballots, by_mail, elections, one_ballot, since
from tests.store.declared import NOON, Ballot, Election, File, by_person, keys_only, votes
from tests.store.members import Member


def test_a_pattern_is_called_as_its_key_is() -> None:
    assert one_ballot("L", "ada") == Ballot.key("L", "ada")
    assert ballots("L").asked() == Ballot.key.partition("L").asked()
    assert since("ada", NOON).asked() == Ballot.by_voter("ada").ge(NOON).asked()
    assert by_mail("a@b.c") == Member.one_email("a@b.c")


def test_what_a_pattern_gives_is_marked_with_its_name() -> None:
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


def test_a_catalogue_lists_its_patterns_in_order() -> None:
    assert [pattern.code for pattern in elections][:5] == ["AP1", "AP2", "AP3", "AP4", "AP5"]
    assert str(elections["AP5"]) == "AP5: Ballots of a voter since a moment"
    with pytest.raises(DeclarationError, match=r"no pattern 'AP99'\. There are AP1, AP2"):
        elections["AP99"]


def test_parameters_are_named_and_typed() -> None:
    assert [(one.name, one.type, one.example) for one in since.parameters] == [
        ("voter", str, "{voter}"),
        ("when", datetime, NOON),
    ]
    assert [one.name for one in one_ballot.parameters] == ["election", "voter"]


class Colour(Enum):
    RED = "red"


def test_a_function_is_tried_with_an_example_of_each_type() -> None:
    catalog = PatternCatalog("shop", votes)

    @catalog.read_function("A")
    def tried(a: str, b: int, c: Colour, d: UUID | None, e: bytes) -> Selection[Ballot]:
        """Ballots."""
        assert (b, c, e) == (1, Colour.RED, b"x")
        assert isinstance(d, UUID)
        return Ballot.key.partition(a)

    assert tried.sample.values == {"election": "{a}"}


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

REFUSED: dict[str, tuple[Callable[[PatternCatalog], object], str]] = {
    "a code twice": (
        lambda c: [c.read("A", "One", Ballot.key), c.read("A", "Two", Ballot.key)],
        "PatternCatalog('c') has two patterns 'A': 'One' and 'Two'. Give each a code of its own.",
    ),
    "no words": (
        lambda c: c.read_function("A")(_undocumented),
        "Pattern 'A' of PatternCatalog('c') does not say what it is. Say it in a few words, or in "
        "the docstring of its function.",
    ),
    "consistent in a global index": (
        lambda c: c.read("A", "Mine", Ballot.by_voter, consistent=True),
        "Pattern 'A' (Mine) is consistent and goes by Ballot.by_voter, which is in the global "
        "index 'by_person'. DynamoDB reads a global index a moment later. Leave out "
        "consistent=True, or ask by the primary key.",
    ),
    "a table that is not listed": (
        lambda c: c.write("A", "Join", creates(Member)),
        "Pattern 'A' (Join) is about Member, which is in Table('members'), and the catalog has "
        "Table('vote_data'). Give the table to the catalog too.",
    ),
    "what no store is asked with": (
        lambda c: c.read_function("A")(_nothing),
        "Pattern 'A' (Ballots) gives '{name}', and a store is asked with what a key gives: "
        "Ballot.key(…), Ballot.key.partition(…), Ballot.by_voter(…).",
    ),
    "a parameter without a type": (
        lambda c: c.read_function("A")(untyped),
        "Pattern 'A' (Ballots): the parameter name has no type. Annotate it.",
    ),
    "any number of parameters": (
        lambda c: c.read_function("A")(_several),
        "Pattern 'A' (Ballots): *names could be any number of values. Name each parameter.",
    ),
    "a type without an example": (
        lambda c: c.read_function("A")(_list),
        "Pattern 'A' (Ballots): there is no example of names, a list[str], to try the pattern "
        "with. Give one value for each parameter: example=(…).",
    ),
    "too few examples": (
        lambda c: c.read("A", "One", Ballot.key, example=("L",)),
        "Pattern 'A' (One): example has 1 values, and the pattern is called with 2 (election, "
        "voter).",
    ),
    "an example that does not do": (
        lambda c: c.read("A", "One", Ballot.key, example=("L", "")),
        "Pattern 'A' (One) could not be tried with election='L', voter='': Ballot.voter in the key "
        "BALLOT#{voter}: a value in a key is never empty. Give values that do: example=(…).",
    ),
    "a collection of one item": (
        lambda c: c.read("A", "File", Election.key, collects=File),
        "Pattern 'A' (File) collects File from one item. Ask for a partition: key.partition.",
    ),
    "nothing written": (
        lambda c: c.write("A", "Nothing"),
        "Pattern 'A' (Nothing) says nothing of what it writes. Say so: creates(Ballot), "
        "updates(Ballot, Ballot.rank), deletes(Ballot).",
    ),
    "a field of another": (
        lambda c: c.write("A", "Other", updates(Election, Ballot.rank)),
        "updates(Election, …): Ballot.rank is not a field of Election, which has name, title.",
    ),
    "the name of a field": (
        lambda c: c.write("A", "Other", updates(Election, "title")),  # type: ignore[arg-type]
        "updates(Election, …): 'title' is not a field of Election, which has name, title.",
    ),
    "an entity alone": (
        lambda c: c.write("A", "Other", Election),  # type: ignore[arg-type]
        f"Pattern 'A' (Other): {Election!r} does not say what is done. Say so: creates(Election), "
        "puts(Election), updates(Election, …), deletes(Election) or checks(Election).",
    ),
    "a scan without a reason": (
        lambda c: c.scan("A", "All", Ballot, reason=" "),
        "Pattern 'A' (All) reads the whole table at every call, and costs more the more there is. "
        "Ask by a key, or give the reason why that is right: reason=….",
    ),
    "no rate": (
        lambda c: c.read("A", "One", Ballot.key, rate=3),  # type: ignore[arg-type]
        "Pattern 'A' (One): rate=3: expected a rate, such as per_second(20).",
    ),
    "a rate below nothing": (
        lambda c: c.read("A", "One", Ballot.key, rate=per_hour(-1)),
        "a rate of -1 calls an hour: expected a number from 0 on.",
    ),
    "an item that is too large": (
        lambda c: c.read("A", "One", Ballot.key, size=500_000),
        "Pattern 'A' (One): size=500000: an item has 1 to 409,600 bytes.",
    ),
    "a number of items that is none": (
        lambda c: c.read("A", "One", Ballot.key, items="10"),  # type: ignore[arg-type]
        "Pattern 'A' (One): items='10': expected a whole number from 0 on.",
    ),
    "a consistent write": (
        lambda c: c.write("A", "Cast", creates(Ballot), consistent=True),
        "Pattern 'A' (Cast): consistent=… is for patterns that read. Whatever a write must know, "
        "it reads as it stands at the moment.",
    ),
    "a code of two words": (
        lambda c: c.read("A 1", "One", Ballot.key),
        "Pattern 'A 1' of PatternCatalog('c'): expected one word for a name, such as 'AP7' or "
        "'shop'.",
    ),
    "no name": (
        lambda c: PatternCatalog("", votes),
        "PatternCatalog(''): expected one word for a name, such as 'AP7' or 'shop'.",
    ),
    "an entity for a table": (
        lambda c: PatternCatalog("c", Ballot),  # type: ignore[arg-type]
        f"PatternCatalog('c'): expected tables behind the name, but got {Ballot!r}.",
    ),
    "a size of nothing": (
        lambda c: PatternCatalog("c", votes, sizes={Ballot: 0}),
        "PatternCatalog('c'): sizes of Ballot=0: an item has 1 to 409,600 bytes.",
    ),
    "a size of another's": (
        lambda c: PatternCatalog("c", votes, sizes={Member: 300}),
        "PatternCatalog('c'): sizes is about Member, which is in Table('members'), and the catalog "
        "has Table('vote_data'). Give the table to the catalog too.",
    ),
    "a reason for an index that is gone": (
        lambda c: PatternCatalog("c", other, unused={by_person: "the console"}),
        "PatternCatalog('c'): unused has Index('by_person'), and the tables have no indexes. Take "
        "it out.",
    ),
    "a decorator without its code": (
        lambda c: c.read_function(_undocumented),  # type: ignore[arg-type]
        "PatternCatalog('c').reads expects the code of the pattern: write "
        '@….reads("AP7") above def _undocumented(…).',
    ),
    "an entity for a key": (
        lambda c: c.read("A", "One", Ballot),  # type: ignore[type-var]
        "Pattern 'A' (One): expected a key, but got the class Ballot. Ask by a key of it: "
        "Ballot.key for one item, Ballot.key.partition for several.",
    ),
    "an item that is created": (
        lambda c: c.write("A", "Begin", creates(Election(name="L", title="T"))),  # type: ignore[arg-type]
        "creates(…): expected an entity, the class itself, but got Election(name='L', title='T').",
    ),
    "an entity that is collected": (
        lambda c: c.read("A", "File", Election.key.partition, collects=Ballot),  # type: ignore[arg-type]
        f"Pattern 'A' (File): collects={Ballot!r}: expected a class of Collection, which names "
        "what lies in the partition.",
    ),
    "a collection from another partition": (
        lambda c: c.read("A", "File", Ballot.by_voter, collects=File),
        "Pattern 'A' (File) collects File by Ballot.by_voter, and no Election lies in such a "
        "partition. Ask by a key whose partition they share, or take Election out of File.",
    ),
    "a size by name": (
        lambda c: PatternCatalog("c", votes, sizes={"Ballot": 300}),  # type: ignore[dict-item]
        "PatternCatalog('c'): sizes: expected an entity, the class itself, but got 'Ballot'.",
    ),
    "no table": (
        lambda c: PatternCatalog("empty"),
        "PatternCatalog('empty') names no table. Name those that its patterns go to.",
    ),
}


@pytest.mark.parametrize(("declare", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_work_is_refused_where_it_is_declared(
    declare: Callable[[PatternCatalog], object], message: str
) -> None:
    with pytest.raises(DeclarationError) as refused:
        declare(PatternCatalog("c", votes))
    assert str(refused.value) == message


def test_a_pattern_that_no_key_serves_is_told_which_there_are() -> None:
    with pytest.raises(UnsupportedPattern) as refused:
        PatternCatalog("c", votes).lookup(
            "A", "By rank", Ballot, Ballot.election, Ballot.rank, order=Ballot.when_cast
        )
    assert str(refused.value) == (
        "Pattern 'A' (By rank) asks for Ballot by 'election', 'rank' in the order of 'when_cast', "
        "and no key of Ballot starts with that (there are: key (election, then voter); by_voter "
        "(voter, then when_cast, election); by_choice (election, choice, then voter)). Add a key "
        "on an index, Key(pk=(election,), sk=(rank, when_cast,)).on(…), or ask by the fields that "
        "one of these starts with: all of its partition, then its sort key from left to right."
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
def test_the_key_that_serves_a_pattern_is_found(by: Any, order: Any, access: str) -> None:
    catalog: Any = PatternCatalog("c", votes)
    pattern = catalog.asks("A", "Found", Ballot, *by, order=order)
    assert pattern.sample.access.name == access
    assert {one.name for one in pattern.parameters} == {path.field for path in by}


def test_an_index_that_no_pattern_reads_is_told() -> None:
    catalog = PatternCatalog("c", votes)
    catalog.read("A", "Mine", Ballot.by_voter)
    with pytest.raises(DeclarationError) as refused:
        catalog.check()
    assert str(refused.value) == (
        "PatternCatalog 'c': Index('keys_only') of Table('vote_data') is read by no pattern, and "
        "every write of an item in it is paid for (it holds Ballot.by_choice). Declare the pattern "
        "that reads it, remove the index, or say why it stays: unused={index: 'reason'}."
    )


def test_an_index_may_stay_for_a_reason_while_it_is_unused() -> None:
    reasons = {by_person: "the console", keys_only: "until March"}
    PatternCatalog("c", votes, unused=reasons).check()
    catalog = PatternCatalog("c", votes, unused=reasons)
    catalog.read("A", "Mine", Ballot.by_voter)
    with pytest.raises(DeclarationError, match=r"said to be unused \(the console\), and a pattern"):
        catalog.check()


@pytest.mark.parametrize(
    ("rate", "a_second", "shown"),
    [(per_second(2.5), 2.5, "2.5 a second"), (per_hour(7200), 2.0, "7,200 an hour")],
)
def test_a_rate_is_a_number_of_calls_in_a_span(rate: Any, a_second: float, shown: str) -> None:
    assert (rate.a_second, str(rate)) == (a_second, shown)
