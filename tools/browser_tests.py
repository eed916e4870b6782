"""Count the browser tests that ran, from pytest's JUnit report; the exit status is 1 where there are none.

python tools/browser_tests.py REPORT

tests/conftest.py gives each test marked `browser` a property of that name in the report.
"""

import sys
from pathlib import Path
from xml.etree import ElementTree


def count(report: Path) -> int:
    """Test cases with the property `browser` that were not skipped."""
    cases = ElementTree.parse(report).iter("testcase")  # noqa: S314 (the report is our own)
    ran = (case for case in cases if case.find("skipped") is None)
    return sum(case.find("properties/property[@name='browser']") is not None for case in ran)


def main(arguments: list[str]) -> int:
    report = Path(arguments[0])
    if not report.exists():
        print(f"{report} is missing: the tests did not run to their end.")
        return 1
    ran = count(report)
    print(f"{ran} browser tests ran")
    return 0 if ran else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
