# Spack: builds rankfold from a release's source, or from a clone.
#
# `scripts/package source` writes this recipe, with checksum and place of the source, as package.py
# beside the source. Put that file into a repository of recipes as packages/rankfold/package.py
# (`spack repo create REPO` makes one, `spack repo add REPO` adds it); then `spack install
# rankfold`. From a clone: `spack develop --path CLONE rankfold@main`. No MPI is needed to build it:
# it finds out which one a program has.

import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.generic import Package

    compilers = ["c"]
except ImportError:
    # Before version 1.0 of Spack, spack.package has it, and compilers are no dependencies.
    compilers = []


class Rankfold(Package):
    """Profiles an unmodified MPI program, folds its ranks onto the machine's network, relaunches it
    and verifies the placement."""

    url = "@URL@"
    git = "file:///where/the/clone/is"

    version("main", branch="main")
    version("@VERSION@", sha256="@SHA256@")

    license("MIT OR Apache-2.0")

    for compiler in compilers:
        depends_on(compiler, type="build")
    depends_on("rust@1.88:", type="build")

    def install(self, spec, prefix):
        cargo = Executable("cargo")
        crates = ["rankfold", "rankfold-mapper", "rankfold-profiler", "rankfold-world", "rankfold-nccl"]
        cargo("build", "--release", "--locked", *[word for crate in crates for word in ("--package", crate)])
        mkdirp(prefix.bin, prefix.lib.rankfold, prefix.share.man.man1, prefix.share.doc.rankfold)
        for document in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]:
            install(document, prefix.share.doc.rankfold)
        programs = ["rankfold", "rankfold-map"]
        with working_dir(os.path.join("target", "release")):
            for program in programs:
                install(program, prefix.bin)
            for library in ["librankfold.so", "librankfold_world.so", "librankfold_nccl.so"]:
                install(library, prefix.lib.rankfold)
        # The page of the program rankfold-map comes last: a command of rankfold has one of the same
        # name.
        for name in programs:
            program = Executable(os.path.join(prefix.bin, name))
            program("man", prefix.share.man.man1)
            for shell, place, file in [
                ("bash", "bash-completion/completions", name),
                ("zsh", "zsh/site-functions", f"_{name}"),
                ("fish", "fish/vendor_completions.d", f"{name}.fish"),
            ]:
                mkdirp(os.path.join(prefix.share, place))
                with open(os.path.join(prefix.share, place, file), "w") as out:
                    program("completions", shell, output=out)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_machine(self):
        Executable(os.path.join(self.prefix.bin, "rankfold"))("machine", "torus:4x4")
