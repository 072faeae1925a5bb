"""Lays out the pages of the documentation site: the Markdown files of the repository in their own
folders, with links that hold on the site.

    stage.py ROOT STAGE --program RANKFOLD [--source URL] [--reports DIRECTORY]

Files keep their paths, so links between pages stay as they are. Pictures and data that pages link
are copied. Links to anything else, such as sources, lead to URL or become plain words. The comment
<!-- report: NAME --> becomes the report NAME.html of DIRECTORY, where there is one. The help of
every command of RANKFOLD is a page of its own, and notebooks are pages with what their cells say.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

# The pages in the order of the menu: title and file, or title and pages below it.
PAGES = [
    ("Overview", "README.md"),
    ("Install", "launcher/INSTALL.md"),
    ("First job in five minutes", "launcher/FIRST_JOB.md"),
    ("For users", [
        ("Running programs", "launcher/README.md"),
        ("Placing ranks", "mapper/README.md"),
        ("Machines", "mapper/MACHINES.md"),
        ("GPU jobs", "mapper/GPU_JOBS.md"),
        ("Reports", "mapper/report/README.md"),
        ("From Python", "mapper/python/README.md"),
        ("A notebook that places a job", "mapper/python/notebooks/place_a_job.ipynb"),
        ("A notebook on own placements", "mapper/python/notebooks/own_placements.ipynb"),
        ("Containers", "scripts/package.d/containers.md"),
        ("JSON documents", "launcher/schemas/README.md"),
        ("Questions", "launcher/FAQ.md"),
    ]),
    ("For site staff", [
        ("A site's configuration", "launcher/SITES.md"),
        ("Launch lines of centres", "launcher/LINES.md"),
        ("Security", "SECURITY.md"),
        ("The profiler", "profiler/README.md"),
        ("Counting NCCL", "profiler/nccl/README.md"),
        ("Renumbering", "profiler/world/README.md"),
    ]),
    ("How good it is", [
        ("How predictions are made", "launcher/PREDICTIONS.md"),
        ("Gallery", "launcher/GALLERY.md"),
        ("Heuristics", "mapper/HEURISTICS.md"),
        ("Constants of the search", "mapper/search/TUNING.md"),
        ("Comparison", "launcher/COMPARISON.md"),
        ("Benchmarks and scripts", "scripts/README.md"),
        ("Instances", "scripts/instances/README.md"),
    ]),
    ("The project", [
        ("Changes", "CHANGELOG.md"),
        ("Architecture", "ARCHITECTURE.md"),
        ("Contributing", "CONTRIBUTING.md"),
    ]),
]

# Files of these kinds are copied where a page links them.
COPIED = {".png", ".svg", ".json", ".html"}

# The settings of MkDocs; the version and the address of the sources come first.
SETTINGS = """\
docs_dir: pages
use_directory_urls: false
theme:
  name: material
  font: false
  features: [navigation.sections, navigation.top, search.highlight, content.code.copy, toc.integrate]
  palette:
    - {media: "(prefers-color-scheme: light)", scheme: default, primary: indigo, toggle: {icon: material/brightness-7, name: dark}}
    - {media: "(prefers-color-scheme: dark)", scheme: slate, primary: indigo, toggle: {icon: material/brightness-4, name: light}}
plugins: [search, offline]
extra_css: [site.css]
extra: {generator: false, polyfills: [iframe-worker.js]}
markdown_extensions:
  - tables
  - sane_lists
  - attr_list
  - md_in_html
  - pymdownx.superfences
  - toc: {permalink: true, slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}}
