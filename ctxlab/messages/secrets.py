"""Keys, tokens and passwords in a history, found by how they look, and masked.

What is found is what has a mark of its own: the prefix of a provider, the frame of a private key, the three
parts of a JSON web token, an Authorization header, a password in an address, or a name such as api_key beside
a value. Ids, hashes and UUIDs have none, so call_..., toolu_... and 40 hexadecimal digits are left alone. A
secret without a mark is not found: a clean result is no proof. The prefixes are those that the providers
document, as GitHub does at
https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ctxlab.errors import Refusal

Path = tuple[str | int, ...]

# Nothing that can be a part of a key may stand before it. So each pattern tries a run of characters once,
# which keeps the search linear.
START = r"(?<![A-Za-z0-9_-])"
END = r"(?![A-Za-z0-9_-])"


class Pattern(NamedTuple):
    """What one kind of secret looks like. The group `secret`, or else the whole match, is masked.

    A text in which none of `hints` stands, in small letters, is not searched: most texts need no search.
    """

    kind: str
    hints: tuple[str, ...]
    expression: re.Pattern[str]
    is_secret: Callable[[str], bool] | None = None


def _prefixed(kind: str, prefixes: str, rest: str, is_secret: Callable[[str], bool] | None = None) -> Pattern:
    """Return the pattern of a key that begins with one of the prefixes, which are parted by spaces."""
    starts = prefixes.split()
    expression = re.compile(f"{START}(?:{'|'.join(map(re.escape, starts))}){rest}{END}")
    return Pattern(kind, tuple(start.lower() for start in starts), expression, is_secret)


def _has_random_run(text: str) -> bool:
    """Tell a key from words with hyphens between them."""
    runs = re.findall(r"[A-Za-z0-9]{16,}", text)
    return any(re.search("[0-9]", run) and re.search("[A-Za-z]", run) for run in runs)


def _has_digit(text: str) -> bool:
    return re.search("[0-9]", text) is not None


def _is_no_example(text: str) -> bool:
    return PLACEHOLDER.search(text) is None


PLACEHOLDER = re.compile(
    r"^(?:[<\[{%*]|\$[({A-Z])|\*\*\*|\.\.\.|xxxx|example|placeholder|redacted|changeme|your[-_]|os\.environ|getenv|process\.env"
    r"|^(?:password|passwd|pass|pwd|secret|token|null|none|true|false|undefined|string)$",
    re.IGNORECASE,
)

NAMES = (
    r"api[_-]?key|(?:access|api|auth|bot|refresh)[_-]?token|client[_-]?secret|secret[_-]?(?:access[_-]?)?key"
    r"|account[_-]?key|passwd|password|private[_-]?key"
)
# What parts a name from its value in code, in JSON (which may stand in a text, with escapes) and in headers.
IS = r"[\"'\\]{0,3}[ \t]{0,4}[:=][ \t\"'\\]{0,6}"
NAMED_KEY = re.compile(rf"(?:{NAMES}|(?:^|[_-])secret)$", re.IGNORECASE)
AUTHORIZATION = re.compile(r"(?:Basic|Token|Bearer) (\S{8,})", re.IGNORECASE)
NAMED = "named secret"
MAX_NAMED_CHARS = 500

PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
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
    _prefixed("provider key", "gsk_ xai- r8_ pplx- tvly- nvapi-", "[A-Za-z0-9_-]{20,}", _has_random_run),
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
    ),
    Pattern(
        "password in an address",
        ("://",),
        re.compile(r"(?<=[A-Za-z0-9]://)[^\s:/@?#\"'<>]{0,256}:(?P<secret>[^\s/\"'<>]{1,256})@(?=[^\s@])"),
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
        re.compile(rf"(?i:{NAMES}|[_-]secret){IS}(?P<secret>[A-Za-z0-9._~+/=-]{{16,}})"),
        lambda text: _is_no_example(text) and _has_random_run(text),
    ),
]
HINTS = [(hint, number) for number, pattern in enumerate(PATTERNS) for hint in pattern.hints]
# The shortest that any pattern can match is an address such as a://b:c@d.
LEAST_CHARS = 8


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
        else:
            copy[name] = _masked(item, (*path, name), found)
    return copy


def _named_secret(key: Any, item: Any) -> str | None:
    """Return the secret in the value of an entry whose key says that it is one."""
    if not isinstance(key, str) or not isinstance(item, str) or len(item) > MAX_NAMED_CHARS:
        return None
    if key.lower().endswith("authorization") and (header := AUTHORIZATION.fullmatch(item)):
        return header[1]
    if len(item) < 6 or re.search(r"\s", item) or NAMED_KEY.search(key) is None:
        return None
    return item if _is_no_example(item) else None


def _masked_text(text: str, path: Path, found: list[Secret]) -> str:
    # A mask can bare what a secret before it hid, so the text is searched until nothing is left.
    while spans := _spans(text):
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


def _spans(text: str) -> list[tuple[int, int, str]]:
    """Return (start, end, kind) of each secret in a text, in order; two that overlap are one."""
    if len(text) < LEAST_CHARS:
        return []
    small = text.lower()
    hinted = {number for hint, number in HINTS if hint in small}
    found = list(_private_keys(text))
    for number in sorted(hinted):
        kind, _, expression, is_secret = PATTERNS[number]
        group = "secret" if "secret" in expression.groupindex else 0
        found += [
            (match.start(group), match.end(group), kind)
            for match in expression.finditer(text)
            if is_secret is None or is_secret(match.group(group))
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


def _private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    while begin := PRIVATE_KEY.search(text, at):
        end = PRIVATE_KEY_END.search(text, begin.end())
        # A key that is cut off is one all the same.
        at = end.end() if end else len(text)
        yield begin.start(), at, "private key"
