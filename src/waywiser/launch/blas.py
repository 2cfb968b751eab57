"""The BLAS library of workloads.

The module imports no built module, since tools/build.py uses it before the build.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path


def blas_library() -> str:
    """The OpenBLAS that NumPy's wheel brings with it, which ww-spectral opens when it starts; empty
    where NumPy was installed otherwise."""
    numpy = importlib.util.find_spec("numpy")
    if numpy is None or numpy.origin is None:
        return ""
    beside = Path(numpy.origin).parent.parent / "numpy.libs"
    return str(next(iter(sorted(beside.glob("libscipy_openblas*.so"))), ""))
