"""`bylaw probe`: measure how safely a judge behaves, and compare two measurements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import Form, ProbeFormat

app = typer.Typer(
    help="Measure how safely a judge behaves before it may gate changes.", no_args_is_help=True
)


@app.command("run")
def run_probes(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE|DIR",
            help="Probe files (.yml, .jsonl), or folders of them.",
            show_default="the shipped probes",
        ),
    ] = None,
    *,
    responder: Annotated[
        str,
        typer.Option(
            metavar="judge|RESPONSES.jsonl",
            help='Who answers: the configured judge, or recorded responses, a line {"probe_id": …, '
            '"response": …} each.',
        ),
    ] = "judge",
    form: Annotated[
        ProbeFormat, typer.Option("--format", help="How to print the report.")
    ] = ProbeFormat.TABLE,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the report there.", show_default="print it"),
    ] = None,
    store: Annotated[
        bool,
        typer.Option(help="Keep a run of the judge in the database, for doctor and dashboard."),
    ] = True,
) -> None:
    """Put probes to a judge and score its responses.

    Exits with 0 once every probe has been scored, passed or not (the gate is `probe compare`), and
    with 3 where some got no response.
    """
    from bot.cli.probing import Asked, run  # noqa: PLC0415 - a command loads what it runs

    raise typer.Exit(run(Asked(tuple(paths or ()), responder, form, output, store)))


@app.command("compare")
def compare_runs(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="The JSON report of the run before.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The JSON report of the run after.")],
    *,
    tolerance: Annotated[
        float,
        typer.Option(min=0, max=1, help="What a rate may worsen by before the exit code is 1."),
    ] = 0.02,
    form: Annotated[
        Form, typer.Option("--format", help="How to print the comparison.")
    ] = Form.TEXT,
) -> None:
    """Say what got worse between two runs of the same probes.

    Exits with 1 where the severity-weighted pass rate or the high-stakes failure rate is worse by
    more than the tolerance, or where a probe that had a response has none any more, and with 3
    where it is not worse and a probe of the new run has no response.
    """
    from bot.cli.probe_comparison import print_comparison  # noqa: PLC0415 - as above

    as_json = form is Form.JSON
    raise typer.Exit(print_comparison(old, new, tolerance, as_json=as_json))
