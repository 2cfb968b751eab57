"""Waywiser in Python: `import waywiser as ww` finds here what docs/python.md describes."""
