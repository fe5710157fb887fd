"""DynamoDB's expression language: conditions, key conditions, updates and projections.

A text passes these modules in this order: `syntax` (tokens, and what was parsed), `grammar` (the
parsers), `parser` (keeps what was parsed before), `placeholders` and `paths`, `binder` (with the
names and values of a request) to `nodes`, and then `evaluation` or `updates`. `analysis` asks
questions about nodes, `renderer` and `request_template` write them as text again.
"""

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
