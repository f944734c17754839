"""What is known of names beyond a file: who goes by two of them, and what calls return."""

from __future__ import annotations

PYTHON_SYNONYMS = {
    "builtins.compile": "compile",
    "builtins.eval": "eval",
    "builtins.exec": "exec",
    "builtins.open": "open",
    "builtins.print": "print",
    "builtins.getattr": "getattr",
    "builtins.__import__": "__import__",
    "io.open": "open",
    "requests.api": "requests",
    "requests.sessions.Session": "requests.Session",
    "requests.sessions.session": "requests.session",
    "flask.globals.request": "flask.request",
    "flask.app.Flask": "flask.Flask",
    "yaml.loader": "yaml",
    "_thread.start_new_thread": "thread.start_new_thread",
}
"""Python: the name under which a thing is known, by another."""

PYTHON_RESULTS = {
    "hashlib.new": "hashlib.Hash",
    "hmac.new": "hmac.HMAC",
    "jwt.PyJWT": "jwt",
    "jinja2.Environment.from_string": "jinja2.Template",
    "jinja2.Environment.get_template": "jinja2.Template",
    "logging.getLogger": "logging.Logger",
    "lxml.etree.XMLParser": "lxml.etree.XMLParser",
    "random.SystemRandom": "random.SystemRandom",
    "requests.session": "requests.Session",
    "sqlite3.connect": "sqlite3.Connection",
    "sqlite3.Connection.cursor": "sqlite3.Cursor",
    "psycopg2.connect": "psycopg2.Connection",
    "psycopg2.Connection.cursor": "psycopg2.Cursor",
    "psycopg.connect": "psycopg.Connection",
    "psycopg.Connection.connect": "psycopg.Connection",
    "psycopg.Connection.cursor": "psycopg.Cursor",
    "pymysql.connect": "pymysql.Connection",
    "pymysql.Connection.cursor": "pymysql.Cursor",
    "MySQLdb.connect": "MySQLdb.Connection",
    "MySQLdb.Connection.cursor": "MySQLdb.Cursor",
    "mysql.connector.connect": "mysql.connector.Connection",
    "mysql.connector.Connection.cursor": "mysql.connector.Cursor",
    "django.db.connection.cursor": "django.db.Cursor",
    "sqlalchemy.create_engine": "sqlalchemy.Engine",
    "sqlalchemy.Engine.connect": "sqlalchemy.Connection",
    "sqlalchemy.Engine.begin": "sqlalchemy.Connection",
    "ssl.create_default_context": "ssl.SSLContext",
    "ssl._create_unverified_context": "ssl.SSLContext",
    "tarfile.open": "tarfile.TarFile",
    "xml.sax.make_parser": "xml.sax.Parser",
    "flask.make_response": "flask.Response",
}
"""Python: the class of what a function returns."""

JAVASCRIPT_SYNONYMS = {
    "child_process.default": "child_process",
    "fs/promises": "fs.promises",
    "fs-extra": "fs",
    "graceful-fs": "fs",
    "crypto.webcrypto": "crypto",
    "timers/promises": "timers.promises",
    "path/posix": "path",
    "path.posix": "path",
    "path.win32": "path",
    "util/types": "util.types",
}
"""JavaScript: the name under which a thing is known, by another."""

JAVASCRIPT_RESULTS = {
    "crypto.createCipheriv": "crypto.Cipher",
    "crypto.createHash": "crypto.Hash",
    "crypto.createHmac": "crypto.Hmac",
    "express": "express.Application",
    "express.Router": "express.Router",
    "express.application.route": "express.Route",
    "mysql.createConnection": "mysql.Connection",
    "mysql.createPool": "mysql.Pool",
    "mysql2.createConnection": "mysql2.Connection",
    "mysql2.createPool": "mysql2.Pool",
    "mysql2/promise.createConnection": "mysql2.Connection",
    "mysql2/promise.createPool": "mysql2.Pool",
    "axios.create": "axios",
    "better-sqlite3": "better-sqlite3.Database",
    "knex": "knex.Knex",
    "fastify": "fastify.FastifyInstance",
}
"""JavaScript: the class of what a function returns."""

