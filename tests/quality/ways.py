"""Ways through a program: which of them a value goes to a shell, and a text of its own does not.

`fixtures/quality/ways/LANGUAGE.txt` holds a program behind each line `== name`, with SRC where the
value stands: what a request brought, or a constant. Behind "== - " stands what comes out wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from jurat.rules.rule import RuleSet
from tests.quality.pairs import WEAKNESSES, list_blocking

FOLDER = Path(__file__).parents[2] / "fixtures" / "quality" / "ways"

_PYTHON = """\
import os, functools, contextlib, dataclasses, asyncio, queue, threading, typing, abc, contextvars
import collections, json, concurrent.futures
from flask import Flask, request, g
app = Flask(__name__)
"""
_JAVASCRIPT = """\
const express = require('express');
const { exec } = require('child_process');
const EventEmitter = require('events');
const app = express();
"""
_GO = """\
package p

import (
	"net/http"
	"os/exec"
	"strings"
	"fmt"
	"context"
	"sync"
	"sort"
	"golang.org/x/sync/errgroup"
)

"""
_JAVA = """\
package p;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
import java.util.concurrent.*;
import org.springframework.web.bind.annotation.*;
import org.springframework.stereotype.*;
"""


class _Frame(NamedTuple):
    """What stands above each program of a language, its file, and what it reads of a request."""

    head: str
    path: str
    source: str
    constant: str


_FRAMES = {
    "python": _Frame(_PYTHON, "shop/a.py", "request.args['x']", "'a'"),
    "javascript": _Frame(_JAVASCRIPT, "shop/a.js", "req.query.x", "'a'"),
    "go": _Frame(_GO, "shop/a.go", 'r.FormValue("x")', '"a"'),
    "java": _Frame(_JAVA, "shop/A.java", "x", '"a"'),
}


class Way(NamedTuple):
    """A way, with what was last seen of it: whether the value is found, and nothing else."""

    language: str
    name: str
    fault: str
    fit: str
    comes_out: bool


def read_ways() -> Iterator[Way]:
    """All ways, in the order of the files."""
    for language, frame in _FRAMES.items():
        text = (FOLDER / f"{language}.txt").read_text("utf-8")
        for part in re.split(r"(?m)^== ", text)[1:]:
            said, _, body = part.partition("\n")
            fault, fit = (
                frame.head + body.replace("SRC", value) for value in (frame.source, frame.constant)
            )
            yield Way(language, said.removeprefix("- "), fault, fit, not said.startswith("- "))


def comes_out(way: Way, rule_set: RuleSet) -> bool:
    """Whether what a request brought blocks, and a constant in its place does not."""
    path = _FRAMES[way.language].path
    fault, fit = (
        any(list_blocking(path, way.language, code, rule_set, WEAKNESSES["command"]))
        for code in (way.fault, way.fit)
    )
    return fault and not fit
