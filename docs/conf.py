"""Sphinx's settings for the site; tools/docs.py lays the pages out and runs it."""

from pygments.lexers.shell import BashSessionLexer
from sphinx.highlighting import lexers

from waywiser import __version__

project = "Waywiser"
copyright = "the authors of Waywiser"
release = version = __version__

extensions = ["myst_parser", "sphinx_copybutton", "sphinx_external_toc"]
external_toc_path = "docs/_toc.yml"
exclude_patterns = ["docs/conf.py"]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4

html_theme = "furo"
html_static_path = ["site"]
html_css_files = ["site.css"]
html_title = f"Waywiser {release}"
html_show_sourcelink = False
html_copy_source = False
# Blocks of commands that no test runs, by GitHub's name for such sessions.
lexers["shellsession"] = BashSessionLexer()
# Programs and output stand indented, without their language.
highlight_language = "none"
smartquotes = False  # options keep their two hyphens
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True

_DESCRIPTION = "profile, explain, predict, place and prove, for any unmodified MPI program"
man_pages = [("docs/reference/commands", "waywiser", _DESCRIPTION, project, 1)]
