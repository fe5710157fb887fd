"""Constraints on the parameters of operations, declared as data and reported in AWS's words.

AWS checks them before anything else. `item_rules` and `table_rules` declare the constraints of each
operation with the types in `types`. `compiled` tests a whole request at once; only if that fails,
`violations` finds what is wrong and `messages` words it.
"""

from dynamodb_engine.engine.constraints.check import check_constraints, uses_legacy_checks

__all__ = ["check_constraints", "uses_legacy_checks"]
