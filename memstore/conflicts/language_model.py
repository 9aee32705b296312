"""A model of the `llm` package, which the user has set up: asked with a prompt, it answers in JSON."""

from __future__ import annotations

import json
import re
from typing import Any

from memstore.core.errors import UsageError

# Beginning of the name of such a model, before its own.
MODEL = "llm:"
MOST_BYTES = 64 * 1024
# Models often put their answer into a Markdown code block, after an introduction.
_FENCED = re.compile(rb"^```\w*[ \t]*\r?\n(.*?)^```", re.MULTILINE | re.DOTALL)


class NoAnswerError(Exception):
    """There is no answer, or none in JSON; the text says why."""


class LanguageModel:
    """A model of the `llm` package.

    Args:
        name: the model; empty for the user's default.

    Raises:
        UsageError: the package is missing, or knows no such model.
    """

    def __init__(self, name: str) -> None:
        try:
            import llm
        except ImportError as error:
            raise UsageError("the llm package is not installed", hint='pip install "memstore-vault[llm]"') from error
        try:
            self._model: Any = llm.get_model(name or None)
        except llm.UnknownModelError as error:
            raise UsageError(f"llm knows no model {name!r}", hint="llm models lists them") from error
        self.name = f"{MODEL}{self._model.model_id}"

    def answer(self, prompt: str) -> Any:
        """Return what it answers, read as JSON; raise `NoAnswerError` if there is none."""
        try:
            said = str(self._model.prompt(prompt).text())
        except Exception as error:  # plugins may raise anything
            raise NoAnswerError(f"the model failed: {error}") from error
        return answer_in(said.encode())


def answer_in(said: bytes) -> Any:
    """Return the JSON in an answer, alone or in a block of Markdown; raise `NoAnswerError` if there is none."""
    if len(said) > MOST_BYTES:
        raise NoAnswerError(f"the answer has {len(said):,} bytes")
    fenced = _FENCED.search(said)
    try:
        return json.loads(fenced[1] if fenced else said)
    except ValueError as error:
        raise NoAnswerError("the answer is not JSON") from error
