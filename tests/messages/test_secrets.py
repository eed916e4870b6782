"""Secrets: what is found and masked, what is no secret, and that nothing leaks or changes."""

import copy
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import Refusal
from ctxlab.messages.secrets import found_secrets, masked

BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"

# Each kind: a text, the part of it that is secret.
SECRETS = {
    "Anthropic key": ("key sk-ant-api03-{}", f"sk-ant-api03-{BODY}"),
    "OpenAI-style key": ("{}", f"sk-proj-{BODY}"),
    "AWS access key id": ("id={};", "AKIAABCDEFGHIJKLMNOP"),
    "AWS secret key": ("aws_secret_access_key = {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYabcdefghij"),
    "Google API key": ("?key={}&q=1", "AIza" + "Ab3-_" * 7),
    "Google token": ("{}", "ya29.a0AfH6SMBx1234567890"),
    "GitHub token": ("git clone https://{}@github.com/a/b", "ghp_" + "aB3" * 12),
    "GitLab token": ("{}", "glpat-aB3dE6gH9jK2mN5pQ8sT"),
    "Slack token": ("{}", "xoxb-" + "123456789012-abcDEF"),
    "Slack webhook": ("https://hooks.slack.com/services/{}", "T00000000/B00000000/abcdefghijklmnop"),
    "Stripe key": ("{}", "sk_live_" + "abcDEF1234567890"),
    "Hugging Face token": ("{}", "hf_" + "aBcDeFgHiJ" * 3 + "abcd"),
    "npm token": ("//registry/:_authToken={}", "npm_" + "aB3" * 12),
    "PyPI token": ("{}", "pypi-" + "AgEIcHlwaS5vcmc" * 4),
    "SendGrid key": ("{}", "SG." + "a" * 22 + "." + "b" * 43),
    "provider key": ("GROQ={}", f"gsk_{BODY}"),
    "Databricks token": ("{}", "dapi" + "0123456789abcdef" * 2),
    "DigitalOcean token": ("{}", "dop_v1_" + "0123456789abcdef" * 4),
    "LangSmith key": ("{}", "lsv2_pt_" + "0123456789abcdef" * 2 + "_0123456789"),
    "Telegram bot token": ("{}", "123456789:AA" + "b" * 33),
    "JSON web token": ("cookie={}", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJl"),
    "bearer token": ("Authorization: Bearer {}", "abcdef0123456789.xyz~"),
    "basic authorization": ("-H 'Authorization: Basic {}'", "dXNlcjpwYXNzd29yZA=="),
    "password in an address": ("postgres://ada:{}@db.local:5432/x", "hunter2!"),
    "named secret": ("DB_PASSWORD={}", "correcthorse9battery"),
    "private key": (
        "before\n{}\nafter",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----",
    ),
}
SECRETS["Anthropic key"] = ("key {}", f"sk-ant-api03-{BODY}")
SECRETS |= {
    "Vault token": ("VAULT_TOKEN={}", "hvs." + BODY),
    "Doppler token": ("{}", f"dp.pt.{BODY}"),
    "Postman key": ("{}", "PMAK-" + "0123456789ab" * 2 + "-" + "0123456789abcdef" * 2 + "01"),
    "Langfuse key": ("{}", "sk-lf-01234567-89ab-cdef-0123-456789abcdef"),
    "age key": ("# public key: age1xyz\n{}", "AGE-SECRET-KEY-1" + "QPZRY9X8GF" * 6),
    "Twilio key": ("key {}", "SK" + "0123456789abcdef" * 2),
    "Airtable token": ("{}", "patAbCdEfGh123456." + "0123456789abcdef" * 4),
    "Azure client secret": ("secret {}", "aB38Q~" + "aB3dE6gH9jK2mN5pQ8sT" + "0123456789abcd"),
    "Azure signature": ("https://x.blob.core.windows.net/c?sv=1&sig={}", "aB3dE6gH9jK2mN5pQ8sT" * 2 + "%3D"),
    "authorization token": ("-H 'Authorization: token {}'", "0123456789abcdef" * 2),
    "registry login": ('{{"auths": {{"ghcr.io": {{"auth": "{}"}}}}}}', "YWRhOmh1bnRlcjI="),
    "cookie": ("Cookie: {}", "sid=aB3dE6gH9jK2mN5pQ8sT; theme=dark"),
    "password on a command line": ("curl -s -u ada:{} https://a.b", "hunter2"),
}

# Further places of the kinds above, of which no character may be left: text, secret.
PLACES = [
    ("AWS_SESSION_TOKEN={}", "aB3dE6gH9jK2mN5p/Q8sT+" * 3),
    ('{{"SessionToken": "{}"}}', "aB3dE6gH9jK2mN5p/Q8sT+" * 3),
    ("Endpoint=sb://x/;SharedAccessKeyName=R;SharedAccessKey={}", "aB3dE6gH9jK2mN5pQ8sTuV1wX4yZ7=="),
    ("Server=tcp:x;User ID=ada;Password={};Encrypt=true", "Hunter2!xyz"),
    ("jdbc:postgresql://h/db?user=ada&password={}&ssl=true", "hunter2secret"),
    ("password: {}\nuser: ada", "hunter2pass"),
    ("PGPASSWORD={} psql", "hunter2pass"),
    ('{{"password": "{}"}}', "Tr0ub4dor&3"),
    ('{{\\"password\\": \\"{}\\"}}', "Tr0ub4dor&3"),
    ("SECRET_KEY = 'django-insecure-{}'", "a1&(-_=+b2@#$%^c3"),
    ('os.environ["OPENAI_API_KEY"] = "{}"', "0123456789abcdef" * 2),
    ("    token: {}", "aB3dE6gH9jK2mN5pQ8sT" * 2),
    ("mysql -u root -p{} db", "Hunter2secret"),
    ("sshpass -p '{}' ssh h", "Hunter2x"),
    ("machine github.com login ada password {}", "hunter2secret"),
    ("gh auth login --token {}", "0123456789abcdef" * 2),
    ("tool --password={} -x", "hunter2secret"),
    ("OPENAI_API_KEY\x1b[0m=\x1b[33m{}\x1b[0m", f"sk-ant-api03-{BODY}"),
    (r"one line\n{}", f"ghp_{BODY[:36]}"),
    ("{}", "\n".join((f"sk-ant-api03-{BODY}", BODY))),
    ("{}", "\n  ".join((f"sk-ant-api03-{BODY}", BODY))),
    (r'{{"private_key": "{}"}}', r"-----BEGIN PRIVATE KEY-----\nMIIEaB3d\n-----END PRIVATE KEY-----\n"[:-2]),
    (
        "     1\u2192{}",
        "-----BEGIN RSA PRIVATE KEY-----\n     2\u2192MIIEaB3d\n     3\u2192-----END RSA PRIVATE KEY-----",
    ),
]

NO_SECRETS = [
    "call_AbCdEf0123456789AbCdEf01",
    "toolu_01AbCdEfGhIjKlMnOpQrStUv",
    "msg_01XFDUDYJgAACzvnptvVoYEL",
    "rs_0123456789abcdef0123456789abcdef0123456789",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "5d0f2f7e-0000-4000-8000-000000000001",
    "class sk-toggleable__content and sk-estimator-doc-link-fitted-12345",
    "the bearer of good news, Bearer authentication-scheme-required",
    "postgres://user:password@host/x and mysql://root:${PASSWORD}@host/x",
    "https://example.org:8080/path@2 and https://a.b/c:d@e",
    "api_key = os.environ['OPENAI_API_KEY']",
    "api_key: <your-api-key-here-0123456789abc>",
    "password: str | None = None",
    "max_tokens=100000000000000000",
    "password=correct-horse-battery-staple",
    "api_key=your-own-key-0123456789abcdef01",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "risk-assessment-of-the-project-in-2024-and-2025",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "-" * 5000,
    "an address has the form a://b:c@d",
    "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    'if text.startswith("-----BEGIN PRIVATE KEY-----"):\n    load(text)\n',
    "grep -rn 'BEGIN RSA PRIVATE KEY' . | wc -l",
    "Authorization: Basic authentication is used",
    "password: see the wiki; password: required, min 8 characters",
    "password=e.password1,token:t.accessToken2,apiKey:i.config.apiKey",
    "password = getpass.getpass2(); password=/run/secrets/db1x",
    "api_key = config.get('api_key'); password: ${{ secrets.DB1_PASSWORD }}",
    '"password": "Passwort", "auth": "required", "auth": "none"',
    "docker run -u 1000:1000 image; curl -u $USER:$PASS x; mkdir -p src1/test; mysql -u root -p db",
    "Cookie: policy applies; set-cookie: a=b",
    '"next_page_token": "aB3dE6gH9jK2mN5pQ8sT"',
    '"integrity": "sha512-aB3dE6gH9jK2mN5pQ8sTaB3dE6gH9jK2mN5pQ8sTaB3dE6gH9jK2mN5pQ8sT=="',
    '"encrypted_content": "gAAAAABaB3dE6gH9jK2mN5pQ8sTaB3dE6gH9jK2mN5pQ8sT"',
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQaB3dE6gH9jK2mN5pQ8sT ada@x",
    'Bearer realm="https://auth.docker.io/token",service="registry.docker.io"',
    "root:x:0:0:root:/root:/bin/bash and git@github.com:a/b.git",
    '<input type="password" name="password1" placeholder="Password">',
]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PIECES = st.lists(
    st.sampled_from([text.format(secret) for text, secret in SECRETS.values()])
    | st.text(max_size=5)
    | st.sampled_from(
        ["sk-", "ghp_", "eyJ", ".", "=", ":", "Bearer ", "://", "@", "-----", "password", '"', "/"]
    ),
    max_size=8,
).map("".join)


@pytest.mark.parametrize("kind", SECRETS)
def test_each_kind_is_found_and_masked(kind: str) -> None:
    text, secret = SECRETS[kind]
    value = [{"content": [{"text": text.format(secret)}]}]
    assert [(found.path, found.kind) for found in found_secrets(value)] == [((0, "content", 0, "text"), kind)]
    mask = f"[{kind} masked, {len(secret)} characters]"
    assert masked(value) == [{"content": [{"text": text.format(mask)}]}]
    assert found_secrets(value)[0].masked == mask


@pytest.mark.parametrize(("text", "secret"), PLACES)
def test_a_secret_is_found_in_each_place_where_it_stands(text: str, secret: str) -> None:
    whole = text.format(secret)
    after = masked(whole)
    assert found_secrets(whole) != []
    assert not any(part in after for part in secret.split())
    assert masked(after) == after


@pytest.mark.parametrize("text", NO_SECRETS)
def test_ids_hashes_examples_and_prose_are_no_secrets(text: str) -> None:
    assert found_secrets({"text": text}) == []
    assert masked({"text": text}) == {"text": text}


def test_a_key_of_an_object_tells_what_its_value_is() -> None:
    value = {
        "password": "hunter2",
        "headers": {
            "Authorization": "Basic dXNlcjpwYXNz",
            "X-Api-Key": "abc123def",
            "Cookie": "sid=aB3dE6gH9jK2mN5pQ8sT; theme=dark",
        },
        "auths": {"ghcr.io": {"auth": "YWRhOmh1bnRlcjI="}},
        "credentials": {"SessionToken": "aB3dE6gH9jK2"},
        "token": "aB3dE6gH9jK2mN5pQ8sT",
        "auth": "required",
        "cookie": "accepted",
        "schema": {"password": {"type": "string"}, "api_key": "string"},
        "note": {
            "password": "three words here",
            "next_page_token": "abc123def456",
            "secret_santa": "ada-and-bob",
        },
    }
    assert [found.path for found in found_secrets(value)] == [
        ("password",),
        ("headers", "Authorization"),
        ("headers", "X-Api-Key"),
        ("headers", "Cookie"),
        ("auths", "ghcr.io", "auth"),
        ("credentials", "SessionToken"),
        ("token",),
    ]
    assert masked(value)["headers"]["Authorization"] == "Basic [named secret masked, 12 characters]"
    assert masked(value)["note"] == value["note"]


def test_arguments_that_are_json_in_a_text_are_searched() -> None:
    arguments = json.dumps({"api_key": "0123456789abcdef0123"})
    assert json.loads(masked(arguments)) == {"api_key": "[named secret masked, 20 characters]"}
    twice = json.dumps({"arguments": arguments})
    assert "0123456789abcdef" not in masked(twice)


@pytest.mark.parametrize(
    ("name", "secret"),
    [("api_key", "plainPass"), ("password", 'hun"ter'), ("Authorization", "Bearer abcdefghij")],
)
def test_arguments_of_a_call_are_read_as_the_object_that_they_are(name: str, secret: str) -> None:
    given = {"path": "a.txt", name: secret}
    (as_object,) = found_secrets({"input": given})
    for text in (json.dumps(given), json.dumps(given, indent=2), json.dumps(given)[:-2]):
        (as_text,) = found_secrets({"arguments": text})
        assert as_text.kind == as_object.kind
        shown = masked({"arguments": text})["arguments"]
        assert secret[-4:] not in shown
        assert '"path": "a.txt"' in shown
    assert found_secrets({"arguments": json.dumps({"password": "string", "note": secret})}) == []


def test_a_secret_that_is_a_key_of_an_object_is_masked_and_nothing_is_lost() -> None:
    first, second = (f"sk-ant-api03-{BODY}{end}" for end in "xy")
    value = {first: 1, second: 2, "z": 3}
    assert list(masked(value).values()) == [1, 2, 3]
    assert BODY not in json.dumps([masked(value), found_secrets(value)])
    assert len(found_secrets(value)) == 2


def test_a_private_key_that_is_cut_off_is_masked_to_the_end() -> None:
    assert masked("a -----BEGIN PRIVATE KEY-----\nMIIE") == "a [private key masked, 32 characters]"


def test_a_secret_right_behind_another_is_masked_too() -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----"
    token = SECRETS["GitHub token"][1]
    assert masked(key + token) == "[private key masked, 58 characters][GitHub token masked, 40 characters]"
    assert [found.kind for found in found_secrets(key + token)] == ["private key", "GitHub token"]


def test_a_password_with_an_at_sign_is_masked_whole() -> None:
    assert masked("redis://:p@ss@host/0") == "redis://:[password in an address masked, 4 characters]@host/0"


def test_what_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for function in (found_secrets, masked):
        with pytest.raises(Refusal, match="nested too deeply") as refused:
            function(endless)
        assert refused.value.code == "not_a_history"


@given(JSON | PIECES | st.lists(PIECES))
def test_masking_leaves_no_secret_and_never_changes_its_input(value: Any) -> None:
    before = copy.deepcopy(value)
    after = masked(value)
    assert repr(value) == repr(before)
    assert found_secrets(after) == []
    assert repr(masked(after)) == repr(after)
    if not found_secrets(value):
        assert repr(after) == repr(value)


@given(
    st.sampled_from(sorted(SECRETS)), st.lists(st.sampled_from(["\n", " ", "'", '"', "(", ")", ",", "x "]))
)
def test_a_secret_is_found_whatever_stands_around_it(kind: str, around: list[str]) -> None:
    text, secret = SECRETS[kind]
    whole = f"{''.join(around)} {text.format(secret)} {''.join(around)}"
    assert secret not in masked(whole)


@pytest.mark.parametrize(
    "piece",
    "eyJ sk- a :// ://a: ghp_ SG. password= a- eyJaaaaaaaa. hooks.slack.com/services/ "
    "-----BEGIN_PRIVATE_KEY----- secret_access_key=' Bearer_a curl_-u_a: cookie:_a1= --token_a password=a1 "
    r"\nsk-a [33msk- sig=a1 token=a1 machine_a_login_".split(),
)
def test_the_search_is_linear(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece.replace("_", " ") * (size // len(piece))
        text += piece * (size // len(piece))
        started = time.perf_counter()
        found_secrets(text)
        return time.perf_counter() - started

    # Eight times the text takes about eight times as long, and would take 64 times if it were quadratic.
    assert seconds(400_000) < 30 * max(seconds(50_000), 0.005)
