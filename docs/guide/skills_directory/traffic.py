# traffic.py
import sys

from singletable import DeleteItem, PutItem, UpdateItem, connect

first = int(sys.argv[1])
TIME = {"S": "2026-11-16T08:00:00.000000Z"}

with connect("file:directory.db") as driver:
    for number in range(first, first + 48):
        user = {
            "username": {"S": f"user{number}"},
            "name": {"S": f"User {number}"},
            "password_hash": {"S": "…"},
            "created_at": TIME,
            "updated_at": TIME,
        }
        driver.execute(
            PutItem("users", user, condition_expression="attribute_not_exists(username)")
        )
    driver.execute(
        UpdateItem(
            "users",
            {"username": {"S": "user1"}},
            update_expression="SET #name = :name, updated_at = :now",
            expression_attribute_names={"#name": "name"},
            expression_attribute_values={":name": {"S": f"User One, {first}"}, ":now": TIME},
        )
    )
    driver.execute(DeleteItem("users", {"username": {"S": f"user{first - 400}"}}))
