"""DynamoDB's expression language: conditions, key conditions, updates and projections."""

from singletable.expressions.analysis import *  # noqa: F403
from singletable.expressions.evaluation import *  # noqa: F403
from singletable.expressions.nodes import *  # noqa: F403
from singletable.expressions.parser import *  # noqa: F403
from singletable.expressions.paths import *  # noqa: F403
from singletable.expressions.placeholders import *  # noqa: F403
from singletable.expressions.prepared import *  # noqa: F403
from singletable.expressions.renderer import *  # noqa: F403
from singletable.expressions.request_template import *  # noqa: F403
from singletable.expressions.reserved_words import *  # noqa: F403
from singletable.expressions.updates import *  # noqa: F403
