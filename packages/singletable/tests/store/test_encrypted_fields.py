"""Encrypted and compressed fields: what is stored, what is bound to an item, what is hidden."""

# pyright: reportUnusedClass=false

from __future__ import annotations

import base64
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from dynamodb_engine.operations import PutItem
from dynamodb_engine.values import Item
from singletable import (
    Attr,
    Compressed,
    DeclarationError,
    DecryptionFailed,
    Encrypted,
    Entity,
    Index,
    InvalidValue,
    ItemMismatch,
    Key,
    Number,
    Store,
    Table,
    Unique,
    attr,
    version,
)
from singletable.schema import Condition, ItemKey, key_of, model_of
from singletable.schema.codec.compression import Compressed as CompressedCodec
from tests.schema.codec.strategies import Profile, anything, profiles
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, open_store, stored_item

KEYS = {"2025": b"5" * 32, "2026": b"6" * 32, "short": b"x"}


class Current:
    """The id of the key for new values, which a test may change."""

    key_id = "2026"


def sixteen_digits(number: str | None) -> None:
    if number is not None and len(number) != 16:
        raise ValueError("must have 16 digits")


SECRET = Encrypted(key=KEYS.__getitem__, key_id=lambda: Current.key_id)
by_owner = Index("by_owner", pk="owner", sk="name")
vault = Table("vault", indexes=[by_owner])


class Note(Entity, table=vault):
    name: Attr[str] = attr()
    owner: Attr[str] = attr(default="ada")
    text: Attr[str] = attr(codec=SECRET)
    card: Attr[str | None] = attr(codec=SECRET, default=None, check=sixteen_digits)
    tags: Attr[set[str]] = attr(codec=SECRET, factory=set[str])
    data: Attr[dict[str, Any]] = attr(codec=SECRET, factory=dict[str, Any])
    long: Attr[Annotated[str | None, Compressed()]] = attr(codec=SECRET, default=None)
    body: Attr[str] = attr(codec=Compressed(max_size=100_000), default="")
    revision: Attr[int] = version()

    key = Key(pk=("NOTE", name), sk="NOTE")
    of_owner = Key(pk=owner, sk=name).on(by_owner)


ONE, TWO = Note.key("1"), Note.key("2")


@pytest.fixture(autouse=True)
def _current() -> None:
    Current.key_id = "2026"
    SECRET._ciphers.clear()


TABLES = (vault,)


def _stored(opener: StoreOpener, key: ItemKey[Any] = ONE) -> Item:
    return stored_item(opener.driver, key)


def _bytes(item: Item, name: str) -> bytes:
    return base64.b64decode(cast(Any, item)[name]["B"])


def test_field_is_stored_encrypted_and_read_back(store: Store, opener: StoreOpener) -> None:
    note = store.create(
        Note(name="1", text="hello", card="1" * 16, tags={"a"}, data={"x": [1]}, long="x" * 999)
    )
    assert store.get(ONE) == note
    item = _stored(opener)
    assert _bytes(item, "text").startswith(b"\x01\x042026")
    assert b"hello" not in _bytes(item, "text")
    assert len(_bytes(item, "long")) < 100
    assert list(store.query(Note.of_owner("ada"))) == [note]
    assert list(store.select(Note.of_owner("ada"), Note.text, Note.name)) == [("hello", "1")]
    assert list(store.admin.scan(Note)) == [note]


def test_absent_values_stay_absent(store: Store, opener: StoreOpener) -> None:
    store.create(Note(name="1", text=""))
    assert not {"card", "tags", "long"} & _stored(opener).keys()
    found = existing(store.get(ONE))
    assert (found.text, found.card, found.tags, found.long) == ("", None, set(), None)


def test_updates_and_transactions_encrypt(store: Store, opener: StoreOpener) -> None:
    store.create(Note(name="1", text="a", card="1" * 16))
    assert store.update(ONE, Note.text.set("b"), Note.card.set(None)).text == "b"
    assert store.update(ONE, Note.card.set_if_missing("2" * 16)).card == "2" * 16
    assert store.update(ONE, Note.card.set_if_missing("3" * 16)).card == "2" * 16
    assert store.update(ONE, Note.data.set({"k": 1}), if_=Note.card.exists()).data == {"k": 1}
    assert store.update(ONE, Note.card.remove(), if_=Note.card != None).card is None  # noqa: E711
    with store.transaction() as transaction:
        transaction.update(ONE, Note.text.set("c"))
        transaction.create(Note(name="2", text="d"))
    assert [one and one.text for one in store.get_many([ONE, TWO])] == ["c", "d"]
    assert _bytes(_stored(opener), "text").startswith(b"\x01\x042026")


