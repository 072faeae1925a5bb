"""Copies the README and every document and picture it leads to, and mends the links.

    documents.py ROOT OUT [URL REFERENCE]     below OUT, as they lie below ROOT
    documents.py --page FILE [URL REFERENCE]  FILE as the front page of a package index, printed

A link to a file that is not copied leads to the file at URL, the address of the repository, where
that is given; elsewhere a link keeps its text alone, and a picture goes. On a package index no
other file is there, so that holds for every relative link.
"""

import re
import sys
from pathlib import Path

# Code first, as a link in it is none: a fence, an indented line, backquotes. Then a link.
PARTS = re.compile(
    r"^```.*?^```$|^ {4}[^\n]*$|`[^`\n]*`|(?P<mark>!?)\[(?P<label>[^\]]*)\]\((?P<target>[^)\s]+)\)",
    re.MULTILINE | re.DOTALL,
)
COPIED = (".md", ".png", ".svg", ".json")


def outside(link):
    return "://" in link or link.startswith(("mailto:", "#"))


def mended(text, page, known, url, reference):
    """The text of a page, whose path below the root is `page`, with links that lead somewhere."""

    def link(match):
        mark, label, target = match.group("mark", "label", "target")
        if target is None or outside(target):
            return match[0]
        path, _, anchor = target.partition("#")
        inside = (Path("/") / page.parent / path).resolve().relative_to("/")
        if known(inside):
            return match[0]
        if not url:
            return "" if mark else label
        kind = "raw" if mark else "blob"
        return f"{mark}[{label}]({url}/{kind}/{reference}/{inside}{'#' + anchor if anchor else ''})"

    return PARTS.sub(link, text)


def links(text):
    targets = (match["target"] for match in PARTS.finditer(text))
    return [one.partition("#")[0] for one in targets if one and not outside(one)]


def documents(root):
    """The README and what it leads to, directly or through other documents, below the root."""
    found, left = set(), [Path("README.md")]
    while left:
        page = left.pop()
        if page in found:
            continue
        found.add(page)
        if page.suffix == ".md":
            for target in links((root / page).read_text()):
                path = (root / page.parent / target).resolve()
                if path.suffix in COPIED and path.is_file() and path.is_relative_to(root):
                    left.append(path.relative_to(root))
    return found


def copy(root, out, url, reference):
    found = documents(root)
    for page in sorted(found):
        (out / page).parent.mkdir(parents=True, exist_ok=True)
        content = (root / page).read_bytes()
        if page.suffix == ".md":
            content = mended(content.decode(), page, found.__contains__, url, reference).encode()
        (out / page).write_bytes(content)


def main(words):
    url, reference = (words[2:] + ["", ""])[:2]
    if words[0] == "--page":
        text = Path(words[1]).read_text()
        sys.stdout.write(mended(text, Path("README.md"), lambda _: False, url, reference))
    else:
        copy(Path(words[0]).resolve(), Path(words[1]), url, reference)


main(sys.argv[1:])
