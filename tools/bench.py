"""Runs one of Waywiser's own benchmarks (bench/NAME.py), or lists them."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    modules = sorted((ROOT / "bench").glob("*.py"))
    benches = {path.stem: path for path in modules if path.stem != "common"}
    names = sys.argv[1:]
    if not names:
        for name, path in benches.items():
            purpose = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            print(f"{name:12} {purpose.splitlines()[0] if purpose else ''}")
        return 0
    if names[0] not in benches:
        print(f"waywiser: there is no bench {names[0]}; there are {', '.join(benches)}")
        return 2
    (ROOT / "bench" / "results").mkdir(exist_ok=True)
    command = [sys.executable, "-m", f"bench.{names[0]}", "--bars", *names[1:]]
    return subprocess.run(command, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
