"""Pictures show which items lie together, in the order of their sort keys."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from singletable.documents.partitions import Lying, Place, partitions_of, places_of
from singletable.documents.picture import picture
from singletable.schema import Table
from tests.documents.odd import odd
from tests.store.declared import by_person, votes
from tests.store.members import members

PLACES = [place for table in (votes, members, odd) for place in places_of(table)]
SVG = "{http://www.w3.org/2000/svg}"


def _lying(table: Table, template: str) -> Lying:
    (found,) = (one for one in partitions_of(Place(table, None)) if template in one.templates)
    return found


def test_entities_of_one_partition_lie_together_in_order() -> None:
    election = _lying(votes, "ELECTION#{election}")
    assert election.templates == ("ELECTION#{name}", "ELECTION#{election}")
    assert [(row.entity, row.sort, row.many) for row in election.rows] == [
        ("Ballot", "BALLOT#voter-1", False),
        ("Ballot", "BALLOT#voter-2", True),
        ("Candidate", "CANDIDATE#name-1", False),
        ("Candidate", "CANDIDATE#name-2", True),
        ("Election", "METADATA", False),
    ]


def test_a_marker_is_an_item_too() -> None:
    (row,) = _lying(members, "EMAIL#{email}").rows
    assert (row.entity, row.marker, row.holds) == (
        "Member",
        "marker of one_email",
        ("the key of its owner",),
    )


def test_an_index_has_partitions_of_its_own() -> None:
    by_voter, by_device = partitions_of(Place(votes, by_person))
    assert [row.entity for row in by_voter.rows] == ["Ballot", "Ballot"]
    assert by_device.templates == ("DEVICE#{device}",)


def test_an_index_of_some_items_says_which_and_what_it_holds() -> None:
    _, by_level, by_time, spread = (partitions_of(place) for place in places_of(odd))
    assert by_level[0].rows[0].holds == ("keys", "level")
    assert by_level[0].example == "area-1 / high"
    assert by_level[0].rows[0].sort == "1.5 / name-1"
    assert by_time[0].rows[0].holds == ("keys only",)
    assert spread[0].example == "ALL#0"
    assert spread[0].rows[0].only == 'level = "high"'


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_a_picture_is_xml_and_nothing_leaves_it(place: Place) -> None:
    root = ET.fromstring(picture(place, partitions_of(place), "x"))
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    for text in root.iter(f"{SVG}text"):
        # A letter of the widest usual fonts takes 0.61 of twelve points.
        end = float(text.attrib["x"]) + len(text.text or "") * 12 * 0.61
        assert end <= wide, text.text
        assert 0 < float(text.attrib["y"]) < high


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_what_stands_in_one_line_does_not_touch(place: Place) -> None:
    root = ET.fromstring(picture(place, partitions_of(place), "x"))
    lines: dict[str, list[tuple[float, float]]] = {}
    for text in root.iter(f"{SVG}text"):
        begin = float(text.attrib["x"])
        end = begin + len(text.text or "") * 12 * 0.61
        lines.setdefault(text.attrib["y"], []).append((begin, end))
    for line in lines.values():
        for (_, end), (begin, _) in pairwise(sorted(line)):
            assert end < begin


def test_a_long_key_is_cut_and_not_run_over() -> None:
    shown = picture(PLACES[0], [Lying("K" * 200, ("T" * 200,), ())], "x")
    assert "K" * 43 + "…" in shown
    assert "K" * 45 not in shown
