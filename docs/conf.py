"""The documentation site: Sphinx, MyST and furo. `scripts/docs` builds it, with warnings as errors.

Pages that could go out of date are made while the site is built (`extension`): the command line, the cases of the
rules, and the API, which Sphinx makes of docstrings. The build refuses a site that asks another host for a font, a
style or a script.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from kgreason import __version__  # noqa: E402

project = "kgreason"
author = "The kgreason authors"
copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "docs.extension"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

default_role = "code"
autodoc_class_signature = "separated"  # most objects are not made by calling their class
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"kgreason {release}"
html_copy_source = False
html_show_copyright = False
