"""The pages of the reference: which public name is on which page, in which section.

A public name that no section lists is added at the end of the page of its package; a package
without a page gets its own. So a new name needs no entry here, unless it belongs in a section.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """Names that belong together; a name that is not public is written module:Name.

    A section may have an example: the part with its title of the page's file in `examples`.
    """

    title: str
    names: str


@dataclass(frozen=True, slots=True)
class Page:
    """A page with its introduction, and the packages whose other names it contains."""

    name: str
    title: str
    introduction: str
    sections: tuple[Section, ...] = ()
    packages: tuple[str, ...] = ()
    # The module of the names in its sections, if `singletable` itself does not export all of them.
    module: str = ""
    # Whether its last section is too long for the index.
    long: bool = False


PAGES = (
    Page(
        "declaring",
        "Declarations",
        "Tables, indexes, entities, fields and keys. Guide: "
        "[declarations](../guide/declaring.md), [types and codecs](../guide/types.md), "
        "[keys](../guide/keys.md), [indexes](../guide/indexes.md), "
        "[unique values](../guide/uniqueness.md), [collections](../guide/collections.md).",
        (
            Section("Tables and indexes", "Table Index LocalIndex Number Binary Provisioned"),
            Section("Entities", "Entity ModelEntity Collection"),
            Section("Fields", "Attr attr version created updated expires TimeFormat"),
            Section("Codecs", "codec Json Compressed Encrypted FieldCodec"),
            Section("Keys", "Key concat padded ordered descending casefold repeated Shards"),
            Section("Unique values and counters", "Unique Count"),
            Section("Warnings", "singletable.schema:DeclarationWarning"),
        ),
        ("singletable.schema",),
    ),
    Page(
        "querying",
        "Item keys, selections, conditions",
        "What you build from a declaration: keys return item keys and selections, fields return "
        "conditions and edits. Guide: [keys](../guide/keys.md#prefixes-and-ranges), "
        "[indexes](../guide/indexes.md).",
        (
            Section(
                "Keys of an entity",
                "singletable.schema.keys:BoundKey singletable.schema.keys:BoundIndexKey "
                "singletable.schema.unique:BoundUnique",
            ),
            Section(
                "Item keys and selections",
                "ItemKey key_of Partition Selection singletable.schema:UniqueValue",
            ),
            Section("Fields", "Path Condition Edit singletable.schema.condition:Size"),
        ),
    ),
    Page(
        "patterns",
        "Access patterns",
        "The access patterns of an application, as code. Names that `singletable` does not export "
        "are in `singletable.patterns`. Guide: [access patterns](../guide/patterns.md).",
        (
            Section("Catalog", "PatternCatalog"),
            Section("Writes", "creates puts updates deletes checks"),
            Section("Rates", "Rate per_second per_minute per_hour per_day"),
            Section("Patterns", "Pattern ReadPattern WritePattern ScanPattern FeedPattern"),
            Section("Numbers", "ItemCount Distribution FieldValues uniform zipf"),
        ),
        ("singletable.patterns",),
        module="singletable.patterns",
    ),
    Page(
        "store",
        "The store",
        "Typed reads and writes on any driver. Names that `singletable` does not export are in "
        "`singletable.store`. Guide: "
        "[your first design](../guide/first-design.md), [transactions](../guide/transactions.md).",
        (
            Section("Sync and async", "Store AsyncStore"),
            Section(
                "Related classes",
                "Transaction singletable.store:Admin singletable.store:AsyncAdmin Page",
            ),
            Section("Change feed", "Change Changes parse_stream_event"),
        ),
        ("singletable.store",),
    ),
    Page(
        "drivers",
        "Addresses and drivers",
        "`connect` returns a driver for an address: our engine for `memory:`, "
        "`file:PATH`, `postgresql:` and `mysql:`, DynamoDB or a compatible server for `dynamodb:`. "
        "Names that `singletable` does not export are in `dynamodb_engine`. "
        "Guide: [addresses](../guide/addresses.md), [durability](../guide/durability.md), "
        "[SQL servers](../guide/sql-servers.md).",
        (
            Section("Connecting", "connect connect_async"),
            Section("The engine", "Engine AsyncEngine"),
            Section("DynamoDB", "Remote AsyncRemote"),
        ),
        (
            "singletable.connect",
            "dynamodb_engine.addresses",
            "dynamodb_engine.engine",
            "singletable.remote",
        ),
    ),
    Page(
        "migration",
        "Migrations",
        "Changes of tables in use. All names are in `singletable.migration`. Guide: "
        "[changing a table](../guide/changing.md), [in place](../guide/in-place.md), "
        "[schema.lock](../guide/schema-lock.md), "
        "[writing while a table is copied](../guide/switching.md), "
        "[copying tables](../guide/copying.md).",
        (
            Section(
                "Steps",
                "Migration CreateTable DropTable AddIndex DropIndex Backfill AddUnique AddCount "
                "Rewrite Copy Step",
            ),
            Section("Rules", "each merge Part unchanged leave_out undecided Rule"),
            Section(
                "Running",
                "MigrationRunner MigrationHistory Status StepProgress dry_run DryRun verify",
            ),
            Section("Writing meanwhile", "SwitchingDriver AsyncSwitchingDriver"),
            Section("Copying a table as it is", "TableCopy CopySettings"),
            Section("Files", "load_migration check_schema"),
        ),
        ("singletable.migration",),
        module="singletable.migration",
    ),
    Page(
        "operations",
        "Operations",
        "Every request as a frozen value, with the field names of the AWS API in snake case. Those "
        "that `singletable` does not export are in `dynamodb_engine`.",
        (
            Section("Protocols", "Operation Driver AsyncDriver LargeOperations"),
            Section("Items", "GetItem PutItem UpdateItem DeleteItem Query Scan"),
            Section("Several items", "BatchGetItem BatchWriteItem"),
            Section("Transactions", "TransactGetItems TransactWriteItems"),
            Section("PartiQL", "ExecuteStatement BatchExecuteStatement ExecuteTransaction"),
            Section("Tables", "CreateTable UpdateTable DeleteTable DescribeTable ListTables"),
            Section("TTL and change feed", "UpdateTimeToLive SweepExpired ReadChanges"),
        ),
    ),
    Page(
        "shapes",
        "Shapes and outputs",
        "The parts of operations, and their outputs. All are in `dynamodb_engine.operations`, and "
        "those of common operations in `dynamodb_engine`.",
        (Section("Items", "Item AttributeValue"),),
        ("dynamodb_engine.operations", "dynamodb_engine.values"),
        long=True,
    ),
    Page(
        "errors",
        "Errors",
        "Every error that singletable raises on purpose is a `SingleTableError`. Errors that "
        "mirror DynamoDB's have DynamoDB's own messages. All are in `singletable.errors`.",
        (),
        ("dynamodb_engine.errors", "singletable.errors"),
        long=True,
    ),
)

# Public modules whose names `singletable` itself does not export.
PUBLIC_MODULES = (
    "dynamodb_engine.faults",
    "singletable.migration",
    "singletable.prices",
    "singletable.store",
    "singletable.telemetry",
    "dynamodb_engine.server",
    "dynamodb_engine.testing",
    "singletable.tables",
    "singletable.testing",
    "singletable_design.docs_generator",
    "singletable_design.infrastructure",
    "singletable_design.planning",
)

# Classes that users get from other calls and do not instantiate.
NOT_INSTANTIATED = """
    Admin AsyncAdmin AsyncEngine AsyncRemote Attr BoundIndexKey BoundKey BoundUnique Condition Edit
    Engine ItemKey Operation Partition Path Remote Selection Shape Size Transaction UniqueValue
""".split()  # noqa: SIM905 (a page of names reads better than a page of quotes)

# Names for instances in signatures.
EXAMPLE_NAMES = {
    "BoundKey": "Order.key",
    "BoundIndexKey": "Order.by_day",
    "BoundUnique": "Customer.one_email",
}

# Classes whose members are documented on their sync counterpart.
BRIEF = {"AsyncStore", "AsyncAdmin", "AsyncEngine", "AsyncDriver", "AsyncRemote"}

# Public members that only other packages use.
INTERNAL_MEMBERS = {
    "BoundKey": "positional",
    "BoundUnique": "positional",
    "ItemKey": "of model",
    "Attr": "annotation child codec copy document_path encoding field resolve set set_if_missing",
    "Collection": "entities of",
    "Engine": "execute_async",
    "Condition": "node",
    "Compressed": "build",
    "Encrypted": "build open seal",
    "FieldCodec": "build",
    "Index": "local",
    "Json": "build",
    "LocalIndex": "local",
    "Partition": "of",
    "Path": "child codec document_path field",
    "Selection": "key_queries",
    "Shards": "suffix_for",
    "Size": "operand",
    "Table": "all_key_attributes key_attributes",
    "Transaction": "commit shape",
}
