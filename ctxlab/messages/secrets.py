"""Keys, tokens and passwords in a history, found by how they look, and masked.

What is found is what has a mark of its own: the prefix of a provider, the frame of a private key, the three
parts of a JSON web token, an Authorization or Cookie header, a password in an address or on a command line,
or a name such as api_key beside a value. Ids, hashes and UUIDs have none, so call_..., toolu_... and 40
hexadecimal digits are left alone. A secret without a mark is not found: a clean result is no proof. The
prefixes are those that the providers document, as GitHub does at
https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns
"""

import base64
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ctxlab.errors import Refusal

Path = tuple[str | int, ...]

# Nothing that can be a part of a key may stand before it, other than the end of an escaped line break or of
# a colour of the terminal. So each pattern tries a run of characters once, which keeps the search linear.
START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=\[[0-9]m)|(?<=\[[0-9]{2}m))"
END = r"(?![A-Za-z0-9_-])"


class Pattern(NamedTuple):
    """What one kind of secret looks like. The group `secret`, or else the whole match, is masked.

    A text in which none of `hints` stands, in small letters, is not searched: most texts need no search.
    Where there are `prefixes`, the expression is tried only where one of them stands, which is far quicker.
    """

    kind: str
    hints: tuple[str, ...]
    expression: re.Pattern[str]
    is_secret: Callable[[str], bool] | None = None
    prefixes: tuple[str, ...] = ()

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """Yield what looks like such a secret."""
        if not self.prefixes:
            yield from self.expression.finditer(text)
        for prefix in self.prefixes:
            at = text.find(prefix)
            while at >= 0:
                match = self.expression.match(text, at)
                if match:
                    yield match
                at = text.find(prefix, match.end() if match else at + 1)


def _prefixed(kind: str, prefixes: str, rest: str, is_secret: Callable[[str], bool] | None = None) -> Pattern:
    """Return the pattern of a key that begins with one of the prefixes, which are parted by spaces."""
    starts = prefixes.split()
    expression = re.compile(f"{START}(?:{'|'.join(map(re.escape, starts))}){rest}{END}")

    def is_key(text: str) -> bool:
        return FILLER.search(text) is None and (is_secret is None or is_secret(text))

    return Pattern(kind, tuple(start.lower() for start in starts), expression, is_key, tuple(starts))


def _has_random_run(text: str) -> bool:
    """Tell a key from words with hyphens between them."""
    runs = re.findall(r"[A-Za-z0-9]{16,}", text)
    return any(re.search("[0-9]", run) and re.search("[A-Za-z]", run) for run in runs)


def _has_digit(text: str) -> bool:
    return re.search("[0-9]", text) is not None


def _is_no_example(text: str) -> bool:
    return PLACEHOLDER.search(text) is None


def _is_in_code(text: str) -> bool:
    """Tell a name or a path, such as config.password, from a password."""
    return re.fullmatch(r"[A-Za-z_]\w*(?:\.\w+)+|[.~]?/.*", text) is not None


def _is_password(text: str) -> bool:
    """Tell a password with a digit in it from a word of prose and a name of code, such as password1."""
    if _is_in_code(text) or not _is_no_example(text) or re.search("[A-Za-z]", text) is None:
        return False
    return re.search(r"[0-9].*[A-Za-z!@#%^*?~+=]|[!@#%^*?~+=].*[0-9]", text) is not None


def _is_quoted_password(text: str) -> bool:
    letter_and_digit = re.search("[A-Za-z]", text) is not None and _has_digit(text)
    return letter_and_digit and _is_no_example(text) and not _is_in_code(text)


def _is_user_and_password(text: str) -> bool:
    """Tell whether this is the Base64 form of user:password."""
    try:
        return ":" in base64.b64decode(text, validate=True).decode("utf-8")[1:]
    except ValueError:
        return False


# What documentation writes in place of the characters of a key.
FILLER = re.compile(r"[xX]{8}|\*{4}|\.{3}")

