"""Denied words are found however they are written, and innocent words are never found."""

from __future__ import annotations

import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable_apps.games.entities import AnswerStatus, GameSettings, Profanity
from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.moderation import fold, status_of_text, word_filter

_INNOCENT = """
Scunthorpe Essex Sussex Middlesex Wessex Cockburn Cockermouth Penistone Clitheroe Lightwater
Dickens Dick Hitchcock Matsushita Arsenal Nigeria Niger analysis analyst assassin assess assesses
assume assistant class classic classes glass grass mass mass-produced pass passion bass compass
embassy cocktail peacock shiitake shitake Shih-Tzu therapist grape drape scrape title titan
constitution document accumulate circumstance cucumber scum sextant sextet sixteen basement
pussywillow buttress button butterfly rebuttal harass arsenic canal banal manuscript torpedo
snigger niggle Spick räpé râpé Pute dick dicke con en_retard retardement FDP cono años ano
Beischlaf ficus fichier Fickert Wichtig wichtiger Arschin Hurenkinder-Regel? Puter putative
reputation computer dispute imputar disputa concha zorra bite Bitburg cul cultura calcul merdeka
Montserrat conservateur connaître connard-free? Mongolei MongoDB Coonhound raccoon cocoon tycoon
A55 455 8008 C# C++ F# R&D AT&T Q&A 50% 5*6=30 a&b f(x) U.S.A. e.g. i.e. Ph.D. O'Hare glass! as!
hello!!! a$ US$ 3$ p!nk Ke$ha pa55word 1337 Kike Mäuschen muschel Titanic titre petite
"""
INNOCENT = [each for each in _INNOCENT.split() if not each.endswith("?")]
_OBFUSCATED = (
    "f u c k|f.u.c.k you|fuuuuck|F*CK|f**k|sh1t|5h1t|$hit|sh!t!!|sh#t|ƒuck|fυck|ｆｕｃｋ|𝐟𝐮𝐜𝐤|"
    "ⓕⓤⓒⓚ|fùçk|f\u200buck|fu\u00adck|Arschl0ch|m3rde|a$$|a$$hole|Scheiße|SCHEISSTAG|COÑO|"
    "s h i t t y day|i s-h-i-t you not|clusterfuck|b!tch|bi+ch|s1ut|fu-ck|f_u_c_k|(fuck)|"
    "nigg3r|h.u.r.e|cυnt|сunt|рussy|shiiit|biiitch|ASSSSHOLE|hijo de puta|nègre|putain!"
)
BAD = ("fuck", "shit", "bitch", "asshole", "hurensohn", "arschloch", "mierda", "connard", "wichser")
OFF, QUEUE, BLOCK = (GameSettings(profanity=each) for each in Profanity)
# A text that the filter must not be misled by.
NEUTRAL = st.sampled_from(["", "the", "so", "10", "¿", "🎉", "und"])


def test_filter_accepts_innocent_words() -> None:
    texts = [
        text.replace("_", " ")
        for word in INNOCENT
        for text in (word, word.upper(), word.lower(), f"“{word}”,")
    ]
    assert [text for text in texts if word_filter().has_match(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "the pen is mightier",
        "push it, then pass it on",
        "I am as a class of my own",
        "con mucho gusto",
        "cum laude",
        "je suis en retard",
        "blue tits and a Maine Coon",
        "Who reports it?",
        "a b c d e f g",
    ],
)
def test_filter_accepts_innocent_sentences(text: str) -> None:
    assert not word_filter().has_match(text)


def test_filter_finds_obfuscated_words() -> None:
    texts = _OBFUSCATED.split("|")
    assert [text for text in texts if not word_filter().has_match(text)] == []


@st.composite
def disguised(draw: st.DrawFn) -> str:
    """Return a denied word in mixed case, with stretched, accented, replaced and spaced letters."""
    word = draw(st.sampled_from(BAD))
    signs = dict(zip("oieast", "013457", strict=True))
    letters: list[str] = []
    for letter in word:
        how = draw(st.sampled_from(["plain", "upper", "sign", "accent", "hidden"]))
        match how:
            case "upper":
                letters.append(letter.upper())
            case "sign":
                letters.append(signs.get(letter, letter))
            case "accent":
                letters.append(letter + "\u0301")
            case "hidden":
                letters.append(f"\u200d{letter}")
            case _:
                letters.append(letter)
    at = draw(st.integers(0, len(word) - 1))
    letters[at] *= draw(st.sampled_from([1, 1, 4]))
    if not any(each.isalpha() for each in letters):
        letters[0] = word[0]
    between = draw(st.sampled_from(["", ".", "-", "_", " "]))
    return f"{draw(NEUTRAL)} {between.join(letters)} {draw(NEUTRAL)}"


@settings(max_examples=3 * settings().max_examples)
@given(disguised())
def test_filter_finds_disguised_words(text: str) -> None:
    assert word_filter().has_match(text)


@settings(max_examples=3 * settings().max_examples)
@given(st.text(max_size=200))
def test_filter_reads_any_text(text: str) -> None:
    word_filter(("坏话", "project x", "🖕")).has_match(text)
    assert fold(fold(text)) == fold(text) or not text.isascii()


# A few players who send such texts all the time would delay the answers of all others.
def test_single_letters_take_little_work() -> None:
    texts = [" ".join("b4d$1" * 8), " ".join(["q", *"fuck", "q"])]
    found, calls = word_filter(), Counter[str]()
    sys.setprofile(lambda frame, event, value: calls.update([event]))
    try:
        assert [found.has_match(text) for text in texts] == [False, True]
    finally:
        sys.setprofile(None)
    assert calls["call"] < 3_000


def test_words_of_the_host_are_found() -> None:
    own = word_filter(("Heinz", "project x", "坏话", "🖕", "*", "=", " "))
    for text in ("h3inz!", "HEINZ", "about Project  X, again", "这是坏话吗", "🖕🏽", "H.e.i.n.z"):
        assert own.has_match(text), text
    for text in ("Heinzelmann", "projects xy", "好话", "👍", "x", "a * b = c"):
        assert not own.has_match(text), text


def test_settings_decide_what_happens_to_a_text() -> None:
    moderated = GameSettings(is_moderated=True, profanity=Profanity.OFF)
    assert status_of_text(OFF, "shit") is AnswerStatus.VISIBLE
    assert status_of_text(QUEUE, "shit") is AnswerStatus.PENDING
    assert status_of_text(QUEUE, "tea") is AnswerStatus.VISIBLE
    assert status_of_text(moderated, "tea") is AnswerStatus.PENDING
    with pytest.raises(InvalidInput) as caught:
        status_of_text(BLOCK, "sh1t")
    assert caught.value.errors.keys() == {"text"}
