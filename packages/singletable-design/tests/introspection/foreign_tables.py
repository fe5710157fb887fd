"""Tables written by other programs, with keys and values that are hard to declare."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import AttributeValue, Index, Item, LocalIndex, Number, Table


@dataclass(frozen=True)
class ForeignTable:
    """A table, its items, lines of the generated source, and the number of unmatched items."""

    table: Table
    items: list[Item]
    lines: tuple[str, ...]
    unmatched: int = 0


def item(**values: str | int | bool | AttributeValue) -> Item:
    """Return an item; strings, numbers and booleans are converted to attribute values."""
    converted: Item = {}
    for name, value in values.items():
        match value:
            case str():
                converted[name] = {"S": value}
            case bool():
                converted[name] = {"BOOL": value}
            case int():
                converted[name] = {"N": str(value)}
            case _:
                converted[name] = value
    return converted


COLONS = ForeignTable(
    Table("colons"),
    [
        item(PK="user:1", SK="order:7", total=3),
        item(PK="user:1", SK="order:8", total=4),
        item(PK="user:2", SK="profile:2", name="Ada"),
        item(PK="user:3", SK="profile:3", name="Bo"),
    ],
    (
        'key = Key(pk=concat("user:", user_id), sk=concat("order:", order_id))',
        'key = Key(pk=concat("user:", user_id), sk=concat("profile:", repeated(user_id)))',
    ),
)


def _customer(number: int) -> Item:
    return item(
        PK=f"CUST|{number}", SK="PROFILE", entity="Customer", name=f"Name {number}",
        GSI1PK="CUSTOMERS", GSI1SK=f"Name {number}",
    )  # fmt: skip


def _order(number: int) -> Item:
    day = f"2024-03-{number % 28 + 1:02d}"
    return item(
        PK=f"CUST|{number % 42}", SK=f"ORD|{day}|{number:05d}", entity="Order", number=number,
        GSI1PK=f"day:{day}", GSI1SK=f"ORD|{number:05d}",
    )  # fmt: skip


def _shipment(number: int) -> Item:
    return item(PK=f"TENANT/{number % 3}/ORDER-{number:05d}", SK="v0_latest", entity="Shipment")


# Three separators in one attribute, and a type tag.
PIPES = ForeignTable(
    Table("pipes", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")]),
    [
        *map(_customer, range(42)),
        *map(_order, range(120)),
        *map(_shipment, range(6)),
        *(item(PK=f"user:{at}", SK="PROFILE", entity="User") for at in range(6)),
    ],
    (
        'class Customer(Entity, table=pipes, type_tag=("entity", "Customer")):',
        'key = Key(pk=concat("CUST|", cust_id), sk="PROFILE")',
        'by_name = Key(pk="CUSTOMERS", sk=name).on(gsi1)',
        'pk=concat("CUST|", cust_id), sk=concat("ORD|", ord_day, "|", padded(number, 5))',
        'pk=concat("day:", ord_day), sk=concat("ORD|", padded(number, 5))',
        'pk=concat("TENANT/", tenant_id, "/ORDER-", padded(order_id, 5)), sk=id',
        'key = Key(pk=concat("user:", user_id), sk="PROFILE")',
    ),
)
# As ElectroDB writes them.
ELECTRO = ForeignTable(
    Table("electro", pk="pk", sk="sk"),
    [
        *(
            item(
                pk=f"$shop#org_a-b#id_{at}",
                sk="$customer_1",
                org="a-b",
                id=str(at),
                __edb_e__="customer",
            )
            for at in range(4)
        ),
        *(
            item(
                pk=f"$shop#org_a-b#id_{at}",
                sk=f"$order_1#number_{at}",
                id=str(at),
                __edb_e__="order",
            )
            for at in range(4)
        ),
    ],
    (
        'key = Key(pk=concat("$shop#org_", org, "#id_", id), sk=concat("$customer_1"))',
        'sk=concat("$order_1#number_", repeated(id)),',
    ),
)
# A space before a separator would be escaped, so the key is not joined by #.
SPACES = ForeignTable(
    Table("spaces"),
    [
        item(PK="CITY#New York#US", SK="INFO", name="New York"),
        item(PK="CITY#Paris#FR", SK="INFO", name="Paris"),
        item(PK="USER#1", SK="INFO", id="1"),
    ],
    ('pk=concat("CITY#", name, "#", pk), sk="INFO"', 'key = Key(pk=("USER", id), sk="INFO")'),
)
DOLLARS = ForeignTable(
    Table("dollars"),
    [item(PK="PRICE#5$", SK="INFO"), item(PK="PRICE#7$", SK="INFO")],
    ('key = Key(pk=concat("PRICE#", price_id), sk="INFO")',),
)
EMPTY_PARTS = ForeignTable(
    Table("trailing"),
    [item(PK="A#", SK="B#x"), item(PK="A#", SK="B#y")],
    ("# PK is declared as one field: 'A#' has an empty part", 'key = Key(pk=pk, sk=("B", b_id))'),
)
# A longer key with the same beginning would make the last value an inner one, which is escaped.
FOLLOWED = ForeignTable(
    Table("followed"),
    [
        item(PK="USER#1", SK="SKILL#public speaking"),
        item(PK="USER#1", SK="SKILL#chess#ENDORSED#7"),
        item(PK="USER#1", SK="SKILL#chess#ENDORSED#8"),
    ],
    (
        'sk=concat("SKILL#", skill_id))',
        'sk=concat("SKILL#", skill_id, "#ENDORSED#", endorsed_id)',
    ),
)
SHOP = ForeignTable(
    Table(
        "shop",
        indexes=[Index("inverted", pk="SK", sk="PK"), LocalIndex("totals", sk=Number("total"))],
    ),
    [
        item(PK="CUSTOMER#7", SK="ORDER#01H8XGJWBWBAQ4Z5M3N2P1R0TS", total=5),
        item(PK="CUSTOMER#7", SK="ORDER#01H8XGJWBWBAQ4Z5M3N2P1R0TT", total=6),
        item(PK="CUSTOMER#7", SK="CUSTOMER", name="Ada"),
    ],
    (
        'by_order_id = Key(pk=("ORDER", order_id), sk=("CUSTOMER", customer_id)).on(inverted)',
        'totals_index = LocalIndex("totals", sk=Number("total"))',
        'totals = Key(pk=("CUSTOMER", customer_id), sk=total).on(totals_index)',
        "class Customer(Entity, table=shop):",
    ),
)


def _ticket(number: int) -> Item:
    owner, open_ = ("ada" if number % 2 else "bob"), number % 3 != 0
    index = {"GSI1PK": f"OPEN#{owner}", "GSI1SK": str(number)} if open_ else {}
    ticket = item(PK=f"TICKET#{number}", SK="TICKET", id=str(number), owner=owner, flagged=open_)
    return {**ticket, **item(status="open" if open_ else "closed", **index)}


SPARSE = ForeignTable(
    Table("tickets", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")]),
    [_ticket(number) for number in range(1, 61)],
    ('by_owner = Key(pk=("OPEN", owner), sk=id).on(gsi1, when=flagged.in_(True))',),
)


def _with_risk(number: int, risk: str | None) -> Item:
    customer = item(PK=f"C|{number}", SK="C", id=str(number), _t="customer")
    return customer if risk is None else {**customer, "riskKey": {"S": risk}, "score": {"N": "7"}}


_RISKS = [Index("risk_index", pk="riskKey", sk=Number("score"))]
# Three customers have the same risk. Others, which the sample does not have, have another.
FEW_RISKS = ForeignTable(
    Table("customers", indexes=_RISKS),
    [_with_risk(number, "RISK|HIGH" if number < 4 else None) for number in range(1, 61)],
    (
        "# riskKey: 'RISK' is in 3 of 60 items.",
        "# riskKey: the sample has only 'HIGH' there, in 3 of 60 items, which is too few",
        "risk: Attr[str | None] = attr(default=None, key_only=True)",
        'risk_index = Key(pk=concat("RISK|", risk), sk=score)',
    ),
)
ALL_RISKS = ForeignTable(
    Table("customers", indexes=_RISKS),
    [_with_risk(number, f"RISK|{'HIGH' if number % 2 else 'MED'}") for number in range(1, 61)],
    (
        "# riskKey: 'RISK' is in 60 of 60 items.",
        "risk: Attr[str] = attr(key_only=True)",
        'risk_index = Key(pk=concat("RISK|", risk), sk=score)',
    ),
)
SHORT_TAG = ForeignTable(
    Table("accounts"),
    [
        item(PK=f"C|{number}", SK=sk, id=str(number), _t=tag)
        for number in range(1, 4)
        for sk, tag in (("C", "customer"), ("A", "account"))
    ],
    ('type_tag=("_t", "customer")', 'type_tag=("_t", "account")'),
)
# No attribute of the item equals the keys of the index.
UNKNOWN_INDEX_KEYS = ForeignTable(
    Table("jobs", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")]),
    [
        item(PK="JOB#1", SK="JOB", id="1", GSI1PK="QUEUE#a7", GSI1SK="x1"),
        item(PK="JOB#2", SK="JOB", id="2"),
    ],
    (
        "# GSI1PK, GSI1SK: no fields were found that compose these keys of index 'GSI1'",
        'gsi1_pk: Attr[str | None] = attr(name="GSI1PK", default=None)',
    ),
)
ODD_NAMES: dict[str, str | int] = {"follower#": 1, "class": "x", "0": "z"}
MESSY = ForeignTable(
    Table("messy", ttl="ttl"),
    [
        item(PK="X#1", SK="META", v={"L": [{"S": "a"}, {"N": "1"}]}, w="s", version=1, ttl="soon"),
        item(PK="X#2", SK="META", v={"L": []}, w=1, version=3, at=1700000000),
        item(
            PK="X#3", SK="META", version=2, date="2024-01-01", key="k", list={"L": []},
            nothing={"NULL": True}, **ODD_NAMES,
        ),
    ],
    (
        "version: Attr[int] = version()",
        "w: Attr[Any] = attr(default=None)",
        'date_: Attr[date | None] = attr(name="date", default=None)',
        'class_: Attr[str | None] = attr(name="class", default=None)',
        'follower: Attr[int | None] = attr(name="follower#", default=None)',
        "at: Attr[datetime | None] = attr(time_format=TimeFormat.EPOCH_SECONDS, default=None)",
        "# 'ttl' is the table's TTL attribute, but some items have no integer there.",
        "# 'nothing' is NULL in some items",
    ),
)  # fmt: skip
# Padded numbers in keys are numbers; others are strings, because their width is unknown.
NUMBERS = ForeignTable(
    Table("numbers"),
    [
        item(PK="ACCT#76584123", SK="ENTRY#0007", AccountId=76584123, entry=7),
        item(PK="ACCT#76584124", SK="ENTRY#0012", AccountId=76584124, entry=12),
    ],
    (
        "acct_id: Attr[str] = attr(key_only=True)",
        'key = Key(pk=("ACCT", acct_id), sk=("ENTRY", padded(entry, 4)))',
    ),
)
CASES = ForeignTable(
    Table("mail"),
    [
        item(PK="EMAIL#ada@example.org", SK="EMAIL", address="Ada@Example.org"),
        item(PK="EMAIL#bo@example.org", SK="EMAIL", address="bo@example.org"),
    ],
    ('key = Key(pk=("EMAIL", casefold(address)), sk="EMAIL")',),
)
MARKERS = ForeignTable(
    Table("markers"),
    [
        item(PK="USER#ada", SK="USER", name="ada", email="A@example.org"),
        item(PK="USER#bo", SK="USER", name="bo", email="b@example.org"),
        item(PK="EMAIL#a@example.org", SK="EMAIL", owner_PK="USER#ada", owner_SK="USER"),
        item(PK="EMAIL#b@example.org", SK="EMAIL", owner_PK="USER#bo", owner_SK="USER"),
    ],
    ('one_email = Unique(casefold(email), pk=("EMAIL", casefold(email)), sk="EMAIL")',),
)
STRAYS = ForeignTable(
    Table("strays"),
    [
        item(PK="USER#ada", SK="USER", name="ada"),
        item(PK="EMAIL#a@example.org", SK="EMAIL", owner_PK="USER#gone", owner_SK="USER"),
    ],
    ("They look like markers of unique values",),
    unmatched=1,
)
EMPTY = ForeignTable(
    Table("empty"),
    [],
    ("# 'empty' is empty, so no entities could be inferred.", 'empty = Table("empty")'),
)
# Names that would be executed if they were not quoted.
HOSTILE = ForeignTable(
    Table("hostile"),
    [
        item(PK='"); import os; ("#1', SK="A\nB", **{'a"b\nimport os': "1", "__class__": "2"}),
        item(PK='"); import os; ("#2', SK="A\nB", entity_type='T"""'),
    ],
    ("",),
)

FOREIGN_TABLES = {
    "other separator": COLONS,
    "several separators": PIPES,
    "fixed text in a part": ELECTRO,
    "spaces in values": SPACES,
    "dollars in values": DOLLARS,
    "empty parts": EMPTY_PARTS,
    "longer key with the same prefix": FOLLOWED,
    "shop": SHOP,
    "sparse index": SPARSE,
    "few values in an index key": FEW_RISKS,
    "values only in an index key": ALL_RISKS,
    "short type tag": SHORT_TAG,
    "unknown index keys": UNKNOWN_INDEX_KEYS,
    "mixed types": MESSY,
    "numbers in keys": NUMBERS,
    "casefolded keys": CASES,
    "markers": MARKERS,
    "markers without owner": STRAYS,
    "empty table": EMPTY,
    "code in names": HOSTILE,
}
