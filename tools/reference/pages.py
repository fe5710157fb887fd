"""Which name stands on which page, in which order; whatever is not named here finds its place.

A public name that no section lists stands at the end of the page that its room has; a room without
a page gets one of its own. So nothing has to be done here for a new name: it is for readers.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """Names that are read together; one from no public place is written module:Name."""

    title: str
    names: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page, what it is about, and the rooms whose other names it takes in."""

    name: str
    title: str
    about: str
    sections: tuple[Section, ...] = ()
    rooms: tuple[str, ...] = ()
    # Whether its other names are too many for the first page.
    long: bool = False


PAGES = (
    Page(
        "declaring",
        "Declaring",
        "What a design is written with. The guide: [declaring](../guide/declaring.md), "
        "[keys](../guide/keys.md), [indexes](../guide/indexes.md), "
        "[unique values](../guide/uniqueness.md), [collections](../guide/collections.md).",
        (
            Section("Tables and indexes", "Table Index LocalIndex Number Binary Provisioned"),
            Section("Entities", "Entity ModelEntity Collection"),
            Section("Fields", "Attr attr version created updated expires TimeFormat"),
            Section("Keys", "Key padded ordered descending casefold repeated Shards"),
            Section("What follows an item", "Unique Count"),
        ),
        ("singletable.schema",),
    ),
    Page(
        "asking",
        "Asking",
        "What a declaration becomes when it is used: keys give addresses and selections, fields "
        "give conditions and edits. The guide: [keys](../guide/keys.md#prefixes-and-ranges), "
        "[indexes](../guide/indexes.md).",
        (
            Section(
                "Keys of an entity",
                "singletable.schema.keys:BoundKey singletable.schema.keys:BoundIndexKey "
                "singletable.schema.unique:BoundUnique",
            ),
            Section(
                "Which items", "ItemKey key_of Partition Selection singletable.schema:UniqueValue"
            ),
            Section("Fields", "Path Condition Edit singletable.schema.condition:Size"),
        ),
    ),
    Page(
        "patterns",
        "Access patterns",
        "What an app asks of its tables: listed, checked and written out. The guide: "
        "[access patterns](../guide/patterns.md).",
        (
            Section("The list", "PatternCatalog"),
            Section("What a write does", "creates puts updates deletes checks"),
            Section("How often", "Rate per_second per_minute per_hour per_day"),
            Section("Patterns", "Pattern ReadPattern WritePattern ScanPattern FeedPattern"),
            Section("Documents", "check_docs"),
        ),
        ("singletable.patterns", "singletable.docs_generator"),
    ),
    Page(
        "store",
        "The store",
        "Typed things in, typed things out, on any driver. The guide: "
        "[the first design](../guide/first-design.md), [transactions](../guide/transactions.md).",
        (
            Section("Sync and async", "Store AsyncStore"),
            Section("Beside it", "Transaction Admin AsyncAdmin Page"),
            Section("What has changed", "Change Changes parse_stream_event"),
        ),
        ("singletable.store",),
    ),
    Page(
        "drivers",
        "Addresses and drivers",
        "An address gives a driver: `memory:` and `file:PATH` the embedded engine, `dynamodb:` "
        "DynamoDB itself or what speaks its protocol. The guide: "
        "[addresses](../guide/addresses.md), [durability](../guide/durability.md).",
        (
            Section("Connecting", "connect connect_async"),
            Section("The engine", "Engine AsyncEngine Settings Delays Retention"),
            Section("DynamoDB", "Remote AsyncRemote"),
        ),
        ("singletable.connect", "singletable.engine", "singletable.remote"),
    ),
    Page(
        "operations",
        "Operations",
        "Every request as a frozen value, with the field names of the AWS API in snake case. Those "
        "that `singletable` itself does not export are in `singletable.operations`.",
        (
            Section("The waist", "Operation Driver AsyncDriver"),
            Section("Items", "GetItem PutItem UpdateItem DeleteItem Query Scan"),
            Section("Several items", "BatchGetItem BatchWriteItem"),
            Section("Transactions", "TransactGetItems TransactWriteItems"),
            Section("Tables", "CreateTable UpdateTable DeleteTable DescribeTable ListTables"),
            Section("Time and changes", "UpdateTimeToLive SweepExpired ReadChanges"),
        ),
    ),
    Page(
        "shapes",
        "Shapes and answers",
        "What operations are made of, and what they answer. Those that `singletable` itself does "
        "not export are in `singletable.operations`.",
        (Section("Items", "Item AttributeValue"),),
        ("singletable.operations", "singletable.values"),
        long=True,
    ),
    Page(
        "errors",
        "Errors",
        "Whatever is raised on purpose is a `SingleTableError`. DynamoDB's own refusals keep "
        "DynamoDB's own words.",
        (),
        ("singletable.errors",),
        long=True,
    ),
)

# What is given by others and never made by its own name.
GIVEN = """
    Admin AsyncAdmin AsyncEngine AsyncRemote Attr BoundIndexKey BoundKey BoundUnique Condition Edit
    Engine ItemKey Operation Partition Path Remote Selection Shape Size Transaction UniqueValue
""".split()  # noqa: SIM905 (a page of names reads better than a page of quotes)

# What is called by the name that it has in a design.
CALLED = {
    "BoundKey": "Order.key",
    "BoundIndexKey": "Order.by_day",
    "BoundUnique": "Customer.one_email",
}

# What is told in few words, for another says the same at length.
BRIEF = {"AsyncStore", "AsyncAdmin", "AsyncEngine", "AsyncDriver", "AsyncRemote"}

# Members that rooms need of each other, and users do not.
PLUMBING = {
    "ItemKey": "of model same_as",
    "Attr": "annotation codec copy field form inside place resolve set",
    "Collection": "entities of",
    "Engine": "execute_soon",
    "Condition": "node",
    "Index": "local",
    "LocalIndex": "local",
    "Partition": "of",
    "Path": "codec field inside place",
    "Selection": "asked whole_partition",
    "Shards": "text_for texts",
    "Size": "operand",
    "Table": "all_key_attributes key_attributes",
    "Transaction": "commit question",
}