validation: {links: {not_found: warn, anchors: warn, unrecognized_links: warn, absolute_links: warn}, nav: {omitted_files: warn}}
nav:
"""

STYLE = """\
.md-grid { max-width: 72rem; }
.md-typeset pre > code { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .68rem; }
iframe { width: 100%; height: 40rem; border: 1px solid var(--md-default-fg-color--lightest); }
"""


def titles(pages):
    """The title of every page."""
    for title, below in pages:
        yield from [(below, title)] if isinstance(below, str) else titles(below)


def menu(pages, indent="  "):
    for title, below in pages:
        if isinstance(below, str):
            yield f"{indent}- {title}: {shown_as(below)}\n"
        else:
            yield f"{indent}- {title}:\n"
            yield from menu(below, indent + "    ")


def shown_as(page):
    """The name on the site of a page."""
    return page.replace(".ipynb", ".md")


class Stage:
    def __init__(self, root, stage, source, reports):
        self.root, self.pages, self.source, self.reports = root, stage / "pages", source, reports
        self.titles = dict(titles(PAGES))
        self.missing = []

    def link(self, page, words, target):
        """The Markdown of a link on `page` as it holds on the site."""
        path = target.partition("#")[0]
        if "://" in path or target.startswith(("#", "mailto:")):
            return f"[{words}]({target})"
        file = (self.root / page).parent.joinpath(path).resolve()
        if not file.exists():
            self.missing.append(f"{page}: there is no {target}")
            return words
        inside = file.relative_to(self.root).as_posix()
        if inside not in self.titles and f"{inside}/README.md" in self.titles:
            inside, target = f"{inside}/README.md", f"{path.rstrip('/')}/README.md"
        if inside in self.titles:
            # A file's name says nothing on the site.
            shown = self.titles[inside] if words.strip("`").endswith(".md") else words
            return f"[{shown}]({shown_as(target)})"
        if file.suffix in COPIED:
            copy = self.pages / inside
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
            return f"[{words}]({target})"
        return f"[{words}]({self.source}/{inside})" if self.source else words

    def line(self, page, line):
        """A line of prose: its links, outside of code in backquotes."""
        def link(found):
            return found[0] if found[1] is not None else self.link(page, found[2], found[3])
        return re.sub(r"(`[^`\[\]]*`)(?!\])|\[((?:`[^`]*`|[^\[\]`])*)\]\(([^()\s]+)\)", link, line)

    def report(self, page, name):
        """The report NAME inside of a page, and a link to it alone."""
        file = self.reports / f"{name}.html" if self.reports else None
        if not file or not file.exists():
            return ""
        shutil.copyfile(file, (self.pages / page).parent / file.name)
        return f'[The report alone]({file.name}){{target=_blank}}\n\n<iframe src="{file.name}" title="Report: {name}"></iframe>'

    def commands(self, program, words=()):
        """Pages with the help of every command, and their entries in the menu."""
        help_of = subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True)
        name, file = " ".join(["rankfold", *words]), f"commands/{'-'.join(['rankfold', *words])}.md"
        page = f"# {name}\n\n```text\n{help_of.stdout.rstrip()}\n```\n"
        (self.pages / "commands").mkdir(parents=True, exist_ok=True)
        (self.pages / file).write_text(page)
        yield name, file
        listed = re.search(r"^Commands:\n(.*?)(\n\n|\Z)", help_of.stdout, re.MULTILINE | re.DOTALL)
        for below in re.findall(r"^  ([a-z][a-z-]*)", listed[1] if listed else "", re.MULTILINE):
            if below != "help":
                yield from self.commands(program, [*words, below])

    @staticmethod
    def notebook(text):
        """The lines of a notebook: its words, its code, and what the cells say."""
        for cell in json.loads(text)["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                yield from [*source.splitlines(), ""]
                continue
            yield from ["```python", source, "```", ""]
            for output in cell["outputs"]:
                told = output.get("text") or output.get("data", {}).get("text/plain", [])
                yield from ["```text", "".join(told).rstrip(), "```", ""]

    def text(self, page):
        """The lines of a page. A list needs an empty line before it, a block of code no further
        words after its kind, and a table no comments inside."""
        fenced, before = False, ""
        text = (self.root / page).read_text()
        lines = self.notebook(text) if page.endswith(".ipynb") else text.splitlines()
        for line in lines:
            if line.lstrip().startswith("```"):
                fenced = not fenced
                yield re.sub(r"^(\s*```\w+) .*", r"\1", line)
            elif fenced or line.startswith("    "):
                yield line
            else:
                item = re.match(r"(\*|-|\d+\.) ", line)
                if item and before and not re.match(r"\s*(\*|-|\d+\.) |\s", before):
                    yield ""
                report = re.fullmatch(r"<!-- report: (\w+) -->", line)
                if report:
                    yield self.report(page, report[1])
                elif not re.fullmatch(r"<!--.*-->", line):
                    yield self.line(page, line)
            before = line

    def write(self):
        for page in sorted(self.titles):
            file = self.pages / shown_as(page)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(self.text(page)) + "\n")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("root", type=Path)
    arguments.add_argument("stage", type=Path)
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--source")
    arguments.add_argument("--reports", type=Path)
    given = arguments.parse_args()
    stage = Stage(given.root.resolve(), given.stage, given.source, given.reports)
    stage.write()
    if stage.missing:
        sys.exit("\n".join(stage.missing))
    (stage.pages / "site.css").write_text(STYLE)
    shutil.copyfile(Path(__file__).parent / "iframe-worker.js", stage.pages / "iframe-worker.js")
    told = subprocess.run([given.program, "-V"], check=True, capture_output=True, text=True)
    settings = f"site_name: {told.stdout.strip()}\n"
    if given.source:
        settings += f"repo_url: {re.sub('/blob/.*', '', given.source)}\n"
    pages = [*PAGES, ("Commands", list(stage.commands(given.program)))]
    (given.stage / "mkdocs.yml").write_text(settings + SETTINGS + "".join(menu(pages)))


main()
