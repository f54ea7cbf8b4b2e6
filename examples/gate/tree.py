"""The tree of our library's broadcast: each line of input is a point, each line of output the plan for it."""

import json
import sys

RADIX = 3


def parent(rank):
    """The rank without its last digit that is not 0, to the base RADIX."""
    place = 1
    while rank // place % RADIX == 0:
        place *= RADIX
    return rank - rank // place % RADIX * place


for line in sys.stdin:
    ranks = json.loads(line)["K"]
    parents = [None] + [parent(rank) for rank in range(1, ranks)]
    # Far children first: their subtrees are the largest.
    order = list(reversed(range(ranks)))
    print(json.dumps({"parents": parents, "order": order}), flush=True)
