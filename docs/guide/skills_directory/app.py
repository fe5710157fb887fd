# app.py
from pathlib import Path

from old_directory import User

from singletable import Store, connect
from singletable.migration import SwitchingDriver, load_migration

migration = load_migration(Path("migrations/0001_glad_entities.py"))
store = Store(SwitchingDriver(connect("dynamodb:eu-west-1"), migration=migration))
store.update(User.key("user1"), User.name.set("User One"))
