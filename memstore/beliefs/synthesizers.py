"""Synthesizers, which word suggestions better than quotations do: a command that the user names, or an `llm` model."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from memstore.beliefs.wording import SynthesisFailedError
from memstore.conflicts.language_model import MODEL, LanguageModel, NoAnswerError, answer_in
from memstore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstore.beliefs.wording import QuotedSource, Synthesizer

TIME_LIMIT_SECONDS = 60.0
_PROMPT = (
    "Say in one sentence of at most 30 words what these memories have in common. Name nothing that they don't name. "
    'Answer with JSON alone: {"text": "…", "cites": ["ref", …]}, citing the refs that say so.\n\n'
)


def synthesizer(named: str, *, time_limit_seconds: float = TIME_LIMIT_SECONDS) -> Synthesizer:
    """Return the named synthesizer: `llm:` and a model of the `llm` package, or a command line.

    Raises:
        UsageError: the name is not a valid command line, or the package is missing.
    """
    if named.startswith(MODEL):
        return ModelSynthesizer(LanguageModel(named.removeprefix(MODEL)))
    try:
        words = shlex.split(named)
    except ValueError as error:
        raise UsageError(
            f"{named!r} is not a command line: {error}", hint="quote it as you would in a shell"
        ) from error
    if not words:
        raise UsageError("no command is named", hint='--with "my-program --fast"')
    return SynthesizerCommand(words, time_limit_seconds=time_limit_seconds)


class SynthesizerCommand:
    """A program that reads `{"sources": [{"ref", "text"}], "terms": […]}` and writes `{"text", "cites"}`, all JSON.

    It is started without a shell.

    Args:
        words: the program and its arguments.
        time_limit_seconds: the time after which it is stopped, with all processes that it started; > 0.
    """

    def __init__(self, words: Sequence[str], *, time_limit_seconds: float) -> None:
        self._words = words
        self._limit = time_limit_seconds

    def answer(self, sources: Sequence[QuotedSource], terms: Sequence[str]) -> Any:
        """Return its answer; raise `SynthesisFailedError` if there is none, or it is not JSON."""
        asked = json.dumps({"sources": [source._asdict() for source in sources], "terms": list(terms)})
        try:
            return answer_in(self._command_output(asked.encode()))
        except NoAnswerError as error:
            raise SynthesisFailedError(str(error)) from error

    def _command_output(self, asked: bytes) -> bytes:
        try:
            child = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise SynthesisFailedError(f"{self._words[0]} can't be started: {error.strerror}") from error
        with child:
            try:
                said, _ = child.communicate(asked, timeout=self._limit)
            except subprocess.TimeoutExpired as error:
                raise SynthesisFailedError(f"{self._words[0]} took longer than {self._limit:g} s") from error
            finally:
                # Its child processes may hold its pipes open, which would block the caller.
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
        if child.returncode:
            raise SynthesisFailedError(f"{self._words[0]} ended with exit code {child.returncode}")
        return said


class ModelSynthesizer:
    """A model of the `llm` package, which the user has set up."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    def answer(self, sources: Sequence[QuotedSource], terms: Sequence[str]) -> Any:
        """Return its answer; raise `SynthesisFailedError` if there is none, or it is not JSON."""
        told = "\n".join(f"{source.ref}: {source.text}" for source in sources)
        try:
            return self._model.answer(f"{_PROMPT}{told}\n\nThey share: {', '.join(terms)}")
        except NoAnswerError as error:
            raise SynthesisFailedError(str(error)) from error