def test_upserts_encrypt(store: Store, opener: StoreOpener) -> None:
    for text in ("a", "b"):
        assert (
            store.upsert(ONE, Note.text.set(text), on_create=[Note.card.set("1" * 16)]).text == text
        )
    plain = Plain.key("1")
    assert store.upsert(plain, Plain.text.set("a")).mark == "none"
    assert store.upsert(plain, Plain.mark.set("m"), on_create=[Plain.text.set("b")]).text == "a"
    assert store.upsert(Plain.key("2"), Plain.text.set_if_missing("c")).text == "c"
    assert store.upsert(Plain.key("2"), Plain.text.set_if_missing("d")).text == "c"
    stored = _stored(opener, plain)
    assert _bytes(stored, "text").startswith(b"\x01\x042026")
    assert _bytes(stored, "mark").startswith(b"\x01\x042026")


class Tagged(Entity, table=vault):
    name: Attr[str] = attr()
    tags: Attr[set[str]] = attr(codec=SECRET)

    key = Key(pk=("TAGGED", name), sk="TAGGED")


# An empty set is not stored, so the attribute may be missing although the field is required.
def test_upsert_of_an_existing_item_leaves_an_empty_set(store: Store) -> None:
    store.create(Tagged(name="1", tags=set()))
    assert store.upsert(Tagged.key("1"), on_create=[Tagged.tags.set({"new"})]).tags == set()


class Plain(Entity, table=vault):
    name: Attr[str] = attr()
    text: Attr[str] = attr(codec=SECRET)
    mark: Attr[str] = attr(codec=SECRET, default="none")

    key = Key(pk=("PLAIN", name), sk="PLAIN")


def test_many_items_are_encrypted(store: Store) -> None:
    items = [Plain(name=str(number), text="a" * number) for number in range(30)]
    store.put_many(items)
    assert store.get_many([Plain.key(one.name) for one in items]) == items


# Two encryptions of one value differ, but a load that is repeated finds the items unchanged.
def test_repeated_bulk_load_skips_equal_items(store: Store) -> None:
    assert store.bulk_load([Plain(name="1", text="a")]).written == 1
    assert store.bulk_load([Plain(name="1", text="a")]).skipped == 1


def test_put_replaces_with_a_new_nonce(store: Store, opener: StoreOpener) -> None:
    note = store.create(Note(name="1", text="a"))
    before = _stored(opener)["text"]
    store.put(note)
    assert _stored(opener)["text"] != before
    assert store.get(ONE) == note


def test_value_copied_to_another_item_or_attribute_is_not_decrypted(
    store: Store, opener: StoreOpener
) -> None:
    store.create(Note(name="1", text="mine", card="1" * 16))
    store.create(Note(name="2", text="yours", card="2" * 16))
    one, two = _stored(opener), _stored(opener, TWO)
    for changed in ({**two, "text": one["text"]}, {**two, "text": two["card"]}):
        opener.driver.execute(PutItem("vault", changed))
        with pytest.raises(DecryptionFailed, match=r"Note\.text: .*with key '2026'") as failed:
            store.get(TWO)
        assert failed.value.key == TWO.key
        assert "yours" not in str(failed.value)
        with pytest.raises(DecryptionFailed, match=r"Note\.text"):
            list(store.select(Note.of_owner("ada"), Note.text))


def test_altered_value_is_not_decrypted(store: Store, opener: StoreOpener) -> None:
    store.create(Note(name="1", text="mine"))
    item = _stored(opener)
    good = _bytes(item, "text")
    for bad in (b"", b"\x02", good[:10], good[:-1], good[:-1] + bytes([good[-1] ^ 1]), b"\x01\x09"):
        content = base64.b64encode(bad).decode()
        opener.driver.execute(PutItem("vault", {**item, "text": {"B": content}}))
        with pytest.raises(ItemMismatch, match=r"Note\.text"):
            store.get(ONE)
    opener.driver.execute(PutItem("vault", {**item, "text": {"S": "mine"}}))
    with pytest.raises(ItemMismatch, match=r"binary \(B\), because the field is encrypted"):
        store.get(ONE)


