"""Find regular expressions whose backtracking takes more than linear time.

A pattern is read as an automaton with a state per character class. It is slow if a run of the same
characters can be divided in more than one way: two ways around one loop (exponential time), or two
loops in a row (polynomial time), where the search for the next start is a loop as well. It does not
matter if the match cannot fail after these loops. See Weber and Seidl, "On the degree of ambiguity
of finite automata" (1991).

Lookarounds and boundaries are ignored, so a pattern that is kept fast by one of them is reported.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from importlib import import_module
from itertools import combinations, product
from operator import and_
from typing import Any, TypeAlias

code: Any = import_module("re._constants")
parser: Any = import_module("re._parser")
# Characters that stand for all others like them.
_SAMPLES = "aAzZf09_ \t\n\r-.,;:é٣İ\u2028\u3000\U0001d4b3"
# Repeats of up to this many take constant time.
_MAX_COUNT = 1_000
_CATEGORIES = {
    code.CATEGORY_DIGIT: r"\d",
    code.CATEGORY_NOT_DIGIT: r"\D",
    code.CATEGORY_SPACE: r"\s",
    code.CATEGORY_NOT_SPACE: r"\S",
    code.CATEGORY_WORD: r"\w",
    code.CATEGORY_NOT_WORD: r"\W",
}
_BEGINNINGS = (code.AT_BEGINNING, code.AT_BEGINNING_STRING)
_ENDS = (code.AT_END, code.AT_END_STRING)
_REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
State: TypeAlias = int
States: TypeAlias = frozenset[State]


@dataclass
class _Part:
    """A part of a pattern: the states it starts and ends with, and whether it can be empty."""

    first: list[State] = field(default_factory=list[State])
    last: list[State] = field(default_factory=list[State])
    is_empty: bool = True


class _Automaton:
    """The states of a pattern, and which can follow which; one that follows in two ways is twice.

    `chars` has a bit for each character of the alphabet. `finds_start` adds a loop over all
    characters before the pattern.
    """

    def __init__(self, pattern: str | bytes, flags: int, *, finds_start: bool) -> None:
        tree = parser.parse(pattern, flags)
        text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
        self.alphabet = sorted({*_SAMPLES, *text})
        self.chars: list[int] = []
        self.follow: dict[State, list[State]] = defaultdict(list)
        self.possessive: set[State] = set()
        self._flags: int = tree.state.flags
        nodes: list[tuple[Any, Any]] = list(tree)
        whole = self._sequence(nodes)
        self.last = frozenset(whole.last)
        self.can_end_anywhere = not nodes or nodes[-1] not in [(code.AT, end) for end in _ENDS]
        if finds_start and (starts := self._before_start(nodes)):
            self.chars.append(starts)
            start = len(self.chars) - 1
            self.follow[start] = [start, *whole.first]

    def _before_start(self, nodes: Sequence[tuple[Any, Any]]) -> int:
        """Return the characters after each of which the pattern is tried again."""
        kind, value = nodes[0] if nodes else (None, (0,))
        if kind is code.AT and value in _BEGINNINGS:
            is_line = value is code.AT_BEGINNING and self._flags & re.MULTILINE
            return 1 << self.alphabet.index("\n") if is_line else 0
        is_lookbehind = kind in (code.ASSERT, code.ASSERT_NOT) and value[0] < 0
        return 0 if is_lookbehind else (1 << len(self.alphabet)) - 1

    def _sequence(self, nodes: Iterable[Any]) -> _Part:
        whole = _Part()
        for node in nodes:
            part = self._part(*node)
            for state in whole.last:
                self.follow[state] += part.first
            whole = _Part(
                whole.first + (part.first if whole.is_empty else []),
                part.last + (whole.last if part.is_empty else []),
                whole.is_empty and part.is_empty,
            )
        return whole

    def _part(self, kind: Any, value: Any) -> _Part:
        if kind in (code.LITERAL, code.NOT_LITERAL, code.ANY, code.IN):
            bits = (self._has(kind, value, char) << at for at, char in enumerate(self.alphabet))
            self.chars.append(sum(bits))
            state = len(self.chars) - 1
            return _Part([state], [state], False)
        if kind in (code.SUBPATTERN, code.ATOMIC_GROUP):
            return self._sequence(value[3] if kind is code.SUBPATTERN else value)
        if kind is code.BRANCH:
            parts = [self._sequence(branch) for branch in value[1]]
            return _Part(
                [state for part in parts for state in part.first],
                [state for part in parts for state in part.last],
                any(part.is_empty for part in parts),
            )
        if kind in _REPEATS:
            least, most, nodes = value
            before = len(self.chars)
            part = self._sequence(nodes)
            if most is code.MAXREPEAT or most > _MAX_COUNT:
                for state in part.last:
                    self.follow[state] += part.first
            if kind is code.POSSESSIVE_REPEAT:
                self.possessive.update(range(before, len(self.chars)))
            return _Part(part.first, part.last, part.is_empty or least == 0)
        return _Part()

    def _has(self, kind: Any, value: Any, char: str) -> bool:
        spellings = {char, char.lower(), char.upper()} if self._flags & re.IGNORECASE else {char}
        return any(self._is(kind, value, each) for each in spellings if len(each) == 1)

    def _is(self, kind: Any, value: Any, char: str) -> bool:
        if kind is code.ANY:
            return bool(self._flags & re.DOTALL) or char != "\n"
        if kind in (code.LITERAL, code.NOT_LITERAL):
            return bool((ord(char) == value) == (kind is code.LITERAL))
        if kind is code.RANGE:
            return bool(value[0] <= ord(char) <= value[1])
        if kind is code.CATEGORY:
            return re.match(_CATEGORIES[value], char) is not None
        is_negated = value[0][0] is code.NEGATE
        found = any(
            self._is(inner, part, char) for inner, part in value if inner is not code.NEGATE
        )
        return found != is_negated

    def reach(self, start: State) -> States:
        """Return the states that can come after a state."""
        found: set[State] = set()
        waiting = [start]
        while waiting:
            new = set(self.follow[waiting.pop()]) - found
            found |= new
            waiting += new
        return frozenset(found)

    def leads(
        self, start: tuple[State, ...], end: tuple[State, ...], inside: Sequence[States]
    ) -> bool:
        """Return whether the same text leads from states to others, each within its own."""
        found = {start}
        waiting = [start]
        while waiting:
            for states in self._steps(waiting.pop(), inside):
                if states == end:
                    return True
                if states not in found:
                    found.add(states)
                    waiting.append(states)
        return False

    def _steps(
        self, states: tuple[State, ...], inside: Sequence[States]
    ) -> Iterator[tuple[State, ...]]:
        """Yield the states after one more character that is the same for all."""
        choices = (
            into.intersection(self.follow[at]) for at, into in zip(states, inside, strict=True)
        )
        for after in product(*choices):
            if reduce(and_, (self.chars[state] for state in after)):
                yield after

    def show(self, *states: State) -> str:
        """Return the characters that are in all of the states."""
        bits = reduce(and_, (self.chars[state] for state in states))
        return repr("".join(char for at, char in enumerate(self.alphabet) if bits >> at & 1)[:20])


def find_ambiguity(
    pattern: str | bytes, flags: int = 0, *, finds_start: bool = True, is_whole: bool = False
) -> str:
    """Return why a pattern may take more than linear time, or an empty text.

    `finds_start` is for `search`, `sub` and the like; `is_whole` for `fullmatch`.
    """
    automaton = _Automaton(pattern, flags, finds_start=finds_start)
    reach = cache(automaton.reach)
    states = range(len(automaton.chars))
    # The states of the loops around each state.
    loops = {
        state: frozenset(each for each in reach(state) if state in reach(each))
        for state in states
        if state in reach(state)
    }
    can_fail = [
        state
        for state, loop in loops.items()
        if is_whole or not automaton.can_end_anywhere or not loop & automaton.last
    ]
    # A possessive loop does not give anything back.
    divided = [state for state in can_fail if state not in automaton.possessive]
    for state in divided:
        loop = loops[state]
        after = [each for each in automaton.follow[state] if each in loop]
        if len(after) > len(set(after)):
            return f"a loop in a loop over {automaton.show(state)}"
        for pair in combinations(sorted(loop), 2):
            there = automaton.leads((state, state), pair, (loop, loop))
            if there and automaton.leads(pair, (state, state), (loop, loop)):
                return f"two ways around a loop over {automaton.show(*pair)}"
    for one in divided:
        for other in reach(one).intersection(can_fail) - loops[one]:
            between = frozenset(each for each in reach(one) if other in reach(each))
            inside = (loops[one], between, loops[other])
            if automaton.leads((one, one, other), (one, other, other), inside):
                return f"two loops in a row over {automaton.show(one, other)}"
    return ""
