"""The endpoints that the stand-in answers, one module for each chapter, and GraphQL."""

from __future__ import annotations

from tests.standins.github.routes import (
    apps,
    branches,
    checks,
    comments,
    contents,
    database,
    graphql,
    history,
    pulls,
    repositories,
    reviews,
)
from tests.standins.github.routes.calls import RouteTable


def all_routes() -> RouteTable:
    """Every endpoint."""
    table = RouteTable()
    for chapter in (
        apps,
        repositories,
        branches,
        contents,
        checks,  # before history, whose commits/{ref} would take commits/{ref}/check-runs
        history,
        database,
        pulls,
        reviews,
        comments,
        graphql,
    ):
        table.routes += chapter.routes.routes
    return table
