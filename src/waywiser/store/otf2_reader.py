"""Reads an OTF2 trace: `python -m waywiser.store.otf2_reader ANCHOR TRACE LIBRARY`.

Exit code: 0, 2 if the anchor file or what belongs to it cannot be read, 1 if the trace cannot be
written.
"""

from __future__ import annotations

import json
import sys

from waywiser.native._native import InvalidInput, NativeError, import_otf2


def main(anchor: str, trace: str, library: str) -> int:
    try:
        imported = import_otf2(anchor, trace, library)
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 2
    except NativeError as error:
        print(error, file=sys.stderr)
        return 1
    fields = ("ranks", "calls", "creator", "begin_unix_ns", "end_ns")
    print(json.dumps({field: getattr(imported, field) for field in fields}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
