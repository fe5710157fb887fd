"""Tables as they are declared: keys, indexes, TTL attribute and capacity; and how to create one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dynamodb_engine import operations as ops
from singletable.errors import DeclarationError

ScalarType: TypeAlias = Literal["S", "N", "B"]
KeyType: TypeAlias = "str | Number | Binary"

MOST_ATTRIBUTES = 4
# DynamoDB's limits on one table; CreateTable rejects more.
MAX_GLOBAL_INDEXES = 20
MAX_LOCAL_INDEXES = 5
MAX_INDEX_PROJECTION = 20
MAX_TABLE_PROJECTION = 100
MAX_KEY_ATTRIBUTE_NAME = 255
# Items with this attribute have the state of a migration, and are of no entity.
STATE_ATTRIBUTE = "singletable_migration"

_NAME = re.compile("[a-zA-Z0-9_.-]{3,255}")


@dataclass(frozen=True, slots=True)
class Number:
    """A key attribute of type number."""

    name: str


@dataclass(frozen=True, slots=True)
class Binary:
    """A key attribute of type binary."""

    name: str


@dataclass(frozen=True, slots=True)
class KeyAttribute:
    """The name and the type of a key attribute."""

    name: str
    type: ScalarType

    @classmethod
    def of(cls, declared: KeyType) -> KeyAttribute:
        """Return the attribute; a plain name is a string attribute."""
        match declared:
            case Number(name):
                return cls(name, "N")
            case Binary(name):
                return cls(name, "B")
            case str():
                return cls(declared, "S")


class Index:
    """A global secondary index; its partition and sort keys may have up to four attributes each.

    `projection` selects what it contains besides the keys: ALL, KEYS_ONLY, or some attributes.
    """

    def __init__(
        self,
        name: str,
        *,
        pk: KeyType | Sequence[KeyType],
        sk: KeyType | Sequence[KeyType] | None = None,
        projection: Literal["ALL", "KEYS_ONLY"] | Sequence[str] = "ALL",
    ) -> None:
        check_name("Index", name)
        self.name = name
        self.pk = _attributes(f"Index {name!r}", "pk", pk)
        self.sk = () if sk is None else _attributes(f"Index {name!r}", "sk", sk)
        self.projection = _projection(f"Index {name!r}", projection)

    @property
    def local(self) -> bool:
        """Whether it is a local index, with the table's partition key."""
        return False

    def __repr__(self) -> str:
        return f"Index({self.name!r})"


class LocalIndex(Index):
    """A local secondary index: the table's partition key with another sort key."""

    def __init__(
        self,
        name: str,
        *,
        sk: KeyType,
        projection: Literal["ALL", "KEYS_ONLY"] | Sequence[str] = "ALL",
    ) -> None:
        # The table sets the partition key, which is its own.
        super().__init__(name, pk="", sk=sk, projection=projection)

    @property
    def local(self) -> bool:
        """Whether it is a local index, with the table's partition key."""
        return True


@dataclass(frozen=True, slots=True)
class Provisioned:
    """Provisioned capacity, in units per second."""

    read: int
    write: int


