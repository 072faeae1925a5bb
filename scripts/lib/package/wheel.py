"""Makes a Python wheel of a staged installation and of the Python module.

    wheel.py --stage DIR --module DIR --readme FILE --version V --reference TAG --glibc V
             --machine NAME [--url URL] --to DIR

The programs are scripts of the wheel, the rest of the installation its data: pip puts bin, lib and
share below its own prefix, without root, and rankfold finds its library as ../lib/rankfold. The
module needs Python 3.9 or newer, as its stable interface is that of 3.9.
"""

import argparse
import base64
import hashlib
import os
import stat
import time
import zipfile
from pathlib import Path

SUMMARY = (
    "Fold the ranks of an MPI program onto the machine it runs on: profile, map, relaunch, verify"
)
PYTHON = "3.9"
# glibc's versions that have a name of their own in wheels, for installers that know no other.
NAMES = {"2.17": "manylinux2014", "2.12": "manylinux2010", "2.5": "manylinux1"}
CLASSIFIERS = [
    "Development Status :: 4 - Beta",
    "Environment :: Console",
    "Framework :: Jupyter",
    "Intended Audience :: Developers",
    "Intended Audience :: Science/Research",
    "Intended Audience :: System Administrators",
    "Operating System :: POSIX :: Linux",
    "Programming Language :: Python :: 3",
    "Programming Language :: Rust",
    "Topic :: Scientific/Engineering",
    "Topic :: System :: Distributed Computing",
    "Typing :: Typed",
]
KEYWORDS = "MPI,HPC,rank reordering,process placement,topology mapping,profiling"
# What arrays, sparse matrices and tables of the module need. The commands need none of it.
EXTRA = {"data": ["numpy", "scipy", "pandas"], "plot": ["numpy", "matplotlib", "networkx"]}
PAGES = {"Repository": "", "Changelog": "/blob/{reference}/CHANGELOG.md", "Issues": "/issues"}


def record(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def tags(glibc, machine):
    platforms = [f"manylinux_{glibc.replace('.', '_')}_{machine}"]
    if glibc in NAMES:
        platforms.append(f"{NAMES[glibc]}_{machine}")
    return f"cp{PYTHON.replace('.', '')}-abi3", platforms


def metadata(given, licences, readme):
    lines = [
        "Metadata-Version: 2.4",
        "Name: rankfold",
        f"Version: {given.version}",
        f"Summary: {SUMMARY}",
        "License-Expression: MIT OR Apache-2.0",
        *(f"License-File: {name}" for name in licences),
        f"Keywords: {KEYWORDS}",
        *(f"Classifier: {one}" for one in CLASSIFIERS),
        f"Requires-Python: >={PYTHON}",
    ]
    for extra, packages in EXTRA.items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {package}; extra == "{extra}"' for package in packages]
    if given.url:
        pages = ((name, page.format(reference=given.reference)) for name, page in PAGES.items())
        lines += [f"Project-URL: {name}, {given.url}{page}" for name, page in pages]
    lines.append("Description-Content-Type: text/markdown; charset=UTF-8; variant=GFM")
    return ("\n".join(lines) + "\n\n" + readme).encode()


def collect(given, top):
    """Every file of the wheel but RECORD: by its name the content and the mode."""
    data = f"rankfold-{given.version}.data"
    files = {}
    for path in sorted(given.module.rglob("*")):
        if path.is_file():
            files[str(path.relative_to(given.module))] = path.read_bytes(), 0o644
    for path in sorted(given.stage.rglob("*")):
        if path.is_file():
            inside = path.relative_to(given.stage)
            program = inside.parts[0] == "bin"
            place = f"scripts/{inside.name}" if program else f"data/{inside}"
            files[f"{data}/{place}"] = path.read_bytes(), 0o755 if program else 0o644
    documents = given.stage / "share/doc/rankfold"
    licences = sorted(path.name for path in documents.glob("LICENSE-*"))
    for name in licences:
        files[f"{top}/licenses/{name}"] = (documents / name).read_bytes(), 0o644
    readme = given.readme.read_text()
    files[f"{top}/METADATA"] = metadata(given, licences, readme), 0o644
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("stage", "module", "readme", "to"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("version", "reference", "glibc", "machine"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--url", default="")
    given = parser.parse_args()
    top = f"rankfold-{given.version}.dist-info"
    python, platforms = tags(given.glibc, given.machine)
    files = collect(given, top)
    wheel = ["Wheel-Version: 1.0", "Generator: rankfold", "Root-Is-Purelib: false"]
    wheel += [f"Tag: {python}-{platform}" for platform in platforms]
    files[f"{top}/WHEEL"] = ("\n".join(wheel) + "\n").encode(), 0o644
    lines = "".join(record(name, content) for name, (content, _) in files.items())
    files[f"{top}/RECORD"] = (lines + f"{top}/RECORD,,\n").encode(), 0o644

    # The times of a zip begin in 1980 and have no zone.
    when = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
    path = given.to / f"rankfold-{given.version}-{python}-{'.'.join(platforms)}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (content, mode) in files.items():
            info = zipfile.ZipInfo(name, when)
            info.external_attr = (stat.S_IFREG | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    print(path)


main()