def test_keys_rotate(store: Store, opener: StoreOpener, monkeypatch: pytest.MonkeyPatch) -> None:
    Current.key_id = "2025"
    store.create(Note(name="1", text="old"))
    Current.key_id = "2026"
    found = existing(store.get(ONE))
    assert found.text == "old"
    store.put(found)
    assert _bytes(_stored(opener), "text").startswith(b"\x01\x042026")
    monkeypatch.delitem(KEYS, "2026")
    SECRET._ciphers.clear()
    with pytest.raises(DecryptionFailed, match=r"Note\.text: .*key '2026', which key=… does not"):
        store.get(ONE)


meters = Table("meters", pk=Number("meter"), sk=Number("at"))


class Reading(Entity, table=meters):
    meter: Attr[Decimal] = attr()
    time: Attr[int] = attr()
    text: Attr[str] = attr(codec=SECRET)

    key = Key(pk=(meter,), sk=(time,))


@pytest.mark.parametrize(("meter", "at"), [("100", "7"), ("1E2", "7.0"), ("100.00", "+7")])
def test_numbers_of_the_key_are_the_same_however_written(
    empty: Store, opener: StoreOpener, meter: str, at: str
) -> None:
    empty.admin.create_table(meters)
    reading = empty.create(Reading(meter=Decimal(100), time=7, text="a"))
    item = _stored(opener, key_of(reading))
    written: Item = {**item, "meter": {"N": meter}, "at": {"N": at}}
    assert empty.admin.decode(meters, written) == reading
    for other in ({"N": "8"}, {"S": "7"}):
        with pytest.raises(ItemMismatch):
            model_of(Reading).instance({**written, "at": cast(Any, other)})


def test_wrong_key_is_named_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.create(Note(name="1", text="old"))
    monkeypatch.setitem(KEYS, "2026", b"z" * 32)
    SECRET._ciphers.clear()
    with pytest.raises(DecryptionFailed) as caught:
        list(store.select(Note.key.partition("1"), Note.text))
    assert (caught.value.path, caught.value.key) == ("Note.text", ONE.key)
    with pytest.raises(DecryptionFailed, match=r"Note\.text: .* be decrypted with key '2026'"):
        store.get(ONE)
    Current.key_id = "short"
    with pytest.raises(DeclarationError, match=r"return 32 bytes, but for 'short'.* 1 bytes"):
        store.create(Note(name="2", text="new"))
    Current.key_id = "unknown"
    with pytest.raises(LookupError):
        store.create(Note(name="2", text="new"))
    assert store.get(TWO) is None


def test_change_feed_decrypts(store: Store) -> None:
    store.create(Note(name="1", text="a"))
    store.update(ONE, Note.text.set("b"))
    changes: Any = store.changes(Note).changes
    seen = [(change.old and change.old.text, change.new and change.new.text) for change in changes]
    assert seen[-2:] == [(None, "a"), ("a", "b")]


def test_conditions_on_opaque_fields_are_rejected() -> None:
    store = open_store(vault)
    store.create(Note(name="1", text="a"))
    writes: tuple[Callable[[], Condition[Note]], ...] = (
        lambda: Note.text == "a",
        lambda: Note.text < "b",
        lambda: Note.text.in_("a"),
        lambda: Note.text.between("a", "b"),
        lambda: Note.text.begins_with("a"),
        lambda: Note.text.contains("a"),
        lambda: Note.text.size() > 1,
        lambda: Note.name == Note.text,
    )
    for write in writes:
        with pytest.raises(InvalidValue, match=r"Note\.text is encrypted, so DynamoDB cannot"):
            store.delete(ONE, if_=write())
    with pytest.raises(InvalidValue, match=r"Note\.body is compressed, so DynamoDB cannot"):
        store.delete(ONE, if_=Note.body == "a")
    with pytest.raises(InvalidValue, match=r"stored by Encrypted\(…\), so DynamoDB cannot address"):
        Note.data["x"]
    with pytest.raises(InvalidValue):
        Note.tags.add_members("x")
    assert store.get(ONE) is not None


