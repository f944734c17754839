"""What a check of a path proves depends on what the path is relative to; each beside its twin."""

from __future__ import annotations

import pytest

from tests.engine.test_foreign_answers import FLASK, SERVER
from tests.engine.test_hidden_flows import count_flows

_GO = (
    'package p\nimport ("net/http"; "os"; "path"; "path/filepath"; "slices"; "strings")\n'
    'const base = "/srv/x"\nfunc view(w http.ResponseWriter, r *http.Request) {\n'
    '\ta := r.FormValue("a")\n\t%s\n}\n'
)
_JAVA = (
    "import javax.servlet.http.*;\nimport java.nio.file.*;\nimport java.io.*;\n"
    'class F extends HttpServlet {\n  static final Path BASE = Paths.get("/srv/x");\n'
    "  protected void doGet(HttpServletRequest request, HttpServletResponse response)"
    ' throws Exception {\n    String a = request.getParameter("a");\n    %s\n  }\n}\n'
)
FRAMES = {"python": FLASK, "javascript": SERVER, "go": _GO, "java": _JAVA}

_READ = "\n    open(p)"
_SEND = " res.sendFile(p);"
_OPEN = "; os.Open(p)"
_SHOW = " Files.readString(p);"

PAIRS = {
    ("python", "a beginning that no real path has"): (
        "p = os.path.realpath(os.path.join('/x', a))\n    if p.startswith('..'):\n"
        "        return 'no'" + _READ,
        "p = os.path.relpath(os.path.join('/x', a), '/x')\n    if p.startswith('..'):\n"
        "        return 'no'\n    open(os.path.join('/x', p))",
    ),
    ("python", "dots that were worked out before"): (
        "p = os.path.normpath(os.path.join('/x', a))\n    if '..' in p:\n        return 'no'"
        + _READ,
        "p = os.path.join('/x', a)\n    if '..' in p:\n        return 'no'" + _READ,
    ),
    ("python", "the root, in which every real path lies"): (
        "p = os.path.realpath(a)\n    if not p.startswith('/'):\n        return 'no'" + _READ,
        "p = os.path.realpath(os.path.join('/x', a))\n    if not p.startswith('/x' + os.sep):\n"
        "        return 'no'" + _READ,
    ),
    ("python", "the steps of a path"): (
        "p = (pathlib.Path('/x') / a).resolve()\n    if '..' in p.parts:\n        return 'no'"
        + _READ,
        "p = pathlib.Path('/x') / a\n    if '..' in p.parts:\n        return 'no'" + _READ,
    ),
    ("python", "any of its steps"): (
        "if any(one == 'x' for one in a.split('/')):\n        return 'no'\n    open('/x/' + a)",
        "if any(one == '..' for one in a.split('/')):\n        return 'no'\n    open('/x/' + a)",
    ),
    ("python", "one step after the other"): (
        "for one in a.split('/'):\n        if one == '..':\n            break\n    open('/x/' + a)",
        "for one in a.split('/'):\n        if one == '..':\n            return 'no'\n"
        "    open('/x/' + a)",
    ),
    ("python", "a folder by the letters of a path"): (
        "pathlib.Path('/x', a).relative_to('/x')\n    open(os.path.join('/x', a))",
        "p = pathlib.Path('/x', a).resolve()\n    p.relative_to('/x')" + _READ,
    ),
    ("python", "what two paths share"): (
        "p = os.path.join('/x', a)\n    if os.path.commonpath([p, '/x']) != '/x':\n"
        "        return 'no'" + _READ,
        "p = os.path.realpath(os.path.join('/x', a))\n"
        "    if os.path.commonpath([p, '/x']) != '/x':\n        return 'no'" + _READ,
    ),
    ("javascript", "dots that were worked out before"): (
        "const p = path.join('/x', req.query.a);\n  if (p.includes('..')) return;" + _SEND,
        "const p = req.query.a;\n  if (p.includes('..')) return;\n"
        "  res.sendFile(path.join('/x', p));",
    ),
    ("javascript", "the root, in which every real path lies"): (
        "const p = path.resolve('/x', req.query.a);\n  if (!p.startsWith('/')) return;" + _SEND,
        "const p = path.resolve('/x', req.query.a);\n"
        "  if (!p.startsWith('/x' + path.sep)) return;" + _SEND,
    ),
    ("javascript", "a path that was given alone"): (
        "const p = path.resolve(req.query.a);\n  if (p.indexOf('..') >= 0) return;" + _SEND,
        "const p = path.normalize(req.query.a);\n"
        "  if (p.startsWith('..') || path.isAbsolute(p)) return;\n"
        "  res.sendFile(path.join('/x', p));",
    ),
    ("javascript", "the steps of a path"): (
        "const p = path.join('/x', req.query.a);\n"
        "  if (p.split(path.sep).includes('..')) return;" + _SEND,
        "const p = req.query.a;\n  if (p.split('/').includes('..')) return;\n"
        "  res.sendFile(path.join('/x', p));",
    ),
    ("go", "dots that were worked out before"): (
        'p := filepath.Join(base, a); if strings.Contains(p, "..") { return }' + _OPEN,
        'p := path.Clean(a); if strings.Contains(p, "../") { return }; os.Open(path.Join(base, p))',
    ),
    ("go", "the way from a folder"): (
        'p, _ := filepath.Abs(filepath.Join(base, a)); if strings.HasPrefix(p, "..") { return }'
        + _OPEN,
        "p := filepath.Join(base, a); rel, err := filepath.Rel(base, p); if err != nil || "
        'rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) { return }' + _OPEN,
    ),
    ("go", "the root, in which every real path lies"): (
        'p := filepath.Join(base, a); if !strings.HasPrefix(p, "/") { return }' + _OPEN,
        'p := filepath.Join(base, a); if !strings.HasPrefix(p, base+"/") { return }' + _OPEN,
    ),
    ("go", "the steps of a path"): (
        'if slices.Contains(strings.Split(path.Join(base, a), "/"), "..") { return }; '
        "os.Open(path.Join(base, a))",
        'if slices.Contains(strings.Split(a, "/"), "..") { return }; os.Open(path.Join(base, a))',
    ),
    ("java", "dots that were worked out before"): (
        'Path p = BASE.resolve(a).normalize(); if (p.toString().contains("..")) return;' + _SHOW,
        'if (a.contains("..")) return; Files.readString(BASE.resolve(a));',
    ),
    ("java", "the way from a folder"): (
        'Path p = BASE.resolve(a).toRealPath(); if (p.startsWith("..")) return;' + _SHOW,
        "Path p = BASE.resolve(a).normalize(); Path way = BASE.relativize(p); "
        'if (way.startsWith("..")) return;' + _SHOW,
    ),
    ("java", "a file and its name in full"): (
        'File f = new File("/srv/x", a).getCanonicalFile(); '
        'if (f.getPath().contains("..")) return; new FileInputStream(f);',
        'File f = new File("/srv/x", a); '
        'if (!f.getCanonicalPath().startsWith("/srv/x/")) return; new FileInputStream(f);',
    ),
}
"""By language: a check that says nothing of where a path leads, and one that does."""


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_a_check_counts_for_what_it_says_of_a_path(language: str, name: str) -> None:
    fault, fit = (FRAMES[language] % text for text in PAIRS[language, name])
    assert (count_flows(fault, language), count_flows(fit, language)) == (1, 0)
