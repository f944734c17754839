"""The standard streams of a command, whoever reads them and however early they leave."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path


def settle_streams() -> None:
    """Let nothing that becomes of standard output and error change how the process ends.

    Python has None for a stream that was closed before the start (`>&-`): nobody reads it. What a
    full disk does not take is an error all the same.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - it stays open
        elif isinstance(stream, io.TextIOWrapper):
            setattr(sys, name, _Heedless.over(stream))


class _Heedless(io.TextIOWrapper):
    """A stream whose reader may go away, as `head` does: what is still written is for nobody.

    Rich and Typer would end the process with 1, which says that there are findings.
    """

    @classmethod
    def over(cls, stream: io.TextIOWrapper) -> _Heedless:
        return cls(
            stream.buffer,
            encoding=stream.encoding,
            errors=stream.errors,
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,
        )

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except BrokenPipeError:
            self._lead_nowhere()
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except BrokenPipeError:
            self._lead_nowhere()

    def _lead_nowhere(self) -> None:
        # https://docs.python.org/3/library/signal.html#note-on-sigpipe
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)