GO_RESULTS = {
    "database/sql.Open": "database/sql.DB",
    "database/sql.OpenDB": "database/sql.DB",
    "database/sql.DB.Begin": "database/sql.Tx",
    "database/sql.DB.BeginTx": "database/sql.Tx",
    "database/sql.DB.Conn": "database/sql.Conn",
    "database/sql.DB.Prepare": "database/sql.Stmt",
    "github.com/jmoiron/sqlx.Open": "github.com/jmoiron/sqlx.DB",
    "github.com/jmoiron/sqlx.Connect": "github.com/jmoiron/sqlx.DB",
    "github.com/jmoiron/sqlx.MustConnect": "github.com/jmoiron/sqlx.DB",
    "github.com/jackc/pgx.Connect": "github.com/jackc/pgx.Conn",
    "github.com/jackc/pgx/v5/pgxpool.New": "github.com/jackc/pgx/v5/pgxpool.Pool",
    "gorm.io/gorm.Open": "gorm.io/gorm.DB",
    "os/exec.Command": "os/exec.Cmd",
    "os/exec.CommandContext": "os/exec.Cmd",
    "html/template.New": "html/template.Template",
    "text/template.New": "text/template.Template",
    "html/template.Must": "html/template.Template",
    "text/template.Must": "text/template.Template",
    "net/http.NewServeMux": "net/http.ServeMux",
    "net/http.NewRequest": "net/http.Request",
    "net/http.NewRequestWithContext": "net/http.Request",
    "math/rand.New": "math/rand.Rand",
    "github.com/gin-gonic/gin.Default": "github.com/gin-gonic/gin.Engine",
    "github.com/gin-gonic/gin.New": "github.com/gin-gonic/gin.Engine",
}
"""Go: the type of the first result of a function."""

GO_PACKAGES = {
    "aes": "crypto/aes", "base64": "encoding/base64", "big": "math/big", "cipher": "crypto/cipher",
    "des": "crypto/des", "ecdsa": "crypto/ecdsa", "exec": "os/exec", "filepath": "path/filepath",
    "gob": "encoding/gob", "hex": "encoding/hex", "hmac": "crypto/hmac", "http": "net/http",
    "httputil": "net/http/httputil", "ioutil": "io/ioutil", "json": "encoding/json",
    "md5": "crypto/md5", "rc4": "crypto/rc4", "rsa": "crypto/rsa", "sha1": "crypto/sha1",
    "sha256": "crypto/sha256", "sha512": "crypto/sha512", "sql": "database/sql",
    "subtle": "crypto/subtle", "tar": "archive/tar", "tls": "crypto/tls", "url": "net/url",
    "x509": "crypto/x509", "xml": "encoding/xml", "zip": "archive/zip",
}  # fmt: skip
"""Go: the standard packages that their last word alone is enough for."""

JAVA_RESULTS = {
    "java.lang.Runtime.getRuntime": "java.lang.Runtime",
    "java.util.concurrent.ThreadLocalRandom.current": "java.util.concurrent.ThreadLocalRandom",
    "java.sql.DriverManager.getConnection": "java.sql.Connection",
    "javax.sql.DataSource.getConnection": "java.sql.Connection",
    "java.sql.Connection.createStatement": "java.sql.Statement",
    "java.sql.Connection.prepareStatement": "java.sql.PreparedStatement",
    "java.sql.Connection.prepareCall": "java.sql.CallableStatement",
    "javax.xml.parsers.DocumentBuilderFactory.newDocumentBuilder": (
        "javax.xml.parsers.DocumentBuilder"
    ),
    "javax.xml.parsers.SAXParserFactory.newSAXParser": "javax.xml.parsers.SAXParser",
    "javax.xml.xpath.XPathFactory.newXPath": "javax.xml.xpath.XPath",
    "javax.servlet.http.HttpServletRequest.getSession": "javax.servlet.http.HttpSession",
    "javax.servlet.http.HttpServletResponse.getWriter": "java.io.PrintWriter",
    "jakarta.servlet.http.HttpServletRequest.getSession": "jakarta.servlet.http.HttpSession",
    "jakarta.servlet.http.HttpServletResponse.getWriter": "java.io.PrintWriter",
}
"""Java: the class of what a method returns."""

