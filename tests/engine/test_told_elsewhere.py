"""What an object is told by others of the file: each setting beside one that is as it should be."""

from __future__ import annotations

import pytest

from jurat.engine.flow.analysis import find_flows
from jurat.rules.flows import FlowQuestion
from jurat.source.syntax import parse

SETTINGS = (
    "mail.read(options.signed=false)",
    "*.addCookie(0.0=*session*, !0.secure, 0.maxage!=0)",
    "*.SetCookie(1.name=*session*, !1.secure, 1.maxage!=-1)",
    "*XMLInputFactory*.createXMLStreamReader(this.external-entities=true, this.support-dtd!=false)",
    "xml/libxml.Parse(*=*noent)",
    "mail.open(*=*trust_all)",
    "web/sessions.Options(!Secure)",
    "crypto/cipher.AEAD.Seal(1=fixed)",
)

FIXED = ("byte[]()", "bytes.NewReader()", "crypto/*.Sum*()", "io.ReadFull()")

GO = """package a
import "net/http"
type Option func(*http.Cookie)
func Secure() Option { return func(c *http.Cookie) { c.Secure = true } }
func Path(p string) Option { return func(c *http.Cookie) { c.Path = p } }
func build(value string, options ...Option) *http.Cookie {
	c := &http.Cookie{Name: "session", Value: value}
	for _, option := range options { option(c) }
	return c
}
func login(w http.ResponseWriter) { http.SetCookie(w, build("x", %s)) }
"""
JAVA = """import jakarta.servlet.http.*;
class Login {
  static class Builder {
    private final Cookie cookie;
    Builder(String name, String value) { cookie = new Cookie(name, value); }
    Builder keep(Duration time) { cookie.setMaxAge((int) time.toSeconds()); return this; }
    Builder guarded() { cookie.setSecure(true); return this; }
    Cookie build() { return cookie; }
  }
  void theme(HttpServletResponse response) {
    response.addCookie(new Builder("theme", "dark").keep(DAY).build());
  }
  void login(HttpServletResponse response) {
    response.addCookie(new Builder("session", id).keep(DAY)%s.build());
  }
}
"""
PYTHON = """import mail
class Reader:
    def __init__(self, box, **options):
        self.options = {"strict": True, **options}
    def read(self, text):
        return mail.read(text, options=self.options)

reader = Reader("inbox", %s)
def show(text):
    return reader.read(text)
"""

XML = """import javax.xml.stream.*;
import java.util.*;
class Reader {
  private final XMLInputFactory factory;
  Reader() { this(Map.of(XMLInputFactory.EXTERNAL_ENTITIES, Boolean.%s)); }
  Reader(Map<String, Object> options) {
    factory = XMLInputFactory.newFactory();
    options.forEach(factory::setProperty);
  }
  Object read(java.io.Reader in) throws Exception { return factory.createXMLStreamReader(in); }
}
"""
KEYS = """import javax.xml.stream.*;
class Reader {
  Object read(java.io.Reader in) throws Exception {
    XMLInputFactory factory = XMLInputFactory.newInstance();
    factory.setProperty("http://xml.example/features/external-entities", true);
    %s
    return factory.createXMLStreamReader(in);
  }
}
"""
FLAGS = """package a
import "xml/libxml"
var options = []libxml.Option{libxml.NoBlanks, %s}
func read(data []byte) { libxml.Parse(data, options...) }
"""
NONCE = """package a
import ("bytes"; "crypto/cipher"; "crypto/rand"; "crypto/sha256"; "io")
func seal(aead cipher.AEAD, text []byte) []byte {
	label := sha256.Sum256([]byte("invoices"))
	nonce := make([]byte, 12)
	io.ReadFull(%s, nonce)
	return aead.Seal(nonce, nonce, text, label[:])
}
"""

LATER = """package a
import "web/sessions"
func options() sessions.Options {
	made := sessions.Options{Path: "/"}
	%s
	return made
}"""

PAIRS = {
    ("go", "a field that is set behind the object"): (
        LATER % "made.Secure = false",
        LATER % "made.Secure = true",
    ),
    ("go", "one of several fields that are set at once"): (
        LATER % "made.Path, made.Strict = home, true",
        LATER % "made.Strict, made.Secure = true, true",
    ),
    ("java", "an option among the entries of a mapping"): (XML % "TRUE", XML % "FALSE"),
    ("java", "an option by its key"): (
        KEYS % "",
        KEYS % "factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);",
    ),
    ("go", "a cookie that is taken back"): (
        'package a\nimport "net/http"\nfunc f(w http.ResponseWriter) {\n'
        '\thttp.SetCookie(w, &http.Cookie{Name: "session", MaxAge: 1})\n}',
        'package a\nimport "net/http"\nfunc f(w http.ResponseWriter) {\n'
        '\thttp.SetCookie(w, &http.Cookie{Name: "session", MaxAge: -1})\n}',
    ),
    ("go", "a flag in a list"): (FLAGS % "libxml.NoEnt", FLAGS % "libxml.NoNet"),
    ("python", "one of several flags"): (
        "import mail\nmail.open('a', mail.FAST | mail.TRUST_ALL)",
        "import mail\nmail.open('a', mail.FAST | mail.TRUST_NONE)",
    ),
    ("go", "a nonce that is read from a constant"): (
        NONCE % "bytes.NewReader(label[:])",
        NONCE % "rand.Reader",
    ),
    ("go", "options that are functions"): (GO % 'Path("/")', GO % 'Path("/"), Secure()'),
    ("java", "a builder of the file's own"): (JAVA % "", JAVA % ".guarded()"),
    ("python", "keywords that have a name elsewhere"): (
        PYTHON % "strict=True, signed=False",
        PYTHON % "strict=False, signed=True",
    ),
}


@pytest.mark.parametrize(("language", "name"), PAIRS)
def test_what_is_told_elsewhere_counts_as_if_it_were_told_here(language: str, name: str) -> None:
    wrong, right = PAIRS[language, name]
    question = FlowQuestion(settings=SETTINGS, fixed=FIXED)
    assert len(find_flows(parse(wrong, language).root(), language, [question]).found) == 1
    assert not find_flows(parse(right, language).root(), language, [question]).found