PLACEHOLDER = re.compile(
    r"^(?:[<\[{%*]|\$[({A-Z])|\*\*\*|\.\.\.|xxxx|example|placeholder|redacted|changeme|your[-_]|os\.environ|getenv|process\.env"
    r"|^(?:pass(?:word|wd)?[0-9]{0,4}|pwd|secret|token|null|none|true|false|undefined|string)$",
    re.IGNORECASE,
)

NAMES = (
    r"api[_-]?key|(?:access|api|auth|bot|identity|refresh|security|session)[_-]?token|client[_-]?secret"
    r"|secret[_-]?(?:access[_-]?)?key|(?:account|private|shared[_-]?access)[_-]?key|client-key-data"
    r"|passwd|password"
)
# What parts a name from its value in code, in JSON (which may stand in a text, with escapes) and in headers.
IS = r"[\"'\\]{0,3}\]?[ \t]{0,4}[:=][ \t\"'\\]{0,6}"
PASSWORDS = r"(?i:pass(?:word|wd|phrase)|pwd|secret[_-]?key)"
# A name that is a secret only where the value looks like one.
TOKENS = re.compile(r"token|(?:set-)?cookie", re.IGNORECASE)
NAMED_KEY = re.compile(rf"(?:{NAMES}|(?:^|[_-])secret)$", re.IGNORECASE)
AUTHORIZATION = re.compile(r"(?:Basic|Token|Bearer) (\S{8,})", re.IGNORECASE)
NAMED = "named secret"
MAX_NAMED_CHARS = 500
# A name and its text in JSON, which may break off.
ENTRY = re.compile(r'"((?:[^"\\]|\\.){1,100})"\s{0,4}:\s{0,4}"((?:[^"\\]|\\.){1,1000})(?:"|\Z)')

# Line breaks may be escaped, and a tool may have numbered the lines.
PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?=[\s\\nr0-9\u2192:|>]{1,40}[A-Za-z0-9+/]{4})"
)
PRIVATE_KEY_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")

