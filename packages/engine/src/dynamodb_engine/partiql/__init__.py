"""PartiQL, a second syntax for DynamoDB's requests: parse statements, and bind their parameters."""

from dynamodb_engine.partiql.binder import *  # noqa: F403
from dynamodb_engine.partiql.parser import *  # noqa: F403
from dynamodb_engine.partiql.statements import *  # noqa: F403
