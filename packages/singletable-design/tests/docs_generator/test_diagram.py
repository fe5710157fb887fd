"""Diagrams show item collections in the order of their sort keys."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated
from xml.etree import ElementTree as ET

import pytest

from singletable.schema import Table
from singletable.schema.examples import example_value
from singletable_design.docs_generator.diagram import (
    PartitionExample,
    TableOrIndex,
    example_partitions,
    render_diagram,
    table_and_indexes,
)
from tests.docs_generator.special_names import odd
from tools.testing.designs.members import members
from tools.testing.designs.votes import by_person, votes

SOURCES = [source for table in (votes, members, odd) for source in table_and_indexes(table)]
SVG = "{http://www.w3.org/2000/svg}"


def _example_partition(table: Table, template: str) -> PartitionExample:
    partitions = example_partitions(TableOrIndex(table, None))
    (partition,) = (p for p in partitions if template in p.templates)
    return partition


def test_partition_lists_its_entities_in_sort_order() -> None:
    election = _example_partition(votes, "ELECTION#{election}")
    assert election.templates == ("ELECTION#{name}", "ELECTION#{election}")
    assert [(row.entity, row.sort_key, row.has_more) for row in election.rows] == [
        ("Ballot", "BALLOT#voter-1", False),
        ("Ballot", "BALLOT#voter-2", True),
        ("Candidate", "CANDIDATE#name-1", False),
        ("Candidate", "CANDIDATE#name-2", True),
        ("Election", "METADATA", False),
    ]


def test_example_of_an_annotated_type_is_one_of_the_type() -> None:
    assert example_value(Annotated[str, "a name"], "name", 1) == "name-1"


def test_markers_are_shown() -> None:
    (row,) = _example_partition(members, "EMAIL#{email}").rows
    assert (row.entity, row.marker, row.attributes) == (
        "Member",
        "marker of one_email",
        ("the key of its owner",),
    )


def test_index_has_its_own_partitions() -> None:
    by_voter, by_device = example_partitions(TableOrIndex(votes, by_person))
    assert [row.entity for row in by_voter.rows] == ["Ballot", "Ballot"]
    assert by_device.templates == ("DEVICE#{device}",)


def test_sparse_index_shows_its_condition_and_projection() -> None:
    _, by_level, by_time, spread = map(example_partitions, table_and_indexes(odd))
    assert by_level[0].rows[0].attributes == ("keys", "level")
    assert by_level[0].example == "area-1 / high"
    assert by_level[0].rows[0].sort_key == "1.5 / name-1"
    assert by_time[0].rows[0].attributes == ("keys only",)
    assert spread[0].example == "ALL#0"
    assert spread[0].rows[0].condition == 'level = "high"'


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_diagram_is_xml_and_text_stays_inside(source: TableOrIndex) -> None:
    root = ET.fromstring(render_diagram(source, example_partitions(source), "x"))
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    for text in root.iter(f"{SVG}text"):
        # A character of the widest common fonts is 0.61 of twelve points wide.
        end = float(text.attrib["x"]) + len(text.text or "") * 12 * 0.61
        assert end <= wide, text.text
        assert 0 < float(text.attrib["y"]) < high


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_texts_in_a_row_do_not_overlap(source: TableOrIndex) -> None:
    root = ET.fromstring(render_diagram(source, example_partitions(source), "x"))
    lines: dict[str, list[tuple[float, float]]] = {}
    for text in root.iter(f"{SVG}text"):
        begin = float(text.attrib["x"])
        end = begin + len(text.text or "") * 12 * 0.61
        lines.setdefault(text.attrib["y"], []).append((begin, end))
    for line in lines.values():
        for (_, end), (begin, _) in pairwise(sorted(line)):
            assert end < begin


def test_long_keys_are_truncated() -> None:
    shown = render_diagram(SOURCES[0], [PartitionExample("K" * 200, ("T" * 200,), ())], "x")
    assert "K" * 43 + "…" in shown
    assert "K" * 45 not in shown