PATTERNS = [
    _prefixed("Anthropic key", "sk-ant-", "[A-Za-z0-9_-]{16,}"),
    _prefixed("OpenAI-style key", "sk-", "[A-Za-z0-9_-]{20,}", _has_random_run),
    _prefixed("AWS access key id", "AKIA ASIA ABIA ACCA", "[A-Z0-9]{16}"),
    _prefixed("Google API key", "AIza", "[A-Za-z0-9_-]{35}"),
    _prefixed("Google token", "ya29. GOCSPX-", "[A-Za-z0-9_-]{20,}"),
    _prefixed("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", "[A-Za-z0-9_]{22,}"),
    _prefixed("GitLab token", "glpat- gldt- glrt- glcbt- glptt- glsoat-", "[A-Za-z0-9_-]{20,}"),
    _prefixed(
        "Slack token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", "[A-Za-z0-9-]{10,}", _has_digit
    ),
    _prefixed("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", "[A-Za-z0-9]{16,}"),
    _prefixed("Hugging Face token", "hf_", "[A-Za-z0-9]{30,}"),
    _prefixed("npm token", "npm_", "[A-Za-z0-9]{36}"),
    _prefixed("PyPI token", "pypi-", "[A-Za-z0-9_-]{50,}"),
    _prefixed("SendGrid key", "SG.", r"[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}"),
    _prefixed(
        "provider key",
        "gsk_ xai- r8_ pplx- tvly- nvapi- lin_api_ ntn_ secret_ figd_ sntrys_ sntryu_ ATATT3 dckr_pat_",
        "[A-Za-z0-9_-]{20,}",
        _has_random_run,
    ),
    _prefixed("provider key", "shpat_ shpca_ shppa_ shpss_ pul- sbp_ rubygems_", "[a-f0-9]{32,64}"),
    _prefixed("Vault token", "hvs. hvb.", "[A-Za-z0-9_-]{24,}"),
    _prefixed("Doppler token", "dp.pt. dp.st. dp.sa.", "[A-Za-z0-9._-]{40,}"),
    _prefixed("Postman key", "PMAK-", "[a-f0-9]{24}-[a-f0-9]{34}"),
    _prefixed("Langfuse key", "sk-lf-", "[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"),
    _prefixed("age key", "AGE-SECRET-KEY-1", "[A-Z0-9]{50,}"),
    _prefixed("Twilio key", "SK", "[a-f0-9]{32}", _has_digit),
    _prefixed("Airtable token", "pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    Pattern(
        "Azure client secret",
        ("q~",),
        re.compile(rf"{START}[A-Za-z0-9_~.-]{{3}}[0-9]Q~[A-Za-z0-9_~.-]{{31,34}}{END}"),
    ),
    Pattern("Azure signature", ("sig=",), re.compile(r"[?&]sig=(?P<secret>[A-Za-z0-9%]{40,})")),
    _prefixed("Databricks token", "dapi", "[a-f0-9]{32}(?:-[0-9])?"),
    _prefixed("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", "[a-f0-9]{64}"),
    _prefixed("LangSmith key", "lsv2_pt_ lsv2_sk_", "[A-Za-z0-9_]{32,}"),
    _prefixed("JSON web token", "eyJ", r"[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    Pattern(
        "Telegram bot token",
        (":aa",),
        re.compile(rf"{START}[0-9]{{8,10}}:AA[A-Za-z0-9_-]{{32,34}}{END}"),
    ),
    Pattern(
        "Slack webhook",
        ("hooks.slack.com",),
        re.compile(r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9_/]{20,200})"),
    ),
    Pattern(
        "bearer token",
        ("bearer",),
        re.compile(r"\b[Bb](?:earer|EARER)[ \t]{1,4}(?P<secret>[A-Za-z0-9._~+/-]{16,}={0,2})"),
        _has_digit,
    ),
    Pattern(
        "basic authorization",
        ("authorization",),
        re.compile(rf"(?i:authorization){IS}[Bb]asic[ \t]{{1,4}}(?P<secret>[A-Za-z0-9+/]{{8,}}={{0,2}})"),
        _is_user_and_password,
    ),
    Pattern(
        "authorization token",
        ("authorization",),
        re.compile(
            rf"(?i:authorization){IS}(?i:token|apikey|bot)[ \t]{{1,4}}(?P<secret>[A-Za-z0-9._~+/=-]{{16,}})"
        ),
        _has_digit,
    ),
    Pattern(
        "registry login",
        ("auth",),
        re.compile(rf"(?<![A-Za-z0-9-])_?(?i:auth|password){IS}(?P<secret>[A-Za-z0-9+/]{{8,}}={{0,2}})"),
        _is_user_and_password,
    ),
    Pattern(
        "cookie",
        ("cookie",),
        re.compile(r"(?i:cookie)[\"'\\]{0,3}:[ \t\"'\\]{0,6}(?P<secret>[^\s\"'\\:][^\r\n\"'\\]{15,4000})"),
        lambda text: "=" in text and _has_random_run(text),
    ),
    Pattern(
        "password on a command line",
        ("curl", "mysql", "mariadb", "sshpass", "machine "),
        re.compile(
            r"\b(?:curl\b[^\n]{0,300}?[ \t](?:-u|--user)[ \t=]?[\"'\\]{0,2}[^\s:\"'$]{1,100}:"
            r"|(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?[ \t]-p[\"'\\]{0,2}"
            r"|sshpass[ \t]{1,4}-p[ \t]?[\"'\\]{0,2}"
            r"|machine[ \t]{1,4}\S{1,200}\s{1,4}login[ \t]{1,4}\S{1,200}\s{1,4}password[ \t]{1,4})"
            r"(?P<secret>[^\s\"'\\$]{4,200})"
        ),
        lambda text: _is_no_example(text) and not text.isdigit(),
    ),
    Pattern(
        NAMED,
        ("--",),
        re.compile(
            r"--[a-z-]{0,20}(?:password|passwd|token|secret|api-?key)[ \t=]{1,2}[\"'\\]{0,2}"
            r"(?P<secret>[^\s\"'\\$,;]{6,500})"
        ),
        lambda text: _is_password(text) or _has_random_run(text),
    ),
    Pattern(
        NAMED,
        ("pass", "pwd", "secret"),
        re.compile(
            rf"{PASSWORDS}[\"'\\]{{0,3}}\]?[ \t]{{0,4}}[:=][ \t]{{0,4}}\\{{0,3}}[\"']"
            r"(?P<secret>[^\s\"'\\]{6,128})(?=\\{0,3}[\"'])"
        ),
        _is_quoted_password,
    ),
    Pattern(
        NAMED,
        ("pass", "pwd"),
        re.compile(
            rf"{PASSWORDS}(?:=|:[ \t]{{1,4}}|[ \t]=[ \t])"
            r"(?P<secret>[^\s\"'\\`,;&<>(){}\[\]$]{6,128})(?=[\s\"',;&\\]|$)"
        ),
        _is_password,
    ),
    Pattern(
        "password in an address",
        ("://",),
        re.compile(r"(?<=[A-Za-z0-9]://)[^\s:/@?#\"'<>]{0,256}:(?P<secret>[^\s/\"'<>]{3,256})@(?=[^\s@])"),
        _is_no_example,
    ),
    Pattern(
        "AWS secret key",
        ("secret",),
        re.compile(
            rf"(?i:secret[_-]?access[_-]?key){IS}(?P<secret>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])",
        ),
    ),
    Pattern(
        NAMED,
        ("key", "token", "secret", "passw"),
        re.compile(
            rf"(?:(?i:{NAMES}|[_-]secret)|(?<![A-Za-z0-9_-])(?i:token)){IS}(?P<secret>[A-Za-z0-9._~+/=%-]{{16,}})"
        ),
        lambda text: _is_no_example(text) and _has_random_run(text),
    ),
]
HINTS = [(hint, number) for number, pattern in enumerate(PATTERNS) for hint in pattern.hints]
# The shortest that any pattern can match is an address such as a://:bcd@e.
LEAST_CHARS = 10
# What a terminal that is too narrow makes of a key: the rest of it stands alone on the next line.
REST = re.compile(r"(?:\r?\n|\\n)[ \t]{0,8}(?P<rest>[A-Za-z0-9_-]{16,})(?=[\s\"'\\]|$)")


