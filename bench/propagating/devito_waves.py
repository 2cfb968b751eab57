"""The propagator of ww-propa in Devito, as a peer of bench/kernels.py.

It runs in an interpreter with Devito, and prints a JSON object for each shape of blocks: GPoint/s
of leapfrog with a variable factor, without a boundary, in fp32.
"""

from __future__ import annotations

import json
import os
import sys
import time

os.environ.setdefault("DEVITO_LANGUAGE", "openmp")
os.environ.setdefault("DEVITO_LOGGING", "ERROR")

import devito
import numpy as np
from devito import Eq, Function, Grid, Operator, TimeFunction

BLOCKS = ((8, 8), (16, 16), (32, 32), (16, 64))


def main() -> None:
    points, order, steps = (int(word) for word in sys.argv[1:])
    grid = Grid(shape=(points, points, points), dtype=np.float32)
    u = TimeFunction(name="u", grid=grid, time_order=2, space_order=order)
    factor = Function(name="factor", grid=grid, space_order=0)
    u.data[:] = 1
    factor.data[:] = 1e-7
    step = Operator([Eq(u.forward, 2 * u - u.backward + factor * u.laplace)])
    step.apply(time_m=1, time_M=1)
    for x, y in ((min(x, points), min(y, points)) for x, y in BLOCKS):
        begin = time.perf_counter()
        step.apply(time_m=1, time_M=steps, x0_blk0_size=x, y0_blk0_size=y)
        seconds = time.perf_counter() - begin
        rate = points**3 * steps / seconds * 1e-9
        sample = {"blocks": [x, y], "order": order, "version": devito.__version__}
        print(json.dumps({**sample, "GPoint_per_s": rate}))


if __name__ == "__main__":
    main()
