"""Runs one of Waywiser's own benchmarks, `python -m bench NAME`, or lists them."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path


def main(names: list[str]) -> int:
    modules = sorted(Path(__file__).parent.glob("*.py"))
    benches = {path.stem: path for path in modules if path.stem not in ("__main__", "common")}
    if not names:
        for name, path in benches.items():
            purpose = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            print(f"{name:12} {purpose.splitlines()[0]}")
        return 0
    if names[0] not in benches:
        print(f"waywiser: there is no bench {names[0]}; there are {', '.join(benches)}")
        return 2
    code: int = importlib.import_module(f"bench.{names[0]}").main(names[1:])
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
