"""The `bylaw` command: the registry of its subcommands, and every error as one line.

A subcommand's module is imported when it is named, so that `bylaw review` never loads what only the
server needs.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer

from bot import __version__
from bot.cli.registry import CommandGroup
from bot.cli.streams import lost_output, settle_streams
from bot.errors import BylawError, ExitCode, FileError, with_hint
from bot.publishing.plaintext import one_line

app = typer.Typer(
    name="bylaw",
    help="Review changes against the rules your organisation has written down.",
    no_args_is_help=True,
    add_completion=False,
    cls=CommandGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# Pydantic would read the metadata of every installed distribution in search of plugins: 15 ms.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

_DEBUG = "BYLAW_DEBUG"


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bylaw {__version__}")
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
    settle_streams()
    code = run()
    if (lost := lost_output()) is not None:
        code = ExitCode.INCOMPLETE
        _complain(lost, f"bylaw: standard output could not be written: {lost.strerror}.")
    # Every command has closed what it opened. The interpreter would go on for 30 ms to take its
    # modules apart, which is more than the review of a small change takes.
    os._exit(code)


def run() -> int:
    """Run the command line; the exit code is the contract of bot.errors.ExitCode.

    Typer's own endings count as well: 0 for --help, 2 for its usage errors, 130 for an interrupt.
    """
    # A terminal that cannot show a character gets its code instead of a traceback.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        # What a command returns is nothing; an int is the code that it, or Typer, ended with.
        ended = app(prog_name="bylaw", standalone_mode=False)
    except BylawError as error:
        return _explain(error)
    except typer.TyperException as error:
        return _refuse(error)
    except Exception as error:  # noqa: BLE001 - nobody above us could say it in one line
        return _confess(error)
    return ended if isinstance(ended, int) else ExitCode.PASSED


def _refuse(error: typer.TyperException) -> int:
    """What Typer refuses, on one line. Without any arguments it has printed the help already."""
    # A converter's own words come with pydantic's prefix.
    problem = error.format_message().replace("Value error, ", "")
    if problem:
        context: typer.Context | None = getattr(error, "ctx", None)
        command = context.command_path if context else "bylaw"
        hint = f"`{command} --help` shows what it takes."
        _complain(error, f"bylaw: {with_hint(problem, hint)}")
    return error.exit_code


def _explain(error: BylawError) -> int:
    """An expected error: what happened, where, and what to do."""
    if isinstance(error, FileError):
        # A line that starts with its place is one that editors and CI logs turn into a link.
        _complain(error, str(error), *map(str, error.further))
    else:
        _complain(error, f"bylaw: {error}")
    return error.exit_code


def _confess(error: Exception) -> int:
    """An unexpected error: a defect of ours, or of the machine."""
    what = f"bylaw: unexpected {type(error).__name__}: {error}"
    _complain(error, f"{what} (set {_DEBUG}=1 to see where)")
    return ExitCode.INCOMPLETE


def _complain(error: Exception, *lines: str) -> None:
    if os.environ.get(_DEBUG):
        import traceback  # noqa: PLC0415 - for this alone

        traceback.print_exception(error)
    for line in lines:
        print(one_line(line), file=sys.stderr)  # noqa: T201 - a command speaks by printing


if __name__ == "__main__":
    main()
