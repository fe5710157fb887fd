"""Every request as a value, its output, and the drivers that execute it."""

from dynamodb_engine.operations.base import *  # noqa: F403
from dynamodb_engine.operations.items import *  # noqa: F403
from dynamodb_engine.operations.kinesis import *  # noqa: F403
from dynamodb_engine.operations.own_operations import *  # noqa: F403
from dynamodb_engine.operations.statements import *  # noqa: F403
from dynamodb_engine.operations.streams import *  # noqa: F403
from dynamodb_engine.operations.tables import *  # noqa: F403
