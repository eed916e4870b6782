"""A model that needs no network: each of its answers is fixed in advance."""

from collections.abc import Callable, Mapping

from ctxlab.messages.blocks import result_ids
from ctxlab.messages.copying import copied
from ctxlab.models.interface import Brief, History, Message, ModelError


class ScriptedModel:
    """Answers by the ids of the results in the newest message: `answers` maps those ids to an answer.

    The key `()` is for a newest message without results, such as the question. An answer is a message, or a
    function that makes one from the history. Since only the newest message counts, a history that became
    shorter cannot send the model back to its first step; this says nothing about what a real model would do.
    """

    def __init__(
        self,
        answers: Mapping[tuple[str, ...], Message | Callable[[History], Message]],
        summary: str,
    ) -> None:
        self._answers = dict(answers)
        self._summary = summary

    def ask(self, messages: History, brief: Brief) -> Message:  # noqa: ARG002 - a script reads no brief
        """Return the answer to the newest message. Raises ModelError where the script has none."""
        newest = tuple(result_ids(messages[-1])) if messages else ()
        if newest not in self._answers:
            known = ", ".join(map(repr, self._answers))
            raise ModelError(
                f"the script has no answer for a newest message with the results {newest!r}; it has {known}"
            )
        answer = self._answers[newest]
        return copied(answer(copied(messages)) if callable(answer) else answer)

    def summarize(self, messages: History) -> str:  # noqa: ARG002 - the summary is fixed
        """Return the summary of the script."""
        return self._summary
