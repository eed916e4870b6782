"""Your version counts keep_recent exchanges from the front, so it keeps the wrong end. In the scenario normal
with its two exchanges that comes out right by chance. In the scenario trim it makes two exchanges recent
where one was asked for."""

from ctxlab import Refusal


def safe_cut(messages, keep_recent):
    if len(messages) % 2 == 0:
        raise Refusal("pending", "the last call has no results yet")
    exchanges = (len(messages) - 1) // 2
    if keep_recent >= exchanges:
        return 1
    return 1 + 2 * keep_recent
