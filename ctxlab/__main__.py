"""`python -m ctxlab`: the command line."""

import sys

from ctxlab.cli import main

sys.exit(main())
