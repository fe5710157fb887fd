"""Forms are validated into a model, or shown again with errors beside the fields."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from fastapi.testclient import TestClient
from pydantic import BaseModel

from singletable_apps.shared.pages import Form
from singletable_apps.shared.pages.templating import make_environment
from tests.apps.shared.pages.site import HOSTILE, Terms

GOOD = {"name": "Board", "password": "correct horse"}
BERLIN = ZoneInfo("Europe/Berlin")


def test_validate_returns_the_model() -> None:
    typed = GOOD | {"seats": "3", "secret": "on", "days": ["mon", "tue"], "note": "", "more": "x"}
    read = Form(typed).validate(Terms)
    assert read == Terms(
        name="Board", password="correct horse", seats=3, secret=True, days=["mon", "tue"]
    )


def test_form_of_an_object_has_the_fields_of_the_model() -> None:
    stored = Terms(name="Board", password="correct horse", seats=3, secret=True, days=["mon"])
    form = Form.of(Terms, stored, revision=7)
    assert (form.value("seats"), form.value("secret"), form.value("revision")) == ("3", "on", "7")
    assert form.validate(Terms) == stored


def test_form_of_a_model_alone_has_its_defaults() -> None:
    form = Form.of(Terms, revision=7)
    assert (form.value("method"), form.value("seats")) == ("schulze", "1")
    assert (form.value("name"), form.value("due"), form.value("revision")) == ("", "", "7")
    assert form.values == Form.of(Terms, None, revision=7).values


def test_unchecked_checkbox_is_false_whatever_its_default() -> None:
    class Options(BaseModel):
        public: bool = True

    assert Form.of(Options).value("public") == "on"
    assert Form({}).validate(Options) == Options(public=False)


def test_date_is_shown_as_a_date_field_expects_it() -> None:
    form = Form(GOOD | {"due": date(2026, 11, 15)})
    assert form.value("due") == "2026-11-15"
    read = form.validate(Terms)
    assert isinstance(read, Terms)
    assert read.due == date(2026, 11, 15)


def test_single_value_of_a_list_field_is_a_list() -> None:
    read = Form(GOOD | {"days": "mon"}).validate(Terms)
    assert isinstance(read, Terms)
    assert read.days == ["mon"]


@pytest.mark.parametrize(
    ("field", "typed", "fault"),
    [
        ("name", "", "Please fill this in."),
        ("name", "x" * 21, "Enter at most 20 characters."),
        ("name", "Taken", "This name is taken."),
        ("password", "short", "Enter at least 12 characters."),
        ("seats", "many", "Enter a whole number."),
        ("seats", "2.5", "Enter a whole number."),
        ("seats", "0", "Enter 1 or more."),
        ("seats", "9" * 5000, "That number is too large."),
        ("opens", "soon", "Enter a date and a time, such as 2026-11-15T09:30."),
        ("opens", "2026-13-01T10:00", "Enter a date and a time, such as 2026-11-15T09:30."),
        ("due", "soon", "Enter a date, such as 2026-11-15."),
        ("due", "2026-11-31", "Enter a date, such as 2026-11-15."),
        ("due", "2026-11-15T09:30", "Enter a date, such as 2026-11-15."),
        ("starts", "noon", "Enter a time, such as 09:30."),
        ("method", "guess", "Choose one of the options."),
    ],
)
def test_errors_are_in_plain_words(field: str, typed: str, fault: str) -> None:
    read = Form(GOOD | {field: typed}).validate(Terms)
    assert isinstance(read, Form)
    assert read.errors == {field: fault}
    assert read.value(field) == typed


def test_all_errors_are_reported_at_once() -> None:
    read = Form({"opens": "soon", "seats": "x"}).validate(Terms)
    assert isinstance(read, Form)
    assert set(read.errors) == {"name", "password", "opens", "seats"}


# A field can have the name of an argument.
def test_error_can_be_about_a_field_of_any_name() -> None:
    form = Form().with_errors("Nothing was saved.", summary="Too long.", self="Too short.")
    assert form.summary == "Nothing was saved."
    assert form.errors == {"summary": "Too long.", "self": "Too short."}


def test_form_keeps_its_values_except_passwords(browser: TestClient) -> None:
    answer = browser.post(
        "/notes",
        data={"name": HOSTILE, "password": "hunter2", "secret": "on", "days": ["tue"]},
    )
    assert answer.status_code == 422
    assert 'value="&#34;&gt;&lt;script&gt;' in answer.text
    assert "hunter2" not in answer.text
    assert 'name="secret" checked' in answer.text
    assert 'value="tue" checked' in answer.text
    assert 'value="mon" checked' not in answer.text
    assert 'aria-describedby="f-name-error" aria-invalid="true"' in answer.text
    assert '<a href="#f-name">Enter at most 20 characters.</a>' in answer.text


def test_summary_names_empty_fields_by_their_labels() -> None:
    template = make_environment([], {}).from_string(
        '{% import "macros/field.html" as fields %}'
        '{{ fields.form_summary(form, {"borrower": "To whom"}) }}'
    )
    empty = "Please fill this in."
    text = template.render(form=Form(errors={"borrower": empty, "due_date": empty}))
    assert ">To whom: please fill this in.</a>" in text
    assert ">Due date: please fill this in.</a>" in text


@pytest.mark.parametrize(
    ("zone", "typed", "at"),
    [
        ("Europe/Berlin", "2026-07-01T12:00", datetime(2026, 7, 1, 10, tzinfo=UTC)),
        ("Europe/Berlin", "2026-12-01T12:00", datetime(2026, 12, 1, 11, tzinfo=UTC)),
        # When clocks are set back, the first of the two times is meant.
        ("Europe/Berlin", "2026-10-25T02:30", datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),
        ("Nowhere/Land", "2026-07-01T12:00", datetime(2026, 7, 1, 12, tzinfo=UTC)),
    ],
)
def test_times_are_read_in_the_time_zone_of_the_field(zone: str, typed: str, at: datetime) -> None:
    read = Form(GOOD | {"opens": typed, "opens.zone": zone}, zone=ZoneInfo("Asia/Tokyo")).validate(
        Terms
    )
    assert isinstance(read, Terms)
    assert read.opens == at


def test_time_skipped_by_daylight_saving_is_rejected() -> None:
    read = Form(GOOD | {"opens": "2026-03-29T02:30"}, zone=BERLIN).validate(Terms)
    assert isinstance(read, Form)
    assert read.errors == {
        "opens": "Clocks go forward on that day in Europe/Berlin, so 02:30 does not exist."
    }


@pytest.mark.parametrize(
    ("typed", "zone"),
    [
        ("0001-01-01T00:00", "Asia/Tokyo"),
        ("9999-12-31T23:59", "America/New_York"),
        ("9999-12-31T23:59-14:00", "UTC"),
    ],
)
def test_time_outside_the_calendar_is_rejected(typed: str, zone: str) -> None:
    read = Form(GOOD | {"opens": typed}, zone=ZoneInfo(zone)).validate(Terms)
    assert isinstance(read, Form)
    assert read.errors == {"opens": "Enter a date and a time, such as 2026-11-15T09:30."}


def test_date_field_has_no_time_zone(browser: TestClient) -> None:
    text = browser.get("/notes").text
    assert 'name="due" type="date"' in text
    assert "due.zone" not in text


def test_time_field_shows_its_time_zone(browser: TestClient) -> None:
    browser.cookies.set("zone", "America/New_York")
    text = browser.get("/notes").text
    assert '<input type="hidden" name="opens.zone" value="America/New_York">' in text
    assert ">America/New York</span>" in text


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{}", "application/json", 415),
        (b"name=%ff", "application/x-www-form-urlencoded", 400),
        (b"name=\xff", "application/x-www-form-urlencoded", 400),
        (b"&".join([b"a=1"] * 20_001), "application/x-www-form-urlencoded", 400),
        (b"", "", 422),
    ],
)
def test_other_bodies_than_forms_are_rejected(
    browser: TestClient, body: bytes, kind: str, status: int
) -> None:
    answer = browser.post("/notes", content=body, headers={"Content-Type": kind} if kind else {})
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
