#!/bin/sh
# sh tools/setup.sh VENV [LOCK...]
# Makes the virtual environment VENV as requirements.lock says (and further locks, where named), and installs ctxlab into it.
# Only POSIX sh and a Python from 3.11 to 3.13 are needed. PYTHON chooses the interpreter.
set -eu

venv=$1
shift
in_range='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'

find_python() {
    # A name on PATH may be a shim for a version that is not there: only running it tells.
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        if "$candidate" -c "$in_range" 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    {
        if [ -n "${PYTHON:-}" ]; then
            echo "setup: PYTHON=$PYTHON is not a Python from 3.11 to 3.13."
        else
            echo "setup: ctxlab needs Python 3.11, 3.12 or 3.13, and none is on PATH" \
                "(python3 is $(python3 --version 2>&1 || echo missing))."
        fi
        echo "  Debian, Ubuntu, WSL:  sudo apt-get install python3 python3-venv"
        echo "  macOS with Homebrew:  brew install python@3.13"
        echo "  any system:           pyenv install 3.13, uv python install 3.13, or conda (see README.md)"
        echo "  Then run make again, or name it: make setup PYTHON=/path/to/python3.13"
    } >&2
    return 1
}

# An environment holds its own path in its scripts, so one that was moved is of no use.
if ! grep -qsF "$(pwd -P)/$venv" "$venv/bin/activate" || ! "$venv/bin/python" -c "$in_range" 2>/dev/null; then
    python=$(find_python)
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    # Debian ships venv without ensurepip: then the venv module exists and still cannot make an environment.
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        echo "setup: this Python cannot make virtual environments: its package python$version-venv is missing." >&2
        echo "  Debian, Ubuntu, WSL:  sudo apt-get install python$version-venv" >&2
        exit 1
    fi
    echo "setup: making $venv with Python $version"
    "$python" -m venv --clear "$venv"
fi

# The lock pins uv like everything else; pip brings uv in, and uv brings in the rest.
sed -n '/^uv==/,/# via/p' requirements.lock > "$venv/uv.txt"
if [ "uv==$("$venv/bin/uv" --version 2>/dev/null | cut -d' ' -f2)" != "$(sed -n 's/^\(uv==[^ ]*\).*/\1/p' "$venv/uv.txt")" ]; then
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$venv/uv.txt"
fi

install() {
    "$venv/bin/uv" pip install --quiet --python "$venv/bin/python" "$@"
}
for lock in requirements.lock "$@"; do
    install --require-hashes -r "$lock"
done
install --no-deps --no-build-isolation --editable .
echo "setup: $venv is ready"
