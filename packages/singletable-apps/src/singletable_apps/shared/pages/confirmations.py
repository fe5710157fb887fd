"""Ask before an action: a page that shows a question, and acts once it is confirmed.

A function that returns a ConfirmedAction is all that a page needs:

    @confirm(router, "/teams/{team_id}/delete")
    def delete_team(page: UserPage, team_id: Segment) -> ConfirmedAction:
        team = page.service.teams.get(team_id)
        return ConfirmedAction(page, title=f"Delete {team.name}?", do=…, done="Deleted.", …)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import ParamSpec, TypeVar

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel

from singletable_apps.shared.pages.flash import Flash
from singletable_apps.shared.pages.forms import Confirmation, ConfirmForm, Form, posted_form
from singletable_apps.shared.pages.page_context import FORM_METHODS, PageContext

P = ParamSpec("P")
R = TypeVar("R", bound="ConfirmedAction | Response")


@dataclass(frozen=True)
class ConfirmedAction(Confirmation):
    """A confirmation of a page, and what happens once it is confirmed.

    `do(form)` acts, then the browser goes to `to`, or else to `back`, with the message `done`; if
    `do` returns a response, that is sent instead. With a `revision`, `form.revision_check()` raises
    if someone has changed the item meanwhile. The form is shown again, with the error beside
    `error_field`, if it is not valid as a `model` or the page rejects what `do` raises; `do` gets
    the values of the model. With `needs_password`, the password is checked first unless it was
    entered recently. `values` fill in the field at first.
    """

    page: PageContext
    _: KW_ONLY
    do: Callable[[Form], object]
    to: str = ""
    done: str | Flash = ""
    revision: int | None = None
    model: type[BaseModel] = ConfirmForm
    error_field: str | None = None
    values: Mapping[str, str] = field(default_factory=dict[str, str])

    def answer(self, form: Form) -> Response:
        """Ask, or act on the posted answer."""
        revision = {} if self.revision is None else {"revision": self.revision}
        initial = Form({**self.values, **revision})
        return self.page.fill(
            form, initial, self.model, partial(self._act, form), self._show, self.error_field
        )

    def _act(self, form: Form, values: BaseModel) -> Response:
        if self.needs_password:
            self.page.check_password(form)
        response = self.do(replace(form, values={**form.values, **values.model_dump()}))
        if isinstance(response, Response):
            return response
        return self.page.redirect(self.to or self.back, self.done)

    def _show(self, form: Form, status: int) -> Response:
        if form.conflict and self.revision is not None:
            # What the question shows; it may have been changed again.
            form = form.rebased(self.revision)
        needs_password = self.needs_password and self.page.needs_password
        return self.page.confirm(replace(self, needs_password=needs_password), form, status)


def confirm(router: APIRouter, path: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Add a page that asks what the function returns. It has parameters like any handler."""

    def add(ask: Callable[P, R]) -> Callable[P, R]:
        def handle(
            asked: ConfirmedAction | Response = Depends(ask),  # noqa: B008
            form: Form = Depends(posted_form),  # noqa: B008
        ) -> Response:
            return asked if isinstance(asked, Response) else asked.answer(form)

        router.add_api_route(path, handle, methods=FORM_METHODS, name=ask.__name__)
        return ask

    return add
