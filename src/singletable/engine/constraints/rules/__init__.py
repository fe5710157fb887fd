"""The rules of every operation: one declaration each, in the order in which AWS lists faults."""

from singletable.engine.constraints.rules.account import ACCOUNT
from singletable.engine.constraints.rules.batches import BATCHES
from singletable.engine.constraints.rules.changes import CHANGES
from singletable.engine.constraints.rules.items import ITEMS
from singletable.engine.constraints.rules.pages import PAGES
from singletable.engine.constraints.rules.rule import Rule
from singletable.engine.constraints.rules.tables import TABLES
from singletable.engine.constraints.rules.transactions import TRANSACTIONS

RULES: dict[type, Rule] = {
    rule.shape.type: rule
    for rules in (ITEMS, PAGES, BATCHES, TRANSACTIONS, TABLES, ACCOUNT, CHANGES)
    for rule in rules
}

__all__ = ["RULES", "Rule"]
