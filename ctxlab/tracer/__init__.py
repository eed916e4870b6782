"""The tracer: the record of one real run of a Python function."""
