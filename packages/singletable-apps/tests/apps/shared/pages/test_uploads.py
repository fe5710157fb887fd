"""Forms with files: valid and malformed uploads."""

from __future__ import annotations

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.shared.pages import PostedUpload
from singletable_apps.shared.pages.uploads import parse_header, parse_multipart
from singletable_apps.shared.web import Settings, make_app

router = APIRouter()


@router.post("/files")
def receive_files(upload: PostedUpload) -> dict[str, object]:
    """Return what was received."""
    files = [(file.filename, file.media_type, file.data.hex()) for file in upload.named("files")]
    return {"files": files, "alt": upload.form.value("alt")}


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = make_app(
        "Files",
        "1",
        routers=[],
        prefix="/api",
        settings=Settings(uploads={"/files": 1 << 16}),
    )
    app.include_router(router)
    return TestClient(app)


def test_files_and_fields_are_read_as_sent(client: TestClient) -> None:
    sent = [
        ("files", ("a.png", b"\x89PNG\r\n\x1a\n--\r\n", "image/png")),
        ("files", ("Böard.txt", b"", "text/plain")),
    ]
    answer = client.post("/files", data={"alt": "Two\r\nlines"}, files=sent)
    assert answer.json() == {
        "files": [
            ["a.png", "image/png", b"\x89PNG\r\n\x1a\n--\r\n".hex()],
            ["Böard.txt", "text/plain", ""],
        ],
        "alt": "Two\nlines",
    }


def test_paths_are_removed_from_file_names(client: TestClient) -> None:
    answer = client.post("/files", files=[("files", ("C:\\pictures\\../cat.png", b"x"))])
    assert answer.json()["files"][0][0] == "cat.png"


def test_field_without_a_choice_has_no_files(client: TestClient) -> None:
    body = (
        b'--x\r\nContent-Disposition: form-data; name="files"; filename=""\r\n'
        b"Content-Type: application/octet-stream\r\n\r\n\r\n--x--\r\n"
    )
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    assert client.post("/files", content=body, headers=headers).json()["files"] == []


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("application/x-www-form-urlencoded", b"a=1", 415),
        ("multipart/form-data", b"--x--", 415),
        ("multipart/form-data; boundary=x", b"", 400),
        ("multipart/form-data; boundary=x", b"nonsense", 400),
        ("multipart/form-data; boundary=x", b"--x\r\nno header\r\n--x--", 400),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="a"',
            400,
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xff\r\n--x--',
            400,
        ),
        # The standard library reads these headers in quadratic time, which took minutes.
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="'
            + b";" * 9_000
            + b'"\r\n\r\n1\r\n--x--',
            400,
        ),
        ('multipart/form-data; a="' + ";" * 9_000 + '"; boundary=x', b"--x--", 415),
    ],
)
def test_malformed_uploads_are_rejected(
    client: TestClient, content_type: str, body: bytes, status: int
) -> None:
    answer = client.post("/files", content=body, headers={"Content-Type": content_type})
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("form-data", {}),
        ('Form-Data; NAME="a"; filename="b.png"', {"name": "a", "filename": "b.png"}),
        ("form-data;name=a ; filename = b", {"name": "a", "filename": "b"}),
        (r'form-data; name="a;b=\"c\" \\"', {"name": r'a;b="c" ' + "\\"}),
        ('form-data; name=""; filename="', {"name": ""}),
        ('form-data; name="x" onload="y"', {"name": "x"}),
    ],
)
def test_parameters_of_headers_are_read(header: str, expected: dict[str, str]) -> None:
    assert parse_header(header) == ("form-data", expected)


@given(st.binary())
def test_parser_rejects_or_reads_any_bytes(body: bytes) -> None:
    try:
        texts, files = parse_multipart(b"--x\r\n" + body + b"\r\n--x--", b"x")
    except ValueError:
        return
    assert len(texts) + len(files) <= body.count(b"\r\n--x") + 1
