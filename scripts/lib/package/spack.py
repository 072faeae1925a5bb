"""Runs the install step of a recipe of Spack without Spack, for tests.

    spack.py RECIPE SOURCE BUILT PREFIX

SOURCE is the unpacked source, BUILT a directory of binaries: cargo is not run, but has put these
into target/release. What a recipe may use of Spack is imitated as its documentation describes it.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

recipe, source, built, prefix = (Path(word).absolute() for word in sys.argv[1:])


class Prefix(str):
    """A path whose attributes are the paths below it."""

    def __getattr__(self, name):
        return Prefix(os.path.join(self, name))


class Executable:
    def __init__(self, name):
        self.name = name

    def __call__(self, *words, output=None):
        if self.name != "cargo":
            subprocess.run([self.name, *words], stdout=output, check=True)
            return
        packages = [word for before, word in zip(words, words[1:]) if before == "--package"]
        manifests = "\n".join(path.read_text() for path in source.rglob("Cargo.toml"))
        for package in packages:
            assert f'name = "{package}"' in manifests, f"the source has no package {package}"
        (source / "target").mkdir()
        (source / "target/release").symlink_to(built)


@contextlib.contextmanager
def working_dir(path):
    before = os.getcwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


def nothing(*_words, **_named):
    return lambda function: function


spack, package = types.ModuleType("spack"), types.ModuleType("spack.package")
package.Package = object
package.Executable = Executable
package.working_dir = working_dir
package.mkdirp = lambda *paths: [os.makedirs(path, exist_ok=True) for path in paths]
package.install = lambda file, directory: shutil.copy(file, directory)
for name in ("version", "license", "depends_on", "run_after", "on_package_attributes"):
    setattr(package, name, nothing)
sys.modules.update({"spack": spack, "spack.package": package})

names = {}
exec(compile(recipe.read_text(), str(recipe), "exec"), names)
made = names["Rankfold"]()
made.prefix = Prefix(prefix)
os.chdir(source)
made.install(None, made.prefix)
made.check_machine()
