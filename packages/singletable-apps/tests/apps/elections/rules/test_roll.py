"""Lists of voters are read as people write them, and all their problems are found at once."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.elections.rules.names import fold_name, person_key
from singletable_apps.elections.rules.roll import (
    FIELDS,
    ParsedRoll,
    RollLine,
    format_text,
    parse_roll,
    pick_sheet,
    split_text,
)

ADA = "ada@example.org"


def _parse(text: str) -> ParsedRoll:
    return parse_roll(split_text(text))


@pytest.mark.parametrize(
    ("text", "person"),
    [
        (f"Ada Lovelace <{ADA}>", ("Ada Lovelace", ADA, "", 0)),
        (f'"Lovelace, Ada" <{ADA}>,', ("Lovelace, Ada", ADA, "", 0)),
        (f"  {ADA}  ", ("", ADA, "", 0)),
        ("Ada Lovelace", ("Ada Lovelace", "", "", 0)),
        (f"Ada;{ADA};Board;3", ("Ada", ADA, "Board", 3)),
        (f"{ADA}\tAda\t2", ("Ada", ADA, "", 2)),
        (f'"Lovelace, Ada", {ADA}', ("Lovelace, Ada", ADA, "", 0)),
        (f"Votes,E-Mail,Section,Name\n4,{ADA},Board,Ada", ("Ada", ADA, "Board", 4)),
        (f"Name;Phone;Mail\nAda;555;{ADA}", ("Ada", ADA, "", 0)),
        (f"Name\n{ADA}", ("", ADA, "", 0)),
        ("Name,Weight\nAda,2.0", ("Ada", "", "", 2)),
        ('Name,Weight\nAda,"2,0"', ("Ada", "", "", 2)),
        (f"Ada;mailto:{ADA};;2,00", ("Ada", ADA, "", 2)),
        ("Ada <mailto:ada%40example.org?subject=Hi>", ("Ada", ADA, "", 0)),
        (f"Group;E-mail\nBoard;Ada Lovelace <{ADA}>", ("Ada Lovelace", ADA, "Board", 0)),
        (f"First name,Last name,Email\nAda,Lovelace,{ADA}", ("Ada Lovelace", ADA, "", 0)),
        (f"Name;Vorname;E-Mail (privat)\nLovelace;Ada;{ADA}", ("Ada Lovelace", ADA, "", 0)),
        (f"Nachname, Vorname;E-Mail 1\nLovelace, Ada;{ADA}", ("Lovelace, Ada", ADA, "", 0)),
        (f"Address;Name;E-mail\nMain St 1;Ada;{ADA}", ("Ada", ADA, "", 0)),
        (f'Name;E-Mail;Straße\nAda;{ADA};"Am See\n1"', ("Ada", ADA, "", 0)),
        (f"Prénom,Nom,Courriel,Voix\nAda,Lovelace,{ADA},2", ("Ada Lovelace", ADA, "", 2)),
        (f"Nombre,Apellidos,Correo\nAda,Lovelace,{ADA}", ("Ada Lovelace", ADA, "", 0)),
        (f"Vorname\tE-Mail\nAda\t{ADA}", ("Ada", ADA, "", 0)),
        (
            "Mitgl.-Nr.;Vorname;Nachname;E-Mail-Adresse;Abteilung;Stimmen\n"
            f"17;Ada;Lovelace;{ADA};Segeln;2,0",
            ("Ada Lovelace", ADA, "Segeln", 2),
        ),
    ],
)
def test_line_is_read_as_people_write_it(text: str, person: tuple[str, str, str, int]) -> None:
    parsed = _parse(text)
    assert [(one.name, one.email, one.group, one.weight) for one in parsed.lines] == [person]
    assert not parsed.problems


def test_all_problems_are_found_with_their_lines() -> None:
    parsed = _parse(
        f"Ada <{ADA}>\n\nBen <ben@>\nCleo,cleo@example.org,0\nDan\u202e\n"
        f"dan@example.org,a,b,c\nEve,eve@example.org,,1000001\n{'x' * 200_000}\n"
    )
    assert [(problem.line, problem.text[:12]) for problem in parsed.problems] == [
        (3, "“ben@” is no"),
        (4, "The weight i"),
        (5, "This name co"),
        (6, "What is “c”?"),
        (7, "The weight i"),
        (8, "This name is"),
    ]
    assert [one.email for one in parsed.lines] == [ADA]


def test_duplicates_are_merged_unless_their_weights_differ() -> None:
    parsed = _parse(f"{ADA}\nAda <ADA@example.org>\nBen\nben\n")
    assert [(one.line, one.name) for one in parsed.lines] == [(1, "Ada"), (3, "Ben")]
    assert [merged.line for merged in parsed.merged] == [2, 4]
    [problem] = _parse(f"Name,Mail,Weight\nAda,{ADA},2\nAda,{ADA},3").problems
    assert (problem.line, "2 on line 2" in problem.text) == (3, True)


def test_other_names_with_one_address_are_other_people() -> None:
    parsed = _parse(f"Ada <{ADA}>\nBen <{ADA.upper()}>\nLovelace, Cy <{ADA}>\nCy Lovelace <{ADA}>")
    assert [(one.line, one.name) for one in parsed.lines] == [
        (1, "Ada"),
        (2, "Ben"),
        (3, "Lovelace, Cy"),
    ]
    assert [(one.line, one.text) for one in parsed.shared] == [
        (2, "“Ben” has the same address as “Ada” on line 1."),
        (3, "“Lovelace, Cy” has the same address as “Ada” on line 1."),
    ]
    assert [(one.line, one.text) for one in parsed.merged] == [
        (4, "“Cy Lovelace” is also on line 3.")
    ]
    [problem] = _parse(f"Ada <{ADA}>\n{ADA}\nBen <{ADA}>").problems
    assert (problem.line, problem.text) == (
        2,
        f"“{ADA}” is the address of “Ada” and “Ben”. Write which of them it is.",
    )


PERSON = st.sampled_from(["", "Ada", "Ben", "Lovelace, Ada", "Ada Lovelace", "ada"])
ADDRESS = st.sampled_from(["", ADA, ADA.upper(), "ben@example.org"])
LINE = st.tuples(PERSON, ADDRESS).filter(any)


# Who is a person of their own does not depend on the order, and everyone named is there.
@given(
    st.lists(LINE, max_size=6).flatmap(lambda made: st.tuples(st.just(made), st.permutations(made)))
)
def test_everyone_named_is_read_once_in_any_order(
    lists: tuple[list[tuple[str, str]], list[tuple[str, str]]],
) -> None:
    def people(lines: list[tuple[str, str]]) -> set[tuple[str, str]]:
        parsed = parse_roll([(0, FIELDS), *enumerate(lines, 1)])
        found = [(fold_name(one.email or one.name), person_key(one.name)) for one in parsed.lines]
        assert len(found) == len(set(found))
        return set(found)

    lines, others = lists
    found = people(lines)
    assert people(others) == found
    assert found >= {(fold_name(email or name), person_key(name)) for name, email in lines if name}


def test_columns_that_are_not_used_are_named() -> None:
    parsed = _parse(f"Name,Shoe size,Mail,,Class\nAda,38,{ADA},,7b")
    assert parsed.unused == ["Shoe size"]
    assert [(one.name, one.group) for one in parsed.lines] == [("Ada", "7b")]


def test_rows_above_the_headings_are_named_unless_someone_is_there() -> None:
    parsed = _parse(f"Segelclub Seeadler e.V.\nStand;1.3.2026\n\nName;E-Mail\nAda;{ADA}\n")
    assert [one.name for one in parsed.lines] == ["Ada"]
    assert parsed.above == ["Segelclub Seeadler e.V.", "Stand, 1.3.2026"]
    [problem] = _parse(f"Ben;ben@example.org\nName;E-Mail\nAda;{ADA}").problems
    assert (problem.line, "above the headings" in problem.text) == (1, True)


def test_list_that_begins_with_a_numbered_member_has_no_headings() -> None:
    parsed = _parse("Member 1\nMember 2\n")
    assert [one.name for one in parsed.lines] == ["Member 1", "Member 2"]


def test_sheet_with_headings_is_picked_or_else_one_with_an_address() -> None:
    cover, people = [(1, ["Segelclub"])], [(1, ["Ada", ADA])]
    assert pick_sheet([cover, people]) == 1
    assert pick_sheet([cover, people, [(1, ["Club"]), (3, ["Vorname", "E-Mail"])]]) == 2
    assert pick_sheet([cover, cover]) == 0


CELL = st.sampled_from(
    ["", "Ada", "Board", "7", "2,0", "2,5", "1.000", ADA, f"mailto:{ADA}", f"Ada <{ADA}>", "e.V."]
)
HEADING = st.sampled_from(["Name", "Vorname", "Nachname", "E-Mail", "Stimmen", "Telefon", ""])
TABLE = st.tuples(
    st.lists(st.lists(CELL, max_size=5), max_size=4),
    st.lists(HEADING, max_size=5),
    st.lists(st.lists(CELL, max_size=5), max_size=4),
)


# Nothing of a list disappears: a row is someone, a problem, merged, or named as not read; and what
# is in a line without headings is in the person.
@given(TABLE, st.booleans())
def test_every_row_and_every_cell_is_accounted_for(
    table: tuple[list[list[str]], list[str], list[list[str]]], with_headings: bool
) -> None:
    above, headings, below = table
    rows = [*above, *([headings] if with_headings else []), *below]
    parsed = parse_roll(enumerate(rows, 1))
    filled = [number for number, cells in enumerate(rows, 1) if any(cells)]
    found = [one.line for part in (parsed.lines, parsed.problems, parsed.merged) for one in part]
    assert len(found) == len(set(found))
    assert len(found) + len(parsed.above) + parsed.has_headings == len(filled)
    if parsed.has_headings or parsed.merged:
        return
    for one in parsed.lines:
        person = f"{one.name} {one.email} {one.group} {one.weight or ''}"
        for word in re.split("[<> ]", " ".join(rows[one.line - 1])):
            assert word.removeprefix("mailto:").removesuffix(",0") in person


def test_too_many_people_are_a_problem() -> None:
    [problem] = _parse("\n".join(f"v{number}@example.org" for number in range(10_001))).problems
    assert (problem.line, "10,001" in problem.text) == (0, True)


def test_written_text_is_read_as_the_same_people() -> None:
    lines = [
        RollLine(2, 'A "quoted", name', ADA, "Board", 3),
        RollLine(3, "Ben"),
        RollLine(4, '"Cy" Ray', group="'; x"),
    ]
    assert list(_parse(format_text(lines)).lines) == lines
