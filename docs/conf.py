"""How Sphinx builds the site: ``make docs``. Pages are Markdown; the reference is generated."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from pygments.lexers.shell import BashLexer
from pygments.lexers.special import TextLexer

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

import pages  # noqa: E402
from acumen._version import __version__  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "acumen"
author = copyright = "The acumen authors"  # noqa: A001 - Sphinx's own name
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["data", "pictures/*.md"]
html_theme = "furo"
html_title = "acumen"
html_show_sphinx = False
html_copy_source = False
# the words of a hit would be fetched, which a browser refuses to a page opened from disk
html_show_search_summary = False
html_math_renderer = "mathml"
html_static_path = ["static"]
html_extra_path = ["llms.txt"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_theme_options = {"footer_icons": [], "source_repository": "", "top_of_page_buttons": []}
nitpicky = False  # types of NumPy and the like have no page here
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
myst_heading_anchors = 4
# anchors written as HTML are unknown to the parser: ``pages.links`` checks every link of the site
suppress_warnings = ["myst.xref_missing"]

INDEXED = re.compile(
    r"<munderover>\s*(<mi>\w</mi>)\s*(.*?)\s*(<mo [^>]*>[ˆˉ]</mo>)\s*</munderover>", re.DOTALL
)
"""An index below a letter with an accent: it belongs beside it."""


def add_contents(app: Sphinx, name: str, source: list[str]) -> None:
    """The first page carries the contents of the site, section by section."""
    if name == "index":
        source[0] += pages.contents(DOCS)


class _WithoutNotes(ast.NodeTransformer):
    """Takes the type out of ``Annotated``: the rest is for the command line."""

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        if ast.unparse(node.value) == "Annotated" and isinstance(node.slice, ast.Tuple):
            return self.visit(node.slice.elts[0])
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Name(node.attr) if ast.unparse(node.value) == "options" else node


def plain_signature(
    app: Sphinx, kind: str, name: str, value: Any, options: Any, signature: str, returns: str
) -> tuple[str, str] | None:
    """The signature as a reader wants it: names, types, defaults."""
    if not re.search(r"Annotated\[|\boptions\.", signature or ""):
        return None
    (function,) = ast.parse(f"def f{signature}: ...").body
    return f"({ast.unparse(_WithoutNotes().visit(function).args)})", returns


def visit_math(self: Any, node: nodes.math) -> None:
    """A formula within a line."""
    _write_formula(self, node, block=False)


def visit_math_block(self: Any, node: nodes.math_block) -> None:
    """A formula on a line of its own."""
    _write_formula(self, node, block=True)


def _write_formula(self: Any, node: nodes.Element, *, block: bool) -> None:
    # MathML needs no script: nothing is loaded, and it is read aloud
    plain = re.sub(r"\\[bB]ig(?![a-z])", "", node.astext())
    formula = INDEXED.sub(r"<msub><mover>\1\3</mover>\2</msub>", tex2mathml(plain, as_block=block))
    tag = "div" if block else "span"
    self.body.append(f'<{tag} class="math">{formula}</{tag}>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Write what is generated, and draw formulas as MathML."""
    pages.write(DOCS)
    app.add_lexer("csv", TextLexer)
    app.add_lexer("console", BashLexer)  # commands stand without a prompt, outputs apart from them
    app.connect("source-read", add_contents)
    app.connect("autodoc-process-signature", plain_signature)
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
