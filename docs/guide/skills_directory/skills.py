# skills.py
from datetime import date

from directory import User, UserSkill

from singletable import Store, connect

with connect("file:directory.db") as driver:
    store = Store(driver)
    store.create(User(username="ada", name="Ada Lovelace", password_hash="…"))
    for username, years in (("ada", 9), ("user1", 3), ("user501", 6)):
        store.create(
            UserSkill(
                username=username,
                skill="Python",
                level="Expert",
                years=years,
                last_used=date(2026, 11, 2),
            )
        )
    experts = UserSkill.by_experience("Python", "Expert")
    print([(skill.username, skill.years) for skill in store.query(experts.ge(5))])
    print(store.get(User.key("user1")).name)
