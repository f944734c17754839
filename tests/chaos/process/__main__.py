"""The process itself, by a name that the workers of its parsers do not load again."""

import asyncio
import sys

from tests.chaos.process import fork_each, main

if sys.argv[1] == "fork":
    fork_each()
else:
    asyncio.run(main(sys.argv[1], *map(float, sys.argv[2:])))
