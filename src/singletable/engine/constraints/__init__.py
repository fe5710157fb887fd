"""What every parameter must satisfy before an operation is looked at: the first answer of AWS."""

from singletable.engine.constraints.check import check_constraints
from singletable.engine.constraints.depth import answered_of_old

__all__ = ["answered_of_old", "check_constraints"]
