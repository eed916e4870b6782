"""A system of the reference, and a scenario of one: a call with everything that it needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ctxlab.errors import Refusal, ScenarioError
from ctxlab.messages.copying import copied
from ctxlab.messages.texts import texts
from ctxlab.scenarios.fields import Fact, Part
from ctxlab.scenarios.systems.fields import ExpectedEnd

History = list[dict[str, Any]]


@dataclass(frozen=True)
class System:
    """A system whose functions run on scenarios.

    name       the name of its folder in `scenarios`
    functions  its functions, each by the word with which a scenario names it; an unbound method gets its
               `self` as it gets any other argument
    given      the fields under `given` in its files
    arguments  makes, from these fields, new values for the parameters of all its functions, by name
    outcome    makes, from what a function returned and its arguments after the run, the plain data that
               `expect.value` describes
    """

    name: str
    functions: Mapping[str, Callable[..., Any]]
    given: type[Part]
    arguments: Callable[[Any], dict[str, Any]]
    outcome: Callable[[Any, dict[str, Any]], Any]


@dataclass(frozen=True)
class SystemScenario:
    """A named call of a function of the reference.

    name          the file's name without .yaml
    promise       one line: what the scenario shows
    system        whose scenario it is
    function      the function that it calls
    must_survive  facts that the history which comes out should still say
    expect        how the call ends
    """

    name: str
    promise: str
    system: System = field(repr=False)
    function: Callable[..., Any]
    given: Part = field(repr=False)
    must_survive: tuple[Fact, ...]
    expect: ExpectedEnd = field(repr=False)

    @property
    def messages(self) -> History:
        """A copy of the history that goes in, or [] where there is none."""
        messages: History = copied(getattr(self.given, "messages", None) or [])
        return messages

    def arguments(self) -> dict[str, Any]:
        """Return new values for the parameters of the function, by name.

        Raises ScenarioError where an object cannot be made of what is given, such as a window of no messages.
        """
        try:
            return self.system.arguments(self.given)
        except Refusal as refusal:
            raise ScenarioError(f"{self.name}: given cannot be used: {refusal}") from refusal

    def surviving(self, messages: History) -> list[Fact]:
        """Return the facts of `must_survive` that `messages` still says, each within one of its texts."""
        said = list(texts(messages))
        return [fact for fact in self.must_survive if any(fact.text in text for text in said)]