class Secret(NamedTuple):
    """Something that looks like a secret: the path to its text, its kind, and what `masked` writes there.

    The path holds the keys and indices from the value to the text. A secret in a key of an object has the
    path of that entry.
    """

    path: Path
    kind: str
    masked: str


def found_secrets(value: Any) -> list[Secret]:
    """Return what looks like a secret in a JSON value, in order. Each text is read once, in linear time.

    Refuses (`not_a_history`) what is nested too deeply or contains itself.
    """
    found: list[Secret] = []
    _walked(value, (), found)
    return found


def masked(value: Any) -> Any:
    """Return a copy of a JSON value in which each text that `found_secrets` names is masked.

    What is masked says its kind and length and shows no character of it. The value itself stays unchanged.
    Refuses as `found_secrets` does.
    """
    return _walked(value, (), [])


def _walked(value: Any, path: Path, found: list[Secret]) -> Any:
    try:
        return _masked(value, path, found)
    except RecursionError as error:
        raise Refusal("not_a_history", "the value is nested too deeply, or contains itself") from error


def _masked(value: Any, path: Path, found: list[Secret]) -> Any:
    if isinstance(value, str):
        return _masked_text(value, path, found)
    if isinstance(value, (list, tuple)):
        return [_masked(item, (*path, index), found) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    copy: dict[Any, Any] = {}
    taken: Counter[Any] = Counter()
    for key, item in value.items():
        in_key: list[Secret] = []
        name = _masked_text(key, path, in_key) if isinstance(key, str) else key
        masked_name = name
        while name in copy:  # two keys may look the same when they are masked, and neither may be lost
            taken[masked_name] += 1
            name = f"{masked_name} ({taken[masked_name] + 1})"
        found += [Secret((*path, name), secret.kind, secret.masked) for secret in in_key]
        named = _named_secret(key, item)
        if named:
            mask = _mask(NAMED, named)
            copy[name] = item.replace(named, mask)
            found.append(Secret((*path, name), NAMED, mask))
        elif key == "arguments" and isinstance(item, str):
            # What Anthropic has as an object, OpenAI's APIs have as its JSON.
            copy[name] = _masked_text(item, (*path, name), found, is_json=True)
        else:
            copy[name] = _masked(item, (*path, name), found)
    return copy


def _named_secret(key: Any, item: Any) -> str | None:
    """Return the secret in the value of an entry whose key says that it is one."""
    if not isinstance(key, str) or not isinstance(item, str) or len(item) > MAX_NAMED_CHARS:
        return None
    if TOKENS.fullmatch(key) and _has_random_run(item):
        return item
    if key.lower() in ("auth", "_auth") and _is_user_and_password(item):
        return item
    if key.lower().endswith("authorization") and (header := AUTHORIZATION.fullmatch(item)):
        return header[1]
    if len(item) < 6 or re.search(r"\s", item) or NAMED_KEY.search(key) is None:
        return None
    return item if _is_no_example(item) else None


def _masked_text(text: str, path: Path, found: list[Secret], is_json: bool = False) -> str:
    # A mask can bare what a secret before it hid, so the text is searched until nothing is left.
    while spans := _spans(text, is_json):
        pieces = []
        end = 0
        for start, stop, kind in spans:
            mask = _mask(kind, text[start:stop])
            found.append(Secret(path, kind, mask))
            pieces += [text[end:start], mask]
            end = stop
        text = "".join([*pieces, text[end:]])
    return text


def _mask(kind: str, text: str) -> str:
    return f"[{kind} masked, {len(text)} characters]"


def _spans(text: str, is_json: bool) -> list[tuple[int, int, str]]:
    """Return (start, end, kind) of each secret in a text, in order; two that overlap are one.

    In JSON the name of an entry tells that its value is a secret, as the key of a dict does.
    """
    if len(text) < LEAST_CHARS:
        return []
    small = text.lower()
    hinted = {number for hint, number in HINTS if hint in small}
    found = [*_private_keys(text), *(_named_entries(text) if is_json else ())]
    for number in sorted(hinted):
        pattern = PATTERNS[number]
        group = "secret" if "secret" in pattern.expression.groupindex else 0
        found += [
            (match.start(group), _end(text, match.end(group)), pattern.kind)
            for match in pattern.matches(text)
            if pattern.is_secret is None or pattern.is_secret(match.group(group))
        ]
    found.sort(key=lambda span: (span[0], -span[1]))
    apart: list[tuple[int, int, str]] = []
    for start, end, kind in found:
        if apart and start < apart[-1][1]:
            before = apart.pop()
            apart.append((before[0], max(before[1], end), before[2]))
        else:
            apart.append((start, end, kind))
    return apart


def _named_entries(text: str) -> Iterator[tuple[int, int, str]]:
    for entry in ENTRY.finditer(text):
        value = _unescaped(entry[2])
        if named := _named_secret(_unescaped(entry[1]), value):
            # The scheme of an Authorization header stays, if no escape stands in the way.
            size = len(named) if entry[2].endswith(named) else len(entry[2])
            yield entry.end(2) - size, entry.end(2), NAMED


def _unescaped(inside: str) -> str:
    """Return what stands between the quotes of a JSON text."""
    try:
        return str(json.loads(f'"{inside}"', strict=False))
    except ValueError:
        return inside


def _end(text: str, end: int) -> int:
    """Return where a secret ends that a terminal may have broken in two."""
    rest = REST.match(text, end)
    return rest.end() if rest and _has_random_run(rest["rest"]) else end


def _private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    while begin := PRIVATE_KEY.search(text, at):
        end = PRIVATE_KEY_END.search(text, begin.end())
        # A key that is cut off is one all the same.
        at = end.end() if end else len(text)
        yield begin.start(), at, "private key"
