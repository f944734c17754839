"""A folder whose text no separator ends begins others, too; each beside its twin."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows
from tests.engine.test_path_checks import FRAMES

_OPEN = ":\n        return 'no'\n    open(p)"
_REAL = "p = os.path.realpath(os.path.join('/srv/x', a))\n    "
_RESOLVED = (
    "const p = path.resolve('/srv/x', req.query.a); if (!p.startsWith(%s)) return; res.sendFile(p);"
)
_JOINED = "p := filepath.Join(base, a); if !strings.HasPrefix(p, %s) { return }; os.Open(p)"

PAIRS = {
    ("python", "a constant"): (
        _REAL + "if not p.startswith('/srv/x')" + _OPEN,
        _REAL + "if not p.startswith('/srv/x/')" + _OPEN,
    ),
    ("python", "what was worked out"): (
        _REAL + "if not p.startswith(os.path.abspath('/srv/x'))" + _OPEN,
        _REAL + "if not p.startswith(os.path.abspath('/srv/x') + os.sep)" + _OPEN,
    ),
    ("python", "what two paths have in common, by letters and by steps"): (
        _REAL + "if os.path.commonprefix([p, '/srv/x']) != '/srv/x'" + _OPEN,
        _REAL + "if os.path.commonpath([p, '/srv/x']) != '/srv/x'" + _OPEN,
    ),
    ("python", "a folder that a file of settings names, with its end or without"): (
        _REAL + "if not p.startswith(os.path.realpath(config.ROOT))" + _OPEN,
        _REAL + "if not p.startswith(config.ROOT)" + _OPEN,
    ),
    ("javascript", "what was worked out"): (
        _RESOLVED % "path.resolve('/srv/x')",
        _RESOLVED % "path.resolve('/srv/x') + path.sep",
    ),
    ("javascript", "a constant"): (_RESOLVED % "'/srv/x'", _RESOLVED % "'/srv/x/'"),
    ("go", "a constant"): (_JOINED % "base", _JOINED % 'base + "/"'),
    ("go", "an end that is put there if it is none"): (
        "d := filepath.Clean(base); " + _JOINED % "d",
        'd := filepath.Clean(base); if !strings.HasSuffix(d, "/") { d += "/" }; ' + _JOINED % "d",
    ),
    ("go", "what was cleaned"): (
        _JOINED % "filepath.Clean(base)",
        _JOINED % "filepath.Clean(base)+string(filepath.Separator)",
    ),
    ("java", "a path as a text, and as a path"): (
        "Path p = BASE.resolve(a).normalize(); if (!p.toString().startsWith(BASE.toString()))"
        " return; Files.readString(p);",
        "Path p = BASE.resolve(a).normalize(); if (!p.startsWith(BASE)) return;"
        " Files.readString(p);",
    ),
    ("java", "a file's real path"): (
        'File p = new File("/srv/x", a); if (!p.getCanonicalPath().startsWith("/srv/x")) return;'
        " new FileInputStream(p);",
        'File p = new File("/srv/x", a); if (!p.getCanonicalPath().startsWith("/srv/x/")) return;'
        " new FileInputStream(p);",
    ),
}


@pytest.mark.parametrize(("language", "idea"), list(PAIRS))
def test_a_folder_has_an_end(language: str, idea: str) -> None:
    fault, safe = (FRAMES[language] % one for one in PAIRS[language, idea])
    assert count_flows(safe, language) == 0
    assert count_flows(fault, language) == 1