def pascal_case(name: str) -> str:
    """Return `created_at` as `CreatedAt`, for Table(…, attribute_names=pascal_case)."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def camel_case(name: str) -> str:
    """Return `created_at` as `createdAt`, for Table(…, attribute_names=camel_case)."""
    first, _, rest = name.partition("_")
    return first + pascal_case(rest)


class Table:
    """A table, and the entities that share it.

    `pk` and `sk` are the key attributes; with sk=None there is no sort key. `ttl` is the attribute
    by which items expire. Without `capacity` the table is billed per request (on demand).
    `attribute_names` returns the stored name of a field that declares none, such as `pascal_case`.
    """

    def __init__(
        self,
        name: str,
        *,
        pk: KeyType = "PK",
        sk: KeyType | None = "SK",
        indexes: Sequence[Index] = (),
        ttl: str | None = None,
        capacity: Provisioned | None = None,
        attribute_names: Callable[[str], str] | None = None,
    ) -> None:
        check_name("Table", name)
        self.name = name
        self.pk = KeyAttribute.of(pk)
        self.sk = None if sk is None else KeyAttribute.of(sk)
        self.indexes = tuple(indexes)
        self.ttl = ttl
        self.capacity = capacity
        self.attribute_names = attribute_names
        self.entities: list[type] = []
        # Counts the declarations of entities, so that a cache notices a new one.
        self.revision = 0
        for index in self.indexes:
            if index.local:
                index.pk = (self.pk,)
        self._check()

    @property
    def key_attributes(self) -> tuple[KeyAttribute, ...]:
        """The attributes of the primary key."""
        return (self.pk,) if self.sk is None else (self.pk, self.sk)

    def add_entity(self, entity: type, instead_of: type | None = None) -> None:
        """Add an entity after its checks, or replace one that was declared again."""
        if instead_of is None:
            self.entities.append(entity)
        else:
            self.entities[self.entities.index(instead_of)] = entity
        self.revision += 1

    def remove_entity(self, entity: type) -> None:
        """Remove an entity that was declared again for another table."""
        self.entities.remove(entity)
        self.revision += 1

    def _check(self) -> None:
        if self.attribute_names is not None and not callable(self.attribute_names):
            raise DeclarationError(
                f"Table {self.name!r}: expected a function that returns the stored name of a "
                f"field, such as attribute_names=pascal_case, but got {self.attribute_names!r}."
            )
        names = [index.name for index in self.indexes]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise DeclarationError(
                f"Table {self.name!r} has several indexes named {', '.join(sorted(twice))}. "
                "Use different names."
            )
        for where, keys in self._schemas():
            listed = [attribute.name for attribute in keys]
            if not all(listed) or len(set(listed)) < len(listed):
                raise DeclarationError(
                    f"Table {self.name!r}: the key of {where} consists of "
                    f"{', '.join(map(repr, listed))}. Key attributes need distinct names."
                )
        if self.ttl is not None and self.ttl in [one.name for one in self.key_attributes]:
            raise DeclarationError(
                f"Table {self.name!r}: {self.ttl!r} is a key attribute, so it cannot be the TTL "
                "attribute. Use another attribute for ttl=…."
            )
        if self.sk is None and any(index.local for index in self.indexes):
            raise DeclarationError(
                f"Table {self.name!r} has no sort key, and DynamoDB allows local indexes only on "
                "tables with one. Use a global index (Index), or declare the table with sk."
            )
        self._check_limits()
        types: dict[str, ScalarType] = {}
        for attribute in self.all_key_attributes():
            if types.setdefault(attribute.name, attribute.type) != attribute.type:
                raise DeclarationError(
                    f"Table {self.name!r} declares the key attribute {attribute.name!r} with two "
                    "types. A key attribute has the same type in the table and all indexes."
                )

    def _check_limits(self) -> None:
        locals_ = sum(index.local for index in self.indexes)
        projected = sum(
            len(index.projection) for index in self.indexes if not isinstance(index.projection, str)
        )
        for number, limit, what in (
            (len(self.indexes) - locals_, MAX_GLOBAL_INDEXES, "global indexes"),
            (locals_, MAX_LOCAL_INDEXES, "local indexes"),
            (projected, MAX_TABLE_PROJECTION, "projected attributes in all its indexes"),
        ):
            if number > limit:
                raise DeclarationError(
                    f"Table {self.name!r} has {number} {what}, but DynamoDB allows {limit}."
                )
        for attribute in self.all_key_attributes():
            _check_attribute_name(f"Table {self.name!r}", attribute.name)

    def all_key_attributes(self) -> list[KeyAttribute]:
        """Return the attributes of the primary key and of all indexes."""
        attributes = list(self.key_attributes)
        for index in self.indexes:
            attributes += [*index.pk, *index.sk]
        return attributes

    def _schemas(self) -> list[tuple[str, list[KeyAttribute]]]:
        indexes = [(repr(index), [*index.pk, *index.sk]) for index in self.indexes]
        return [("the table", [*self.key_attributes]), *indexes]

    def __repr__(self) -> str:
        return f"Table({self.name!r})"


def _attributes(
    where: str, role: str, declared: KeyType | Sequence[KeyType]
) -> tuple[KeyAttribute, ...]:
    listed = [declared] if isinstance(declared, str | Number | Binary) else list(declared)
    if not 1 <= len(listed) <= MOST_ATTRIBUTES:
        raise DeclarationError(
            f"{where}: {role} has {len(listed)} attributes; DynamoDB allows one to four."
        )
    return tuple(KeyAttribute.of(one) for one in listed)


def check_name(kind: str, name: object) -> None:
    """Raise unless DynamoDB accepts the name of a table or an index."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise DeclarationError(
            f"{kind}({name!r}): DynamoDB requires a name of 3 to 255 characters, which are letters "
            "from a to z, digits, '_', '-' and '.'. Use another name."
        )


