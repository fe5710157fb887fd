"""Generated docs say how fields with codecs are stored."""

from __future__ import annotations

from ipaddress import IPv4Address

from singletable import Attr, Compressed, Encrypted, Entity, Key, Table, attr, codec
from singletable.schema import model_of
from singletable_design.docs_generator.tables import field_table

ADDRESS = codec(encode=str, decode=IPv4Address, stored_as=str)
SECRET = Encrypted(key=lambda key_id: b"k" * 32, key_id=lambda: "1")


class Host(Entity, table=Table("hosts")):
    name: Attr[str] = attr()
    address: Attr[IPv4Address] = attr(codec=ADDRESS)
    secret: Attr[str] = attr(codec=SECRET)
    log: Attr[str] = attr(codec=Compressed())
    key = Key(pk=("HOST", name), sk="HOST")


def test_docs_name_the_type_and_the_codec_of_a_field() -> None:
    text = field_table(model_of(Host))
    assert "| `address` | `address` | `IPv4Address` | S |" in text
    assert "encrypted" in text
    assert "compressed" in text
