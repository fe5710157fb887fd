"""Moderate answers: approve or hide them until they are frozen, and hide frozen ones.

If answers wait for the host when their question is closed, the game waits in the phase “checking”.
Hiding a frozen answer takes it off ballots and results; before the round is scored, it also gets no
points.
Every decision can be repeated, and applies to the text that the host has read: if the player
changes the text meanwhile, the host decides again.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from singletable import ConditionFailed, retry_conflicts
from singletable_apps.games.entities import Answer, AnswerStatus, Round
from singletable_apps.games.errors import Busy, InvalidInput, NotFound, WrongPhase
from singletable_apps.games.phases import Phase
from singletable_apps.games.rules import Play, is_checkable, written_ids
from singletable_apps.games.service.context import Context
from singletable_apps.games.service.game_store import GameStore
from singletable_apps.games.views import AnonymousAnswer
from singletable_apps.shared.service import check_found

_CHANGED = "The player has changed this answer meanwhile. Read it again."


class Moderation:
    """Lets hosts decide which answers others see."""

    def __init__(self, context: Context, store: GameStore) -> None:
        self._context = context
        self._store = store

    def list_pending(self, play: Play) -> list[AnonymousAnswer]:
        """Return the answers that wait to the questions that are open, oldest first.

        Survey answers of too few people are shown to nobody, not even here.
        """
        return self.select(self._store.list_written(play) if is_checkable(play.state) else ())

    def select(self, answers: Iterable[Answer]) -> list[AnonymousAnswer]:
        """Return the answers that wait, without their authors, oldest first."""
        found = [each for each in answers if each.status is AnswerStatus.PENDING and each.text]
        ordered = sorted(found, key=lambda each: (each.submitted_at, each.text))
        return [self._without_author(each) for each in ordered]

    def _answer_id(self, answer: Answer) -> str:
        tokens = self._context.tokens
        return tokens.answer_id(answer.game_id, answer.question_id, answer.player_id)

    def _without_author(self, answer: Answer) -> AnonymousAnswer:
        answer_id = self._answer_id(answer)
        return AnonymousAnswer(answer.question_id, answer_id, answer.text, answer.status)

    def decide(
        self,
        game_id: str,
        question_id: str,
        answer_id: str,
        status: AnswerStatus,
        text: str | None = None,
    ) -> tuple[AnonymousAnswer, bool]:
        """Approve or hide an answer; return it, and whether answers were frozen at the same time.

        `text` is the answer that the host has read. If the player has changed it since, nothing is
        done.
        """
        play = self._store.load(game_id)
        if question_id not in play.state.played:
            raise NotFound("There is no such answer.")
        answers = self._store.list_answers(game_id, question_id)
        found = next((each for each in answers if self._answer_id(each) == answer_id), None)
        answer = check_found(found, "There is no such answer.")
        if text is not None and text != answer.text:
            raise InvalidInput({"text": _CHANGED})
        if answer.status is status:
            return self._without_author(answer), False
        if not is_checkable(play.state) or question_id not in written_ids(play):
            raise WrongPhase(
                "The host has gone on without the answers that waited.",
                play.state.phase,
                (Phase.OPEN, Phase.CHECKING),
            )
        try:
            answer = self._context.store.update(
                Answer.key(game_id, question_id, answer.player_id),
                Answer.status.set(status),
                if_=Answer.text == answer.text,
            )
        except ConditionFailed:
            raise InvalidInput({"text": _CHANGED}) from None
        after = self._context.get_state(game_id)
        self._context.notify(play.game)
        is_now = is_checkable(after) and after.question_id == play.state.question_id
        return self._without_author(answer), not is_now

    def approve_all(self, game_id: str) -> None:
        """Approve every answer that waits and that the host can see now."""
        for each in self.list_pending(self._store.load(game_id)):
            with suppress(InvalidInput, WrongPhase):  # it has changed, and waits again
                self.decide(
                    game_id, each.question_id, each.answer_id, AnswerStatus.VISIBLE, each.text
                )

    @retry_conflicts(otherwise=lambda: Busy("Someone else is hiding answers right now. Try again."))
    def set_hidden(
        self, game_id: str, answer_id: str, is_hidden: bool, question_id: str = ""
    ) -> Round:
        """Hide a frozen answer, or show it again; the current question's, if none is given."""
        state = self._context.get_state(game_id)
        chosen = question_id or state.question_id
        found = self._store.get_round(game_id, chosen) if chosen in state.played else None
        entry = check_found(found, "This question has not been played.")
        if answer_id not in {each.id for each in self._store.get_ballot(entry)}:
            raise NotFound("There is no such answer on the ballot.")
        if (answer_id in entry.hidden) is is_hidden:
            return entry
        others = [each for each in entry.hidden if each != answer_id]
        changed = self._context.store.update(
            Round.key(game_id, chosen),
            Round.hidden.set([*others, answer_id] if is_hidden else others),
            if_=Round.hidden == entry.hidden,
        )
        self._context.notify(changed)
        return changed
