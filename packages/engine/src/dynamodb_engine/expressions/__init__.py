"""DynamoDB's expression language: conditions, key conditions, updates and projections."""

from dynamodb_engine.expressions.analysis import *  # noqa: F403
from dynamodb_engine.expressions.evaluation import *  # noqa: F403
from dynamodb_engine.expressions.nodes import *  # noqa: F403
from dynamodb_engine.expressions.parser import *  # noqa: F403
from dynamodb_engine.expressions.paths import *  # noqa: F403
from dynamodb_engine.expressions.placeholders import *  # noqa: F403
from dynamodb_engine.expressions.prepared import *  # noqa: F403
from dynamodb_engine.expressions.renderer import *  # noqa: F403
from dynamodb_engine.expressions.request_template import *  # noqa: F403
from dynamodb_engine.expressions.reserved_words import *  # noqa: F403
from dynamodb_engine.expressions.updates import *  # noqa: F403
