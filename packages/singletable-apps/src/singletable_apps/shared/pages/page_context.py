"""The request and the templates that a page handler uses, and pages that ask before they act.

Apps add their service to the context. A function that returns a ConfirmedAction is all that a
question needs; the README of `shared` shows one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import ClassVar, ParamSpec, TypeVar

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel

from singletable_apps.shared.languages import Language
from singletable_apps.shared.pages.flash import Flash
from singletable_apps.shared.pages.forms import (
    Confirmation,
    ConfirmForm,
    Form,
    posted_form,
    submit_form,
)
from singletable_apps.shared.pages.pages import Pages
from singletable_apps.shared.pages.sessions import CURRENT_PASSWORD
from singletable_apps.shared.pages.urls import url_of

M = TypeVar("M", bound=BaseModel)
P = ParamSpec("P")
R = TypeVar("R", bound="ConfirmedAction | Response")
# The methods of a handler that shows a form and submits it, for `router.api_route`.
FORM_METHODS = ["GET", "POST"]


@dataclass(frozen=True)
class PageContext(ABC):
    """Renders templates, submits forms and redirects.

    `folder` has the templates; by default it is named like the app. Confirmations are shown in the
    template `frame`. A form that raises one of the errors in `rejects` is shown again.
    """

    folder: ClassVar[str] = ""
    frame: ClassVar[str] = "frame.html"
    rejects: ClassVar[tuple[type[Exception], ...]]
    request: Request

    @property
    @abstractmethod
    def pages(self) -> Pages:
        """Return the pages of the app."""

    @property
    def language(self) -> Language:
        """Return the language of the page."""
        return self.pages.language(self.request)

    def render(self, template: str, status: int = 200, /, **context: object) -> Response:
        """Render a template of this app, named without its folder and ending."""
        path = f"{self.folder or self.pages.name}/{template}.html"
        return self.pages.render(self.request, path, status, **context)

    def shows(self, template: str, **context: object) -> Callable[[Form, int], Response]:
        """Return a function that shows a form in a template."""
        return lambda form, status: self.render(template, status, form=form, **context)

    def submit(
        self,
        form: Form,
        model: type[M],
        act: Callable[[M], Response],
        show: Callable[[Form, int], Response],
        field: str | None = None,
    ) -> Response:
        """Submit a form. It is shown again if it is invalid or rejected."""
        return submit_form(form, model, act, show, rejects=self.rejects, field=field)

    def fill(
        self,
        form: Form,
        initial: Form | Callable[[], Form],
        model: type[M],
        act: Callable[[M], Response],
        show: Callable[[Form, int], Response],
        field: str | None = None,
    ) -> Response:
        """Show the initial form, or submit the posted one. For a handler of GET and POST."""
        if self.request.method != "POST":
            return show(initial() if callable(initial) else initial, 200)
        return self.submit(form, model, act, show, field)

    def confirm(
        self, question: Confirmation, form: Form | None = None, status: int = 200
    ) -> Response:
        """Ask before something is done."""
        read = {
            name: value()
            for name in ("text", "consequences", "choice")
            if callable(value := getattr(question, name))
        }
        question = replace(question, url=question.url or url_of(self.request), **read)
        context = {"confirmation": question, "form": form or Form(), "frame": self.find_frame()}
        return self.pages.render(self.request, "confirm.html", status, **context)

    def find_frame(self) -> str:
        """Return the template in which confirmations are shown."""
        return self.frame

    def redirect(self, url: str, flash: str | Flash = "") -> Response:
        """Redirect after something was done, and show a message there."""
        return self.pages.redirect(self.request, url, flash)

    @property
    def needs_password(self) -> bool:
        """Return whether a sensitive action requires the password again."""
        return False

    def check_password(self, form: Form, field: str = CURRENT_PASSWORD) -> None:
        """Raise an error of the app unless the password was entered recently or in this form."""
        raise TypeError("needs_password: expected a page of a signed-in user.")


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
