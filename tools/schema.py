"""Write scenarios/schema.json, which editors use to check and complete a scenario file.

Run it after a change to ctxlab/scenarios/fields.py: python tools/schema.py
"""

import json

from ctxlab.scenarios.fields import ScenarioFile
from ctxlab.scenarios.loading import FOLDER


def schema_text() -> str:
    """Return the JSON Schema of a scenario file."""
    return json.dumps(ScenarioFile.model_json_schema(), indent=2) + "\n"


if __name__ == "__main__":
    (FOLDER / "schema.json").write_text(schema_text(), encoding="utf-8")
