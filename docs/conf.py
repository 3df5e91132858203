"""The documentation site: `sphinx-build -W docs docs/_build/html` builds it. Start at PublicNames.

The pages of this folder are the site's, written in MyST Markdown; `reference.md` is filled from the docstrings.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import ponderosa
from ponderosa import policies
from ponderosa.core.field_texts import HEADING
from ponderosa.mcts.policies.registry import NAMED

ROOT = Path(__file__).parent.parent

project = "Ponderosa"
author = "The Ponderosa developers"
version = release = version_of("ponderosa")
extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Ponderosa {release}"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
nb_execution_mode = "off"  # tests/test_tutorial.py runs the notebook
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # a report's headings begin where they please
default_role = "code"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
KINDS = ("SelectFunction", "ExpandFunction", "PlayoutFunction", "BackupFunction", "ChooseFunction", "LearnFunction")
autodoc_type_aliases = {name: name for name in (*KINDS, "StudyFunction", "Strategy", "Fields", "Evaluate")}
python_maximum_signature_line_length = 100


class PublicNames(SphinxDirective):
    """`:::{names} ponderosa`: the reference of the names in its lines, each with its signature, fields and methods.

    Of a phase of the search, as in `:::{names} ponderosa.policies select`, it is all of its policies.
    """

    required_arguments = 1
    optional_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        module, *phase = self.arguments
        names = " ".join(self.content).split()
        if phase:
            names = [f"{phase[0]}.{maker.__name__}" for maker in NAMED[phase[0]].values()]
        documented.update(names)
        block = nodes.container()
        lines = ["```{eval-rst}", *(line for name in names for line in entry(module, name)), "```"]
        self.state.nested_parse(StringList(lines, self.get_source_info()[0]), self.content_offset, block)
        return block.children


documented: set[str] = set()
"""The names that the reference has so far."""


def entry(module: str, name: str) -> list[str]:
    """What tells autodoc to describe a name."""
    value: Any = import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    if inspect.isclass(value):
        return ["", f".. autoclass:: {module}::{name}", "   :members:", ""]
    if inspect.isroutine(value):
        return ["", f".. autofunction:: {module}::{name}", ""]
    return ["", f".. autodata:: {module}::{name}", ""]


def public() -> set[str]:
    """Every name that the reference must have."""
    makers = {f"{phase}.{maker.__name__}" for phase, found in NAMED.items() for maker in found.values()}
    return {*ponderosa.__all__, *makers, *(name for name, value in vars(policies).items() if inspect.isclass(value))}


def lead_into_the_site(app: Sphinx, page: str, source: list[str]) -> None:
    """Links to files above this folder lead to their pages here."""
    source[0] = source[0].replace("](../CONTRIBUTING.md)", "](contributing.md)")


def leave_fields_out(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """The fields in a class's help follow here one by one anyway."""
    if what == "class" and HEADING in lines:
        del lines[lines.index(HEADING) :]


def shorten(
    app: Sphinx, what: str, name: str, value: object, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """A default that is no Python, as `<factory>`, is left out, or Sphinx takes the signature for one long text."""
    if signature is not None:
        signature = re.sub(r"<(?:[^<>]|<[^<>]*>)+>", "...", signature)
        signature = re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", signature)
    return signature, returned


def show_examples_as_code(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """What a docstring indents after an empty line is code."""
    for place in reversed(range(2, len(lines))):
        if lines[place].startswith("    ") and not lines[place - 1] and not lines[place - 2].startswith("    "):
            lines[place:place] = ["::", ""]


def check(app: Sphinx, error: Exception | None) -> None:
    """Nothing public is missing in the reference."""
    missing = sorted(public() - documented)
    if error is None and documented and missing:
        raise RuntimeError(f"docs/reference.md lacks {', '.join(missing)}")


def setup(app: Sphinx) -> None:
    """What Sphinx calls first."""
    app.add_directive("names", PublicNames)
    app.connect("source-read", lead_into_the_site)
    app.connect("autodoc-process-signature", shorten)
    app.connect("autodoc-process-docstring", leave_fields_out)
    app.connect("autodoc-process-docstring", show_examples_as_code)
    app.connect("build-finished", check)
