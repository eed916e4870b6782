"""Your version measures the list as Python prints it. That is not what is sent: Python puts a space after
each comma, and its length counts characters. So it says no to the scenario exact, for its spaces, and yes to
the scenario chinese, which is over its budget."""


def fits(messages, budget):
    return len(str(messages)) <= budget
