"""Your version says yes to everything. In the scenario budget_4 not even the brackets of five messages would
fit, and it still says that the history may be sent. A limit that never says no is none: the request goes out,
and the provider refuses it."""


def fits(messages, budget):
    return True