_SERVLET = ("Cookie", "HttpServlet", "HttpServletRequest", "HttpServletResponse", "HttpSession")
JAVA_CLASSES: dict[str, frozenset[str]] = {
    package: frozenset(names)
    for package, names in {
        "com.auth0.jwt": ("JWT", "JWTVerifier"),
        "com.auth0.jwt.algorithms": ("Algorithm",),
        "com.nimbusds.jwt": ("JWTParser", "PlainJWT", "SignedJWT"),
        "com.thoughtworks.xstream": ("XStream",),
        "io.jsonwebtoken": ("Jwts",),
        "io.netty.handler.ssl.util": ("InsecureTrustManagerFactory",),
        "java.beans": ("XMLDecoder",),
        "java.io": (
            "BufferedReader", "File", "FileInputStream", "FileOutputStream", "FileReader",
            "FileWriter", "IOException", "InputStream", "InputStreamReader", "ObjectInputStream",
            "ObjectOutputStream", "OutputStream", "PrintWriter", "RandomAccessFile",
        ),
        "java.lang": (
            "Boolean", "Class", "Double", "Exception", "Integer", "Long", "Math", "Object",
            "Process", "ProcessBuilder", "Runtime", "String", "StringBuffer", "StringBuilder",
            "System", "Thread", "Throwable",
        ),
        "java.net": (
            "HttpURLConnection", "ServerSocket", "Socket", "URI", "URL", "URLConnection",
            "URLDecoder", "URLEncoder",
        ),
        "java.net.http": ("HttpClient", "HttpRequest", "HttpResponse"),
        "java.nio.file": ("Files", "Path", "Paths"),
        "java.security": (
            "KeyPairGenerator", "KeyStore", "MessageDigest", "SecureRandom", "Signature",
        ),
        "java.security.cert": ("CertificateException", "X509Certificate"),
        "java.sql": (
            "CallableStatement", "Connection", "DriverManager", "PreparedStatement", "ResultSet",
            "SQLException", "Statement",
        ),
        "java.util": (
            "ArrayList", "Arrays", "Base64", "Collections", "Date", "HashMap", "HashSet", "List",
            "Map", "Objects", "Optional", "Properties", "Random", "Scanner", "Set", "UUID",
        ),
        "java.util.concurrent": ("ThreadLocalRandom",),
        "java.util.zip": ("ZipEntry", "ZipFile", "ZipInputStream"),
        "javax.crypto": ("Cipher", "KeyGenerator", "Mac", "SecretKeyFactory"),
        "javax.crypto.spec": ("IvParameterSpec", "PBEKeySpec", "SecretKeySpec"),
        "javax.net.ssl": (
            "HostnameVerifier", "HttpsURLConnection", "SSLContext", "TrustManager",
            "X509TrustManager",
        ),
        "javax.script": ("ScriptEngine", "ScriptEngineManager"),
        "javax.servlet.http": _SERVLET,
        "jakarta.servlet.http": _SERVLET,
        "javax.sql": ("DataSource",),
        "javax.xml.parsers": (
            "DocumentBuilder", "DocumentBuilderFactory", "SAXParser", "SAXParserFactory",
        ),
        "javax.xml.stream": ("XMLInputFactory",),
        "javax.xml.transform": ("TransformerFactory",),
        "javax.xml.xpath": ("XPath", "XPathFactory"),
        "org.apache.commons.codec.digest": ("DigestUtils",),
        "org.apache.commons.lang3": ("RandomStringUtils", "SerializationUtils"),
        "org.apache.hc.client5.http.ssl": ("NoopHostnameVerifier", "TrustAllStrategy"),
        "org.apache.http.conn.ssl": (
            "NoopHostnameVerifier", "SSLConnectionSocketFactory", "TrustAllStrategy",
        ),
        "org.dom4j.io": ("SAXReader",),
        "org.jdom2.input": ("SAXBuilder",),
        "org.springframework.expression": ("ExpressionParser",),
        "org.springframework.expression.spel.standard": ("SpelExpressionParser",),
        "org.springframework.jdbc.core": ("JdbcTemplate",),
        "org.springframework.security.crypto.password": (
            "LdapShaPasswordEncoder", "Md4PasswordEncoder", "MessageDigestPasswordEncoder",
            "NoOpPasswordEncoder", "StandardPasswordEncoder",
        ),
        "org.springframework.web.bind.annotation": (
            "GetMapping", "PathVariable", "PostMapping", "RequestBody", "RequestMapping",
            "RequestParam", "RestController",
        ),
        "org.springframework.web.client": ("RestTemplate",),
        "org.yaml.snakeyaml": ("Yaml",),
    }.items()
}  # fmt: skip
"""Java: classes that a wildcard import, or none, may stand for."""
