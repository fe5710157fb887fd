"""Codecs of other types than the field's, and values of wrong types."""

from __future__ import annotations

from datetime import timedelta
from ipaddress import IPv4Address

from singletable import Encrypted, Json, codec
from singletable.schema import Attr, Entity, Key, Table, attr

HOST = codec(encode=str, decode=IPv4Address, stored_as=str)

Encrypted(key=bytes(32), key_id="1")  # error: arg-type | reportArgumentType
codec(encode=str, decode=IPv4Address)  # error: call-arg | reportCallIssue
codec(encode=str, decode=len, stored_as=str, form=1)  # error: call-arg | reportCallIssue


class Visit(Entity, table=Table("visits")):
    """Fields whose codec has another type."""

    host: Attr[IPv4Address] = attr(codec=HOST)
    name: Attr[str] = attr(codec=HOST)  # error: arg-type | reportAssignmentType
    text: Attr[str] = attr(codec=str)  # error: call-overload | reportArgumentType
    other: Attr[IPv4Address] = attr(codec=HOST, default="x")  # error: arg-type | reportAssignmentType
    length: Attr[timedelta] = attr(default=1)  # error: arg-type | reportAssignmentType
    data: Attr[object] = attr(codec=Json)  # error: call-overload | reportArgumentType

    key = Key(pk=("HOST", host), sk="VISIT")


Visit.length.add(1)  # error: arg-type | reportArgumentType
Visit.host.set("10.0.0.1")  # error: arg-type | reportArgumentType
