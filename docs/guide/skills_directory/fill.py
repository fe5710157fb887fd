# fill.py
from directory import User, users

from singletable import Store, connect

with connect("file:directory.db") as driver:
    store = Store(driver)
    store.admin.create_table(users)
    for number in range(1, 501):
        store.create(User(username=f"user{number}", name=f"User {number}", password_hash="…"))
