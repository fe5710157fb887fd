"""Question sets in CSV and XLSX: ours, the original app's, and Kahoot's template."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import pytest
from openpyxl import Workbook

from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.formats import FileProblem, SetFormat, read_set
from singletable_apps.games.questions import EngagementType, QuestionType, Scale

LESSONS = (
    "Category,Question#,Title,Detail_lesson,School,CustomInstruction\n"
    'Leading,1,"Say ""no"" early","It saves time.\nFor everybody.",Stoics,Give an example.\n'
    "Leading,2,,Nothing,,\n"
    "Working,3,Stop starting,Start finishing,,\n"
)
TRIVIA = (
    "Category,Question,OptionA,OptionB,OptionC,OptionD,CorrectAnswer,Points\n"
    "Maths,2 + 2?,3,4,5,,4,10\n"
    "Maths,Which is even?,1,2,,,B,20\n"
    "Maths,First option?,yes,,no,,3,\n"
    "Maths,Both?,x,y,z,,A;C,\n"
    "Maths,Neither?,x,y,,,w,\n"
)


def xlsx(*rows: Sequence[object]) -> bytes:
    book = Workbook()
    sheet = book.worksheets[0]
    for row in rows:
        sheet.append(list(row))
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def test_lessons_of_the_original_app_are_call_and_answer_questions() -> None:
    read = read_set(LESSONS.encode(), "C:\\sets\\team_lessons-2.csv")
    assert read.format is SetFormat.CSV
    assert (read.draft.name, read.draft.type) == ("team lessons 2", EngagementType.CALL_AND_ANSWER)
    first, second = read.draft.questions
    assert (first.title, first.detail) == ('Say "no" early', "It saves time.\nFor everybody.")
    assert (first.school, first.instruction, first.category) == (
        *("Stoics", "Give an example."),
        "Leading",
    )
    assert second.title == "Stop starting"
    assert read.errors == (FileProblem(3, "Title", "Please fill this in."),)


def test_trivia_of_the_original_app_resolves_texts_letters_and_numbers() -> None:
    read = read_set(TRIVIA.encode(), "trivia.csv")
    assert read.format is SetFormat.CSV
    correct = [
        [option.text for option in each.options if option.id in each.correct]
        for each in read.draft.questions
    ]
    # In the first row, 4 is the text of an option; in the third, 3 is the third column.
    assert correct == [["4"], ["2"], ["no"], ["x", "z"]]
    assert [each.points for each in read.draft.questions] == [10, 20, None, None]
    [error] = read.errors
    assert (error.row, error.column) == (6, "CorrectAnswer")
    assert "“w”" in error.text


def test_kahoot_template_is_found_below_its_title() -> None:
    heading = [
        "",
        "Question - max 120 characters",
        *(f"Answer {number} - max 75 characters" for number in range(1, 5)),
        "Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs",
        "Correct answer(s) - choose at least one",
    ]
    data = xlsx(
        [""],
        ["", "Quiz template"],
        ["", "Add questions, at least two answer alternatives…"],
        [""],
        heading,
        [1, "How many legs has a spider?", 2, 8, 6, None, 20, 2],
        [2, "Which are prime?", 2, 3, 4, 5, 30, "1,2,4"],
        [2, "Which are odd?", 1, 2, 3, None, 30, 1.3],
        [3, "Forgotten?", "a", "b", None, None, "soon", None],
        [4],
        [5],
    )
    read = read_set(data, "kahoot.xlsx")
    assert read.format is SetFormat.KAHOOT
    first, second, third = read.draft.questions
    # 2 is the second answer, although another answer is the text 2.
    assert (first.correct, first.seconds) == (("b",), 20)
    assert second.correct == ("a", "b", "d")
    # The spreadsheet has made a number of 1,3.
    assert third.correct == ("a", "c")
    assert [(each.row, each.column[:7]) for each in read.errors] == [
        *((9, "Correct"), (9, "Time li")),
    ]


def test_kahoot_csv_with_semicolons_and_a_title_is_read() -> None:
    text = "Quiz template;;\nNo;Question;Answer 1;Answer 2;Time limit;Correct answer(s)\n"
    read = read_set(f"Title\n\n{text}1;Up, or down?;Up;Down;20;2\n".encode(), "k.csv")
    assert (read.errors, read.draft.questions[0].correct) == ((), ("b",))


def test_own_columns_cover_every_type() -> None:
    text = (
        "type;question;a1;a2;a3;correct;scale;selections;time;tags;low;high;longest\n"
        "Yes-No;Ready?;;;;;;;;a, b;;;\n"
        "poll;Pick two;x;y;z;;;2;30 sec;;;;\n"
        "rating;How was it?;;;;;0-10;;;;Bad;Good;\n"
        "rank;Order these;x;y;z;;;;;;;;\n"
        "text;Say more;;;;;;;;;;;500\n"
    )
    read = read_set(text.encode("utf-16"), "all.csv")
    assert read.errors == ()
    assert (read.format, read.draft.type) == (SetFormat.CSV, EngagementType.POLL)
    ready, pick, rate, rank, more = read.draft.questions
    assert (ready.type, ready.tags) == (QuestionType.YES_NO, ("a", "b"))
    assert (pick.type, pick.selections, pick.seconds) == (QuestionType.CHOICE, 2, 30)
    assert (rate.scale, rate.low_label) == (Scale.ELEVEN, "Bad")
    assert (rank.type, len(rank.options)) == (QuestionType.RANK, 3)
    assert (more.type, more.longest) == (QuestionType.TEXT, 500)


def test_errors_name_row_and_column() -> None:
    text = (
        "type,question,a1,a2,correct,time,image,scale,colour\n"
        "riddle,Why?,,,,,,,\n"
        "trivia,Who?,me,ME,a,-3,,,\n"
        "rating,How?,,,,,,many,\n"
        "trivia,Where?,here,,a,,https://example.org/x.png,,\n"
    )
    read = read_set(text.encode(), "errors.csv")
    assert [(each.row, each.column) for each in read.errors] == [
        *((1, "colour"), (2, "type"), (3, "a2"), (3, "time"), (4, "scale"), (5, "image")),
    ]
    # Only the image is left out of the last row.
    assert [each.title for each in read.draft.questions] == ["Where?"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "empty"),
        (b"name,email\nAda,ada@example.org\n", "“name”, “email”"),
        (b"%PDF-1.7", "not a CSV"),
        (b"PK\x03\x04junk", "damaged"),
        (b"\x00\x01\x02", "not a text file"),
        (b'question,a1\n"broken', "quotes"),
        (b"x" * 5_000_001, "5 MB"),
    ],
)
def test_unreadable_file_is_rejected_with_a_reason(data: bytes, expected: str) -> None:
    with pytest.raises(InvalidInput, match=expected) as caught:
        read_set(data, "file")
    assert caught.value.errors.keys() == {"file"}


def test_more_questions_than_a_set_may_have_are_reported_once() -> None:
    rows = "".join(f"Question {number},a,b,a\n" for number in range(305))
    read = read_set(f"question,a1,a2,correct\n{rows}".encode(), "many.csv")
    assert len(read.draft.questions) == 300
    assert [each.row for each in read.errors] == [302]


def test_table_with_types_is_our_own_format() -> None:
    text = b"type,question,OptionA,OptionB,CorrectAnswer\nchoice,Tea?,Yes,No,\ntrivia,2+2?,3,4,4\n"
    read = read_set(text, "all.csv")
    assert (read.format, read.errors) == (SetFormat.CSV, ())
    assert [each.type for each in read.draft.questions] == ["choice", "trivia"]


def test_text_that_is_named_like_a_spreadsheet_is_rejected_by_its_name() -> None:
    with pytest.raises(InvalidInput, match="not an Excel file"):
        read_set(b"question,a1\nx,y\n", "quiz.xlsx")


def test_lessons_ask_what_the_original_asks() -> None:
    read = read_set(b"Category,Title,Detail_lesson\nTeams,Say no,Early\n", "lessons.csv")
    assert read.draft.instruction.startswith("How could you adapt this lesson")
