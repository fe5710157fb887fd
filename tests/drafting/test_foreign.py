"""Tables of other programs: a draft holds what it can, and tells plainly what it cannot."""

from __future__ import annotations

import pytest

from singletable import Scan, Store, connect
from singletable.drafting import Sample, draft
from tests.drafting.foreign import FOREIGN, Foreign
from tests.drafting.test_designs import models, placed

every_table = pytest.mark.parametrize("foreign", FOREIGN.values(), ids=FOREIGN)


@every_table
def test_a_draft_reads_as_if_a_person_had_written_it(foreign: Foreign) -> None:
    source = draft([Sample(foreign.table, foreign.items)]).source
    said = " ".join(source.replace("\n#", " ").split())
    for line in foreign.lines:
        assert " ".join(line.removeprefix("# ").split()) in said, source


# No draft may write an item under another key, or lose what it does not understand.
@every_table
def test_what_is_placed_is_written_as_it_was(foreign: Foreign) -> None:
    made = draft([Sample(foreign.table, foreign.items)])
    left = [item for unplaced in made.tables[0].unplaced for item in unplaced.items]
    assert len(left) == foreign.left, made.source
    declared = models(made, "a draft")
    for item in foreign.items:
        if item not in left and "owner_PK" not in item:
            without_null = {name: held for name, held in item.items() if "NULL" not in held}
            assert placed(declared, without_null), made.source


def test_a_part_of_a_table_is_called_so() -> None:
    shop = FOREIGN["shop"]
    source = draft([Sample(shop.table, shop.items, whole=False)]).source
    assert "# 3 items of 'shop' were read, and there are more." in source


# A marker is held by no entity; it is written with its owner.
def test_markers_are_written_with_their_owners() -> None:
    markers = FOREIGN["markers"]
    declared = models(draft([Sample(markers.table, markers.items)]), "a draft")
    (user,) = declared
    store = Store(connect("memory:"))
    store.admin.create_table(user.table)
    for item in markers.items:
        if user.matches(item):
            store.create(user.instance(item))
    written = store.driver.execute(Scan("markers")).items or []
    assert sorted(written, key=str) == sorted(markers.items, key=str)
