"""Write the JSON Schemas: of a scenario file, for editors that check and complete one, and of a trace.

Run it after a change to ctxlab/scenarios/fields.py or ctxlab/tracer/schema.py: python tools/schema.py
"""

import json
from pathlib import Path

from pydantic import BaseModel

from ctxlab.scenarios.fields import ScenarioFile
from ctxlab.scenarios.loading import FOLDER
from ctxlab.tracer import schema as trace_schema

FILES: dict[Path, type[BaseModel]] = {
    FOLDER / "schema.json": ScenarioFile,
    Path(trace_schema.__file__).with_name("trace.schema.json"): trace_schema.TraceForm,
}


def schema_text(model: type[BaseModel] = ScenarioFile) -> str:
    """Return the JSON Schema of a file whose fields a model describes."""
    return json.dumps(model.model_json_schema(), indent=2) + "\n"


if __name__ == "__main__":
    for path, model in FILES.items():
        path.write_text(schema_text(model), encoding="utf-8")
