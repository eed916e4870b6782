"""The project as a whole: what it depends on, what it is made of, and what no file of it may hold."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

TOP_LEVEL = {
    *(
        ".ci",
        ".github",
        ".gitignore",
        "CHANGELOG.md",
        "LICENSE",
        "Makefile",
        "README.md",
        "ctxlab",
        "environment.yml",
    ),
    *(
        "lessons",
        "pyproject.toml",
        "requirements-peers.lock",
        "requirements.lock",
        "scenarios",
        "tests",
        "tools",
    ),
}
LOCKS = ["requirements.lock", "requirements-peers.lock", "tests/js/package-lock.json"]
PLACES_OF_ONE_MACHINE = re.compile(r"(?<![\w.}])/(?:work|root|tmp|home|Users)/")
# Each dot stands in brackets, so that this line is not found itself.
PACKAGE_HOSTS = re.compile("pypi[.]org|pythonhosted[.]org|npmjs[.]org|npmjs[.]com|deb[.]debian[.]org")


@pytest.fixture(scope="module")
def files(root: Path) -> list[Path]:
    """The project's files, relative to its folder: what git tracks, and new files that it does not ignore."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    names = filter(None, listing.stdout.split("\0"))
    return [Path(name) for name in names if (root / name).is_file()]


@pytest.fixture(scope="module")
def pyproject(root: Path) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def pins(lock: Path) -> dict[str, list[Requirement]]:
    found: dict[str, list[Requirement]] = {}
    for line in lock.read_text(encoding="utf-8").splitlines():
        if line[:1].isalnum():
            pin = Requirement(line.removesuffix("\\"))
            found.setdefault(pin.name, []).append(pin)
    return found


def lines_with(pattern: re.Pattern[str], root: Path, files: list[Path]) -> list[str]:
    """Where the pattern stands in a text file, as "file:line: text"."""
    found = []
    for file in files:
        text = (root / file).read_bytes().decode("utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), start=1):
            if pattern.search(line):
                found.append(f"{file}:{number}: {line.strip()[:160]}")
    return found


class TestLocks:
    @pytest.mark.parametrize("name", LOCKS)
    def test_names_no_host(self, root: Path, name: str) -> None:
        assert "://" not in (root / name).read_text(encoding="utf-8")

    @pytest.mark.parametrize(
        ("lock", "groups"),
        [("requirements.lock", ["build", "dev"]), ("requirements-peers.lock", ["peers"])],
    )
    def test_covers_what_is_declared(self, root: Path, pyproject: dict, lock: str, groups: list[str]) -> None:
        declared = [line for group in groups for line in pyproject["dependency-groups"][group]]
        if lock == "requirements.lock":
            declared += pyproject["project"]["dependencies"] + pyproject["build-system"]["requires"]
            declared += [
                line for extra in pyproject["project"]["optional-dependencies"].values() for line in extra
            ]
        locked = pins(root / lock)
        for wanted in map(Requirement, declared):
            found = locked.get(wanted.name, [])
            assert found, f"{wanted} is not in {lock}: run `make lock`"
            for pin in found:
                (version,) = pin.specifier
                assert wanted.specifier.contains(version.version), (
                    f"{lock} has {pin}, pyproject.toml wants {wanted}"
                )

    @pytest.mark.parametrize("name", ["requirements.lock", "requirements-peers.lock"])
    def test_every_pin_is_exact_and_hashed(self, root: Path, name: str) -> None:
        entries = re.split(r"\n(?=[A-Za-z0-9])", (root / name).read_text(encoding="utf-8"))[1:]
        assert entries
        for entry in entries:
            assert re.match(r"[A-Za-z0-9._-]+==\S+ ", entry), entry
            assert "--hash=sha256:" in entry, entry

    def test_both_python_locks_agree(self, root: Path) -> None:
        main, peers = pins(root / "requirements.lock"), pins(root / "requirements-peers.lock")
        shared = main.keys() & peers.keys()
        assert "pydantic" in shared
        for name in shared:
            assert {str(pin.specifier) for pin in peers[name]} <= {str(pin.specifier) for pin in main[name]}

    def test_peers_stay_out_of_the_default_install(self, root: Path, pyproject: dict) -> None:
        peers = {Requirement(line).name for line in pyproject["dependency-groups"]["peers"]}
        assert not peers & pins(root / "requirements.lock").keys()

    def test_node_lock_is_that_of_the_manifest(self, root: Path) -> None:
        manifest = json.loads((root / "tests/js/package.json").read_text(encoding="utf-8"))
        lock = json.loads((root / "tests/js/package-lock.json").read_text(encoding="utf-8"))
        assert lock["packages"][""]["dependencies"] == manifest["dependencies"]
        for name, version in manifest["dependencies"].items():
            assert lock["packages"][f"node_modules/{name}"]["version"] == version
        assert all("integrity" in package for name, package in lock["packages"].items() if name)


class TestEnvironmentFile:
    def test_is_what_the_tool_would_write(self, root: Path) -> None:
        tool = [sys.executable, root / "tools/environment.py", "--check"]
        check = subprocess.run(tool, capture_output=True, text=True, check=False)
        assert check.returncode == 0, check.stdout

    def test_names_what_the_extras_need(self, root: Path, pyproject: dict) -> None:
        environment = (root / "environment.yml").read_text(encoding="utf-8")
        for wanted in map(Requirement, pyproject["project"]["optional-dependencies"]["live"]):
            assert f"- {wanted.name}==" in environment

    @pytest.mark.slow
    def test_its_pip_section_makes_a_working_install(self, root: Path, tmp_path: Path) -> None:
        environment = yaml.safe_load((root / "environment.yml").read_text(encoding="utf-8"))
        (pip_section,) = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
        requirements = tmp_path / "requirements.txt"
        requirements.write_text("\n".join(pip_section), encoding="utf-8")
        venv = tmp_path / "venv"
        python = venv / "bin" / "python"
        uv = Path(sys.executable).with_name("uv")
        # conda calls pip from the folder of the file. uv reads the same lines the same way, and faster.
        for command in (
            [uv, "venv", "--quiet", "--python", sys.executable, venv],
            [uv, "pip", "install", "--quiet", "--python", python, "-r", requirements],
            [uv, "pip", "check", "--quiet", "--python", python],
        ):
            subprocess.run(command, cwd=root, check=True, timeout=300)
        # Not run from the project's folder: there, Python would find the package without any install.
        script = [venv / "bin" / "ctxlab", "list"]
        listed = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
        assert listed.returncode == 0, listed.stderr
        assert "bad_summary" in listed.stdout


class TestFiles:
    def test_top_level_is_as_described(self, files: list[Path]) -> None:
        assert {file.parts[0] for file in files} == TOP_LEVEL

    def test_no_file_names_a_place_on_one_machine(self, root: Path, files: list[Path]) -> None:
        assert lines_with(PLACES_OF_ONE_MACHINE, root, files) == []

    def test_no_file_names_a_package_host(self, root: Path, files: list[Path]) -> None:
        assert lines_with(PACKAGE_HOSTS, root, files) == []

    def test_the_package_says_that_it_is_typed(self, root: Path) -> None:
        assert (root / "ctxlab" / "py.typed").is_file()

    def test_the_readme_names_every_make_target(self, root: Path) -> None:
        targets = re.findall(r"\n([a-z]+):.*##", (root / "Makefile").read_text(encoding="utf-8"))
        readme = (root / "README.md").read_text(encoding="utf-8")
        assert "test" in targets
        assert [target for target in targets if f"make {target}" not in readme] == []
