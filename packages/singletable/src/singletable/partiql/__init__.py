"""PartiQL, a second syntax for DynamoDB's requests: parse statements, and bind their parameters."""

from singletable.partiql.binder import *  # noqa: F403
from singletable.partiql.parser import *  # noqa: F403
from singletable.partiql.statements import *  # noqa: F403
