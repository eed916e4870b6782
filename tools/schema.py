"""Write the JSON Schemas: of scenario files, for editors that check and complete one, and of a trace.

Run it after a change of their fields, in ctxlab/scenarios or ctxlab/tracer/schema.py: python tools/schema.py
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ctxlab.scenarios.fields import Repeat, ScenarioFile
from ctxlab.scenarios.loading import FOLDER
from ctxlab.scenarios.systems import NAMES, system
from ctxlab.scenarios.systems.fields import SystemFile
from ctxlab.tracer import schema as trace_schema

TEXT = "<text>"


def schema_text(model: type[BaseModel] = ScenarioFile) -> str:
    """Return the JSON Schema of a file whose fields a model describes."""
    return as_text(model.model_json_schema())


def system_schema_text() -> str:
    """Return the JSON Schema of a scenario file of any system, whose function and `given` must agree."""
    schema = SystemFile.model_json_schema()
    definitions = schema["$defs"]
    definitions[TEXT] = {"anyOf": [{"type": "string"}, Repeat.model_json_schema()]}
    forms = []
    for name in NAMES:
        given = system(name).given.model_json_schema(ref_template=f"#/$defs/{name}.{{model}}")
        for inner, definition in given.pop("$defs", {}).items():
            definitions[f"{name}.{inner}"] = with_repeated_texts(definition)
        definitions[name] = with_repeated_texts(given)
        words = {"enum": list(system(name).functions)}
        forms.append({"properties": {"function": words, "given": {"$ref": f"#/$defs/{name}"}}})
    return as_text({**schema, "anyOf": forms})


def with_repeated_texts(schema: Any) -> Any:
    """Return a schema in which {repeat, times} may stand for any text."""
    if isinstance(schema, list):
        return [with_repeated_texts(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "string" and "enum" not in schema and "const" not in schema:
        told = {key: value for key, value in schema.items() if key in ("title", "description", "default")}
        return {**told, "$ref": f"#/$defs/{TEXT}"}
    return {key: value if key == "default" else with_repeated_texts(value) for key, value in schema.items()}


def as_text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2) + "\n"


FILES: dict[Path, Callable[[], str]] = {
    FOLDER / "schema.json": schema_text,
    FOLDER / "system_schema.json": system_schema_text,
    Path(trace_schema.__file__).with_name("trace.schema.json"): lambda: schema_text(trace_schema.TraceForm),
}


if __name__ == "__main__":
    for path, text in FILES.items():
        path.write_text(text(), encoding="utf-8")
