"""The figures that ctxlab is to reach, measured: `make bench`."""
