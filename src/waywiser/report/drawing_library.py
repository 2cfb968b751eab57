"""The program that draws a page's plots: Vega, Vega-Lite and Vega-Embed in one script.

vl-convert carries the three and takes seconds to bundle them, so the script is cached in the user's
cache directory (XDG Base Directory Specification).
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from waywiser.errors import NotSaved
from waywiser.store.durable import make_directory, replace_text

ENTRY = "window.vegaEmbed = vegaEmbed;"


@cache
def drawing_library() -> str:
    """The script, escaped for a <script> element."""
    cached = _cache_file()
    script = cached and _read(cached)
    if not script:
        script = _bundled()
        if cached:
            _write(cached, script)
    return script


def _bundled() -> str:
    import vl_convert

    script: str = vl_convert.javascript_bundle(ENTRY)
    # HTML ends a script at the first of these, even inside a JavaScript string.
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _cache_file() -> Path | None:
    """The cache file for this version of vl-convert; None for a user without a home directory."""
    cache_home = Path(os.environ.get("XDG_CACHE_HOME", ""))
    with suppress(RuntimeError):
        directory = cache_home if cache_home.is_absolute() else Path.home() / ".cache"
        return directory / "waywiser" / f"vega-{version('vl-convert-python')}.js"
    return None


def _digest(script: str) -> str:
    return hashlib.sha256((ENTRY + script).encode("utf-8")).hexdigest()


def _read(file: Path) -> str | None:
    """The script of a cache file whose first line is its digest."""
    with suppress(OSError, UnicodeDecodeError):
        digest, _, script = file.read_bytes().decode("utf-8").partition("\n")
        return script if digest == _digest(script) else None
    return None


def _write(file: Path, script: str) -> None:
    """Write a file of the cache, and ignore failures: a cache is not worth an error."""
    with suppress(OSError, NotSaved):
        make_directory(file.parent)
        replace_text(file, f"{_digest(script)}\n{script}")
