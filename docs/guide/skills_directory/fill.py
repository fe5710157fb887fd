# fill.py
from directory import User, users

from singletable import Store, connect

with connect("file:directory.db") as driver:
    store = Store(driver)
    store.admin.create_table(users)
    store.bulk_load(
        User(username=f"user{number}", name=f"User {number}", password_hash="…")
        for number in range(1, 501)
    )
