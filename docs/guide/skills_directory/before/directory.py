# directory.py
from datetime import datetime

from singletable import Attr, Entity, Key, Table, attr, created, updated

users = Table("users", pk="username", sk=None)


class User(Entity, table=users):
    username: Attr[str] = attr()
    name: Attr[str] = attr()
    password_hash: Attr[str] = attr()
    created_at: Attr[datetime] = created()
    updated_at: Attr[datetime] = updated()
    key = Key(pk=username)
