"""Every request as a value, its output, and the drivers that execute it."""

from singletable.operations.base import *  # noqa: F403
from singletable.operations.items import *  # noqa: F403
from singletable.operations.own_operations import *  # noqa: F403
from singletable.operations.statements import *  # noqa: F403
from singletable.operations.streams import *  # noqa: F403
from singletable.operations.tables import *  # noqa: F403