def test_secrets_are_not_shown() -> None:
    note = Note(name="1", text="hush")
    assert "hush" not in repr(note)
    assert "text=<encrypted>" in repr(note)
    assert "hush" not in repr(Note.text.set("hush"))
    for act in (
        lambda: Note(name="1", text=cast(Any, ["hush"])),
        lambda: Note.text.set(cast(Any, ["hush"])),
        lambda: Note(name="1", text="", card="hush"),
        lambda: Note.card.set("hush"),
        lambda: Note(name="1", text="", data={"hush": object()}),
    ):
        with pytest.raises(InvalidValue) as rejected:
            act()
        assert "hush" not in str(rejected.value)
    assert KEYS["2026"].decode() not in repr(SECRET)


# A write that does not pass through the model must fail, not send the plain text.
def test_value_that_is_not_encrypted_yet_cannot_be_sent() -> None:
    store = open_store(vault)
    item = {**ONE.key, **model_of(Note).codec.encode({**vars(Note(name="1", text="hush"))})}
    with pytest.raises(Exception):  # noqa: B017, PT011 (any error, before anything is written)
        store.driver.execute(PutItem("vault", item))
    assert store.get(ONE) is None


def test_opaque_fields_in_declarations() -> None:
    table = Table("others")
    with pytest.raises(DeclarationError, match=r"Wrong\.text is encrypted, so it cannot be part"):

        class Wrong(Entity, table=table):
            text: Attr[str] = attr(codec=SECRET)
            key = Key(pk=("A", text), sk="A")

    with pytest.raises(DeclarationError, match=r"Twice\.text is encrypted, so it cannot be part"):

        class Twice(Entity, table=table):
            name: Attr[str] = attr()
            text: Attr[str] = attr(codec=SECRET)
            key = Key(pk=("A", name), sk="A")
            unique = Unique(text)

    with pytest.raises(DeclarationError, match="which only a whole field of an entity can be"):

        class Nested(Entity, table=table):
            name: Attr[str] = attr()
            texts: Attr[list[Annotated[str, Compressed()]]] = attr()
            key = Key(pk=("A", name), sk="A")

    with pytest.raises(DeclarationError, match="A key itself does not belong"):
        Encrypted(key=b"x" * 32, key_id="1")  # type: ignore[arg-type] # pyright: ignore


def test_tools_do_not_need_keys() -> None:
    Current.key_id = "unknown"
    adapter = TypeAdapter(Note)
    assert adapter.validate_json('{"name": "1", "text": "a"}').text == "a"
    assert adapter.json_schema()["properties"]["text"]["type"] == "string"


BOMB = CompressedCodec(max_size=1000)


def test_compressed_values_have_a_bounded_size() -> None:
    with pytest.raises(InvalidValue, match="at most 100000 bytes before compression"):
        Note(name="1", text="", body="x" * 100_000)
    model = model_of(Note)
    item = model.item(vars(Note(name="1", text="", body="x" * 99_000)))
    assert len(_bytes(item, "body")) < 1000

    class Small(Entity, table=Table("small")):
        name: Attr[str] = attr()
        body: Attr[str] = attr(codec=BOMB)
        key = Key(pk=("NOTE", name), sk="NOTE")

    with pytest.raises(ItemMismatch, match="at most 1000 bytes before compression"):
        model_of(Small).instance(item)
    deep = b"\x00" + b'{"L":[' * 10_000
    for data in (b"", b"\x07", b"\x01", b"\x01x", _bytes(item, "body")[:-9], b"\x00{", deep):
        broken: Item = {**item, "body": {"B": base64.b64encode(data).decode()}}
        with pytest.raises(ItemMismatch, match=r"Note\.body"):
            model.instance(broken)


@given(st.text(max_size=2000), profiles, anything)
def test_every_type_can_be_encrypted_and_compressed(
    text: str, profile: Profile, value: Any
) -> None:
    made = Mixed(name="1", text=text, profile=profile, value=value)
    model = model_of(Mixed)
    assert model.instance(model.item(vars(made))) == made


class Mixed(Entity, table=Table("mixed")):
    name: Attr[str] = attr()
    text: Attr[str] = attr(codec=Compressed())
    profile: Attr[Profile] = attr(codec=SECRET)
    value: Attr[Any] = attr(codec=SECRET)

    key = Key(pk=("MIXED", name), sk="MIXED")


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    with pytest.raises(DeclarationError, match=r"Install singletable\[encryption\]"):
        open_store(vault).create(Note(name="1", text="a"))
