"""Functions that change none of their arguments, so that nothing has to be compared after a call."""

import builtins
import copy
import json

from ctxlab.messages.blocks import call_ids, result_ids
from ctxlab.messages.copying import copied
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.grammar import call_fault, is_text_question, pair_fault, result_fault, unpaired
from ctxlab.messages.wording import shown

_BUILTINS = """
    abs all any ascii bin bool bytes callable chr complex dict divmod enumerate float format frozenset hasattr
    hash hex id int isinstance issubclass len list max min oct ord pow print range repr reversed round set
    slice sorted str sum super tuple type zip
""".split()

# By id, since a callable need not be hashable; all of these live as long as the process.
PURE = frozenset(
    id(function)
    for function in (
        *(getattr(builtins, name) for name in _BUILTINS),
        copied,
        compact_json,
        call_ids,
        result_ids,
        is_text_question,
        pair_fault,
        call_fault,
        result_fault,
        unpaired,
        shown,
        copy.copy,
        copy.deepcopy,
        json.dumps,
        json.loads,
    )
)
