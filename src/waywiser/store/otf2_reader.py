"""Reads an OTF2 trace: `python -m waywiser.store.otf2_reader ANCHOR TRACE LIBRARY`.

The exit code is 0, 2 if the anchor file or its trace cannot be read, or 1 if the trace cannot be
written.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from waywiser.native._native import InvalidInput, NativeError, import_otf2

LEAST_BYTES = 2 << 30
MEMORY_PER_BYTE = 8
"""Bytes of memory for each byte of a trace's files; the library keeps the definitions in memory."""


def limit_memory(anchor: Path) -> None:
    """Limit the memory, since damaged lengths make the library request and fill any amount."""
    files = [anchor, *anchor.parent.glob(f"{anchor.stem}*"), *anchor.with_suffix("").rglob("*")]
    size = sum(file.stat().st_size for file in files if file.is_file())
    most = LEAST_BYTES + MEMORY_PER_BYTE * size
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def main(anchor: str, trace: str, library: str) -> int:
    limit_memory(Path(anchor))
    try:
        imported = import_otf2(anchor, trace, library)
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 2
    except MemoryError:
        print(f"{anchor}: is damaged: it asks for more memory than it can need", file=sys.stderr)
        return 2
    except NativeError as error:
        print(error, file=sys.stderr)
        return 1
    fields = ("ranks", "calls", "creator", "begin_unix_ns", "end_ns")
    print(json.dumps({field: getattr(imported, field) for field in fields}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
