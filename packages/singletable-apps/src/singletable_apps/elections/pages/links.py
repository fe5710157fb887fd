"""Personal links: vote, see receipt and results without an account, and end reminders."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.pages import ballot, receipts, results
from singletable_apps.elections.pages.dependencies import AnyPage, LinkPage
from singletable_apps.elections.web import NameInPath
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.frame import count_request
from singletable_apps.shared.pages import FORM_METHODS, Form, PostedForm
from singletable_apps.shared.web import set_header

router = APIRouter()


class CodeForm(BaseModel):
    """The code on a card."""

    code: Annotated[str, Field(min_length=1)]


@router.api_route("/v", methods=FORM_METHODS)
def enter_code(page: AnyPage, form: PostedForm) -> Response:
    """Ask for the code on a card, and go to the ballot."""

    def act(values: CodeForm) -> Response:
        try:
            election, voter = page.service.rolls.open_link(values.code)
        except NotFound as error:
            count_request(page.request, "wrong_code")
            raise InvalidInput({"code": str(error)}) from error
        code = page.service.rolls.code(election, voter.entry)
        return page.redirect(page.urls.page("v", code))

    return page.fill(form, Form(), CodeForm, act, page.shows("link_code"))


@router.api_route("/unsubscribe/{token}", methods=FORM_METHODS)
def unsubscribe(page: AnyPage, token: NameInPath) -> Response:
    """Ask whether to end reminders, and end them. Mail programs post without asking (RFC 8058)."""
    set_header(page.request, "Cache-Control", "no-store")
    rolls, is_done = page.service.rolls, page.request.method == "POST"
    election = rolls.unsubscribe(token) if is_done else rolls.open_link(token, "unsubscribe")[0]
    return page.render("link_unsubscribe", election=election, is_done=is_done)


def _add(path: str, handler: Callable[..., Response], methods: Sequence[str] = ("GET",)) -> None:
    """Serve a page of an election under personal links: only its parameter `page` differs."""
    signature = inspect.signature(handler, eval_str=True)
    parameters = [
        each.replace(annotation=LinkPage) if each.name == "page" else each
        for each in signature.parameters.values()
    ]

    def handle(**arguments: Any) -> Response:
        return handler(**arguments)

    handle.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    name = f"{handler.__name__}_by_link"
    router.add_api_route(f"/v/{{code}}{path}", handle, methods=list(methods), name=name)


_add("", ballot.show_ballot)
_add("/ballot", ballot.show_ballot)
_add("/ballot", ballot.submit_ballot, ["POST"])
_add("/ballot/withdraw", ballot.withdraw_ballot, FORM_METHODS)
_add("/receipt", receipts.show_receipt)
_add("/receipt.json", receipts.download_receipt)
_add("/tally", results.show_results)
_add("/tally/now", results.refresh_results)
_add("/tally/events", results.stream_changes)
_add("/tally/rankings", results.list_rankings)
_add("/tally/ballots", results.list_ballots)
_add("/tally/ballots/{form}", results.download_ballots)
_add("/tally/result.json", results.download_result)
_add("/published", results.show_publication)
_add("/published/publication.json", results.download_publication)
