# users_table.py
from singletable import (
    Attr,
    Entity,
    Key,
    PatternCatalog,
    Table,
    attr,
    creates,
    per_second,
    updates,
)

users = Table("users", pk="username", sk=None)


class User(Entity, table=users):
    username: Attr[str] = attr()
    name: Attr[str] = attr()
    password_hash: Attr[str] = attr()

    key = Key(pk=username)


patterns = PatternCatalog("users", users, sizes={User: 1_024}, counts={User: 10_000})

login = patterns.read("AP1", "Get user by username (login)", User.key, rate=per_second(900))
register = patterns.write("AP2", "Create new user", creates(User), rate=per_second(50))
edit = patterns.write("AP3", "Update user profile", updates(User, User.name), rate=per_second(50))
exists = patterns.read("AP4", "Check if user exists", User.key, rate=per_second(100))
everybody = patterns.scan("AP5", "List all users", User, reason="no key lists all users")
