"""The shape of a history: which result answers which call, its texts, copies, bytes and tokens."""
