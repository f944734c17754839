"""A probe run as one self-contained HTML page."""

from __future__ import annotations

from pathlib import Path

from bot.cli.probe_page.charts import HEIGHT, WIDTH, families, histogram, scatter
from bot.probes.observability import MIN_CASES
from bot.probes.report import Report
from bot.publishing.plaintext import to_visible_text
from bot.publishing.templates import templates_in


def render_report(report: Report) -> str:
    """The page. It asks for nothing outside itself, and runs no script."""
    templates = templates_in(Path(__file__).parent)
    templates.filters |= {
        "visible": to_visible_text,
        "words": lambda text: text.replace("_", " "),
        "percent": lambda share: f"{share:.0%}",
        "score": lambda value: f"{value:.2f}",
    }
    cases = {case.probe_id: case for case in report.cases}
    text = templates.get_template("page.html.j2").render(
        report=report,
        metrics=report.metrics,
        cases=cases,
        families=families(report),
        bins=histogram(report),
        dots=scatter(report),
        width=WIDTH,
        height=HEIGHT,
        least=MIN_CASES,
    )
    return f"{text}\n"