def _check_attribute_name(where: str, name: str) -> None:
    """Raise unless the name of a key attribute or a projected one is short enough."""
    if len(name.encode()) > MAX_KEY_ATTRIBUTE_NAME:
        raise DeclarationError(
            f"{where}: the attribute name {name[:20] + '…'!r} has {len(name.encode())} bytes, but "
            f"DynamoDB allows {MAX_KEY_ATTRIBUTE_NAME} in keys and projections. Use a shorter name."
        )


def _projection(
    where: str,
    declared: Literal["ALL", "KEYS_ONLY"] | Sequence[str],
) -> Literal["ALL", "KEYS_ONLY"] | tuple[str, ...]:
    if isinstance(declared, str):
        if declared == "ALL":
            return "ALL"
        if declared == "KEYS_ONLY":
            return "KEYS_ONLY"
        raise DeclarationError(
            f"projection={declared!r}: expected 'ALL', 'KEYS_ONLY' or a list of attribute names."
        )
    if not declared:
        raise DeclarationError("projection=[]: to project only the keys, write 'KEYS_ONLY'.")
    names = tuple(declared)
    for name in names:
        if not isinstance(name, str) or not name or names.count(name) > 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DeclarationError(
                f"{where}: projection={list(names)!r}: expected distinct attribute names, as they "
                f"are stored, but got {name!r}."
            )
        _check_attribute_name(where, name)
    if len(names) > MAX_INDEX_PROJECTION:
        raise DeclarationError(
            f"{where} projects {len(names)} attributes, but DynamoDB allows {MAX_INDEX_PROJECTION} "
            "in a list. Project 'ALL', or fewer."
        )
    return names


def create_operation(table: Table, name: str | None = None) -> ops.CreateTable:
    """Return the CreateTable request for a declared table, under its name or another."""
    keys = [*table.key_attributes]
    for index in table.indexes:
        keys += [*index.pk, *index.sk]
    throughput = _throughput(table)
    globals_ = [
        ops.GlobalSecondaryIndex(
            index.name, _schema(index.pk, index.sk), _projection_shape(index), throughput
        )
        for index in table.indexes
        if not index.local
    ]
    locals_ = [
        ops.LocalSecondaryIndex(index.name, _schema(index.pk, index.sk), _projection_shape(index))
        for index in table.indexes
        if index.local
    ]
    return ops.CreateTable(
        name or table.name,
        [
            ops.AttributeDefinition(attribute.name, attribute.type)
            for attribute in {attribute.name: attribute for attribute in keys}.values()
        ],
        _schema((table.pk,), () if table.sk is None else (table.sk,)),
        global_secondary_indexes=globals_ or None,
        local_secondary_indexes=locals_ or None,
        billing_mode="PAY_PER_REQUEST" if throughput is None else "PROVISIONED",
        provisioned_throughput=throughput,
    )


def _schema(
    pk: tuple[KeyAttribute, ...], sk: tuple[KeyAttribute, ...]
) -> list[ops.KeySchemaElement]:
    return [
        *(ops.KeySchemaElement(attribute.name, "HASH") for attribute in pk),
        *(ops.KeySchemaElement(attribute.name, "RANGE") for attribute in sk),
    ]


def _projection_shape(index: Index) -> ops.Projection:
    if index.projection == "ALL":
        return ops.Projection("ALL")
    if index.projection == "KEYS_ONLY":
        return ops.Projection("KEYS_ONLY")
    return ops.Projection("INCLUDE", list(index.projection))


def _throughput(table: Table) -> ops.ProvisionedThroughput | None:
    if table.capacity is None:
        return None
    return ops.ProvisionedThroughput(table.capacity.read, table.capacity.write)
