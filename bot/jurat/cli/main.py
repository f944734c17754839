"""The `jurat` command: the registry of its subcommands, and every error as one line.

A subcommand's module is imported when it is used, so that `jurat review` never loads what only the
server needs.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from jurat import __version__
from jurat.cli.registry import CommandGroup
from jurat.errors import ExitCode, FileError, JuratError, with_hint
from jurat.source.visible_text import to_terminal_line

app = typer.Typer(
    name="jurat",
    help="Review changes against the rules your organisation has written down.",
    epilog="Begin with `jurat demo`, or with `jurat review` in a checkout of yours.",
    no_args_is_help=True,
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# Pydantic would read the metadata of every installed distribution in search of plugins: 15 ms.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

_DEBUG = "JURAT_DEBUG"


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"jurat {__version__}")
        raise typer.Exit


@app.callback()
def options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="On an unexpected error, print the traceback too.")
    ] = False,
) -> None:
    """Review changes against the rules your organisation has written down."""
    if debug:
        os.environ[_DEBUG] = "1"


def main() -> NoReturn:
    """Run the command line and end the process; see `run` for the exit code."""
    prepare_streams()
    code = run()
    # Flushed and asked before the end: a report that a full disk cut off must not exit with 0.
    if (lost := find_output_error()) is not None:
        code = ExitCode.INCOMPLETE
        _print_error_lines(lost, f"jurat: standard output could not be written: {lost.strerror}.")
    # Every command has closed what it opened. The interpreter would go on for 30 ms to take its
    # modules apart, which is more than the review of a small change takes.
    os._exit(code)


def run() -> int:
    """Run the command line; the exit code is the contract of jurat.errors.ExitCode.

    Typer's own endings count as well: 0 for --help, 2 for its usage errors, 130 for an interrupt.
    """
    # A terminal that cannot show a character gets its code instead of a traceback.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        # What a command returns is nothing; an int is the code that it, or Typer, ended with.
        ended = app(prog_name="jurat", standalone_mode=False)
    except JuratError as error:
        return _print_expected_error(error)
    except typer.TyperException as error:
        return _print_usage_error(error)
    except Exception as error:  # noqa: BLE001 - nobody above us could say it in one line
        return _print_unexpected_error(error)
    return ended if isinstance(ended, int) else ExitCode.PASSED


def _print_usage_error(error: typer.TyperException) -> int:
    """What Typer refuses, on one line. Without any arguments it has printed the help already."""
    # A converter's own words come with pydantic's prefix.
    problem = error.format_message().replace("Value error, ", "")
    if problem:
        context: typer.Context | None = getattr(error, "ctx", None)
        command = context.command_path if context else "jurat"
        hint = f"`{command} --help` shows what it takes."
        _print_error_lines(error, f"jurat: {with_hint(problem, hint)}")
    return error.exit_code


def _print_expected_error(error: JuratError) -> int:
    """An expected error: what happened, where, and what to do."""
    if isinstance(error, FileError):
        # A line that starts with its place is one that editors and CI logs turn into a link.
        _print_error_lines(error, str(error), *map(str, error.others))
    else:
        _print_error_lines(error, f"jurat: {error}")
    return error.exit_code


def _print_unexpected_error(error: Exception) -> int:
    """An unexpected error: a defect of ours, or of the machine."""
    what = f"jurat: unexpected {type(error).__name__}: {error}"
    _print_error_lines(error, f"{what} (set {_DEBUG}=1 to see where)")
    return ExitCode.INCOMPLETE


def _print_error_lines(error: Exception, *lines: str) -> None:
    if os.environ.get(_DEBUG):
        import traceback  # noqa: PLC0415 - for this alone

        traceback.print_exception(error)
    for line in lines:
        print(to_terminal_line(line), file=sys.stderr)  # noqa: T201 - a command speaks by printing


# The standard streams of a command, whoever reads them and however early they leave.


# Before anything can print: a closed stdout is None, and writing to it is an AttributeError.
def prepare_streams() -> None:
    """Let nothing that becomes of standard output and error stop the command on its way.

    Python has None for a stream that was closed before the start (`>&-`): nobody reads it. What a
    full disk does not take is an error all the same: see `find_output_error`.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - it stays open
        elif isinstance(stream, io.TextIOWrapper):
            setattr(sys, name, _ForgivingStream.over(stream))


def find_output_error() -> OSError | None:
    """Why standard output is not whole, if it is not. Whoever reads it has left for good reason."""
    sys.stdout.flush()
    lost = sys.stdout.lost if isinstance(sys.stdout, _ForgivingStream) else None
    return None if isinstance(lost, BrokenPipeError) else lost


class _ForgivingStream(io.TextIOWrapper):
    """A stream that fails once and in silence: what is still written after that is for nobody.

    Its reader may go away, as `head` does, and its disk may be full. Rich and Typer would end the
    process with 1, which says that there are findings; and Python would fail again over what its
    buffer holds, at each flush until the last one. `lost` is the failure. (What a server logs is
    tried again each time: its disk may have room once more.)
    """

    lost: OSError | None = None

    @classmethod
    def over(cls, stream: io.TextIOWrapper) -> _ForgivingStream:
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
