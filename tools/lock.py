"""Resolve the dependencies again and write the locks for Python, for the bench's peers and for Node.

python tools/lock.py [--upgrade]

Without --upgrade a pin moves only where pyproject.toml or package.json asks for it. No lock names a package
host, so each works behind a mirror as well.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NODE_PROJECT = ROOT / "tests" / "js"
COMPILE = [
    *("uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--generate-hashes"),
    *("--custom-compile-command", "make lock"),
]
NPM_LOCK = [
    *("npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"),
    "--omit-lockfile-registry-resolved",
]


def drop_funding(package_lock: Path) -> None:
    """Remove the sponsors' addresses, the only links that npm leaves in a lock."""
    lock = json.loads(package_lock.read_text(encoding="utf-8"))
    for package in lock["packages"].values():
        package.pop("funding", None)
    package_lock.write_text(json.dumps(lock, indent=2) + "\n", encoding="utf-8")


def main(options: list[str]) -> None:
    everything = [
        "pyproject.toml",
        "--all-extras",
        "--group",
        "build",
        "--group",
        "dev",
        "--output-file",
        "requirements.lock",
    ]
    subprocess.run([*COMPILE, *options, *everything], cwd=ROOT, check=True)
    # The peers are installed beside everything else, so they must agree with the first lock.
    peers = [
        "--group",
        "peers",
        "--constraint",
        "requirements.lock",
        "--output-file",
        "requirements-peers.lock",
    ]
    subprocess.run([*COMPILE, *options, *peers], cwd=ROOT, check=True)
    subprocess.run(NPM_LOCK, cwd=NODE_PROJECT, check=True)
    drop_funding(NODE_PROJECT / "package-lock.json")


if __name__ == "__main__":
    main(sys.argv[1:])
