"""Reading a table partition by partition, and no more of it than is shown."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from singletable.errors import InvalidValue, ResourceNotFound, TableNotFound
from singletable.operations import (
    DescribeTable,
    Driver,
    ListTables,
    PageOutput,
    Query,
    Scan,
    TableDescription,
)
from singletable.values import AttributeValue, Item, key_bytes, parse_number

# So many are held in memory at once; a longer partition is shown in pieces.
PIECE = 1000


@dataclass(frozen=True, slots=True)
class Keys:
    """The key attributes of a table: the partition key, its type, and the sort key if any."""

    pk: str
    pk_type: str
    sk: str | None

    @classmethod
    def of(cls, table: TableDescription) -> Keys:
        """Those that a description tells."""
        types = {one.attribute_name: one.attribute_type for one in table.attribute_definitions}
        by_side = {one.key_type: one.attribute_name for one in table.key_schema}
        pk = by_side["HASH"]
        return cls(pk, types[pk], by_side.get("RANGE"))


class Reading:
    """What is read of a table: all of it or some partitions, up to a limit."""

    def __init__(
        self, driver: Driver, table: TableDescription, partitions: Sequence[str], limit: int
    ) -> None:
        self.driver = driver
        self.table = table
        self.keys = Keys.of(table)
        self.partitions = [_key_value(self.keys, text) for text in partitions]
        self.limit = limit
        # What was done so far.
        self.count = 0
        self.units = 0.0
        # The item at which it ended, of those that were wanted.
        self.more: Item | None = None

    def pieces(self) -> Iterator[list[Item]]:
        """The items of one partition after the other, in order; long ones in several pieces."""
        piece: list[Item] = []
        for item in self._items():
            if piece and (item[self.keys.pk] != piece[0][self.keys.pk] or len(piece) == PIECE):
                yield self._sorted(piece)
                piece = []
            piece.append(item)
        if piece:
            yield self._sorted(piece)

    def goes_on(self, piece: list[Item]) -> bool:
        """Whether a partition has more items than were read."""
        return self.more is not None and self.more[self.keys.pk] == piece[0][self.keys.pk]

    def _sorted(self, piece: list[Item]) -> list[Item]:
        sk = self.keys.sk
        return piece if sk is None else sorted(piece, key=lambda item: key_bytes(item[sk]))

    def _items(self) -> Iterator[Item]:
        for page in self._pages():
            if page.consumed_capacity is not None:
                self.units += page.consumed_capacity.capacity_units
            for item in page.items:
                if self.count == self.limit:
                    self.more = item
                    return
                self.count += 1
                yield item

    def _pages(self) -> Iterator[PageOutput]:
        everything: list[AttributeValue | None] = [None]
        for asked in self.partitions or everything:
            after: Item | None = None
            while True:
                page = self.driver.execute(self._question(asked, after))
                yield page
                after = page.last_evaluated_key
                if after is None:
                    break

    def _question(self, partition: AttributeValue | None, after: Item | None) -> Query | Scan:
        # One more tells whether there is more.
        most = min(self.limit - self.count + 1, PIECE)
        if partition is None:
            return Scan(
                self.table.table_name,
                limit=most,
                exclusive_start_key=after,
                return_consumed_capacity="TOTAL",
            )
        return Query(
            self.table.table_name,
            limit=most,
            exclusive_start_key=after,
            return_consumed_capacity="TOTAL",
            key_condition_expression="#pk = :pk",
            expression_attribute_names={"#pk": self.keys.pk},
            expression_attribute_values={":pk": partition},
        )


def describe(driver: Driver, name: str) -> TableDescription:
    """The table of a name; refused, with those that there are, if there is none."""
    try:
        return driver.execute(DescribeTable(name)).table
    except ResourceNotFound:
        names = ", ".join(table_names(driver)) or "none"
        raise TableNotFound(
            f"There is no table {name!r} at this address; there are: {names}."
        ) from None


def table_names(driver: Driver) -> Iterator[str]:
    """The names of the tables that there are."""
    after: str | None = None
    while True:
        page = driver.execute(ListTables(exclusive_start_table_name=after))
        yield from page.table_names
        after = page.last_evaluated_table_name
        if after is None:
            return


def _key_value(keys: Keys, text: str) -> AttributeValue:
    """A partition key as it was typed; bytes are typed in base64."""
    try:
        if keys.pk_type == "N":
            parse_number(text)
            return {"N": text}
        if keys.pk_type == "B":
            b64decode(text, validate=True)
            return {"B": text}
    except (ValueError, binascii.Error):
        what = "numbers" if keys.pk_type == "N" else "bytes, which are typed in base64"
        raise InvalidValue(f"{keys.pk} holds {what}, but got {text!r}.") from None
    return {"S": text}
