"""The standard streams of a command, whoever reads them and however early they leave."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path


def settle_streams() -> None:
    """Let nothing that becomes of standard output and error stop the command on its way.

    Python has None for a stream that was closed before the start (`>&-`): nobody reads it. What a
    full disk does not take is an error all the same: see `lost_output`.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - it stays open
        elif isinstance(stream, io.TextIOWrapper):
            setattr(sys, name, _Heedless.over(stream))


def lost_output() -> OSError | None:
    """Why standard output is not whole, if it is not. Whoever reads it has left for good reason."""
    sys.stdout.flush()
    lost = sys.stdout.lost if isinstance(sys.stdout, _Heedless) else None
    return None if isinstance(lost, BrokenPipeError) else lost


class _Heedless(io.TextIOWrapper):
    """A stream that fails once and in silence: what is still written after that is for nobody.

    Its reader may go away, as `head` does, and its disk may be full. Rich and Typer would end the
    process with 1, which says that there are findings; and Python would fail again over what its
    buffer holds, at each flush until the last one. `lost` is the failure. (What a server logs is
    tried again each time: its disk may have room once more.)
    """

    lost: OSError | None = None

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
        except OSError as error:
            self._give_up(error)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self.lost = self.lost or error
        if self is sys.stderr and not isinstance(error, BrokenPipeError):
            return
        # https://docs.python.org/3/library/signal.html#note-on-sigpipe
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)
