"""Makes a Python wheel of a staged installation: pip puts bin, lib and share below its own prefix, without root.

    wheel.py STAGE VERSION GLIBC OUT

The programs are scripts of the wheel, everything else its data; rankfold finds its library beside itself, as ../lib/rankfold.
"""

import base64
import hashlib
import os
import platform
import stat
import sys
import time
import zipfile
from pathlib import Path

SUMMARY = "Fold the ranks of an MPI program onto the machine it runs on: profile, map, relaunch, verify"


def record(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def main(stage, version, glibc, out):
    stage, out = Path(stage), Path(out)
    machine = platform.machine()
    tag = f"py3-none-manylinux_{glibc.replace('.', '_')}_{machine}"
    top, data = f"rankfold-{version}.dist-info", f"rankfold-{version}.data"
    files = {}
    for path in sorted(stage.rglob("*")):
        if path.is_file():
            inside = path.relative_to(stage)
            program = inside.parts[0] == "bin"
            place = f"scripts/{inside.name}" if program else f"data/{inside}"
            files[f"{data}/{place}"] = (path.read_bytes(), 0o755 if program else 0o644)
    readme = (stage / "share/doc/rankfold/README.md").read_text()
    metadata = [
        "Metadata-Version: 2.1",
        "Name: rankfold",
        f"Version: {version}",
        f"Summary: {SUMMARY}",
        "License: MIT OR Apache-2.0",
        "Requires-Python: >=3.6",
        "Description-Content-Type: text/markdown",
    ]
    wheel = ["Wheel-Version: 1.0", "Generator: rankfold", "Root-Is-Purelib: false", f"Tag: {tag}"]
    files[f"{top}/METADATA"] = ("\n".join(metadata) + "\n\n" + readme).encode(), 0o644
    files[f"{top}/WHEEL"] = ("\n".join(wheel) + "\n").encode(), 0o644
    lines = "".join(record(name, content) for name, (content, _) in files.items())
    files[f"{top}/RECORD"] = (lines + f"{top}/RECORD,,\n").encode(), 0o644

    # The times of a zip begin in 1980 and have no zone.
    when = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
    path = out / f"rankfold-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, mode) in files.items():
            info = zipfile.ZipInfo(name, when)
            info.external_attr = (stat.S_IFREG | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    print(path)


main(*sys.argv[1:])
