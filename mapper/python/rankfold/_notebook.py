"""How results show themselves in a notebook."""

from __future__ import annotations

import html


def framed(page: str) -> str:
    """A page in a frame: neither its styles nor its scripts reach the notebook."""
    source = html.escape(page, quote=True)
    return (
        '<iframe sandbox="allow-scripts" style="width:100%;height:40em;border:1px solid #8884" '
        f'loading="lazy" title="rankfold" srcdoc="{source}"></iframe>'
    )


def preformatted(text: str) -> str:
    """Lines of text as they are in a terminal."""
    return f'<pre style="line-height:1.2">{html.escape(text)}</pre>'
