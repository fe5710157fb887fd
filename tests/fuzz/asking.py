"""Ask as the endpoint does, and hold what comes of it against what always must."""

from __future__ import annotations

import json

from singletable.errors import SingleTableError
from singletable.wire import read_request, write_error, write_result
from tests.fuzz.work import bounded
from tests.fuzz.world import World


def ask(world: World, target: str, body: bytes) -> SingleTableError | None:
    """The refusal, if it is one: in our words, with little work, and nothing was changed."""
    try:
        with bounded(len(body)):
            result = world.engine.execute(read_request(target, body))
            answer = write_result(result)
    except SingleTableError as error:
        status, answer = write_error(error)
        assert status == 400
        assert isinstance(json.loads(answer), dict)
        assert not world.is_changed(), "a refused request changed something"
        return error
    assert isinstance(json.loads(answer), dict)
    if world.is_changed():
        world.renew()
    return None
