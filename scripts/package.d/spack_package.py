# Spack: builds rankfold from a clone. Put this file into a repository of your own as packages/rankfold/package.py and set `git`
# to the clone, or use `spack develop --path CLONE rankfold@main`. No MPI is needed to build it: it finds out which one a program has.

import os

from spack.package import *


class Rankfold(Package):
    """Profiles an unmodified MPI program, folds its ranks onto the machine's network, relaunches it and verifies the placement."""

    git = "file:///where/the/clone/is"

    version("main", branch="main")

    license("MIT OR Apache-2.0")

    depends_on("c", type="build")
    depends_on("rust@1.88:", type="build")

    def install(self, spec, prefix):
        cargo = Executable("cargo")
        crates = ["rankfold", "rankfold-mapper", "rankfold-profiler"]
        if os.path.exists("profiler/world/Cargo.toml"):
            crates.append("rankfold-world")
        cargo("build", "--release", "--locked", *[word for crate in crates for word in ("--package", crate)])
        mkdirp(prefix.bin, prefix.lib.rankfold, prefix.share.man.man1)
        with working_dir("target/release"):
            for program in ["rankfold", "rankfold-map"]:
                install(program, prefix.bin)
            for library in find(".", "librankfold*.so", recursive=False):
                install(library, prefix.lib.rankfold)
        rankfold = Executable(prefix.bin.rankfold)
        rankfold("man", prefix.share.man.man1)
        for shell, place, name in [
            ("bash", "bash-completion/completions", "rankfold"),
            ("zsh", "zsh/site-functions", "_rankfold"),
            ("fish", "fish/vendor_completions.d", "rankfold.fish"),
        ]:
            mkdirp(join_path(prefix.share, place))
            with open(join_path(prefix.share, place, name), "w") as out:
                rankfold("completions", shell, output=out)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_machine(self):
        Executable(self.prefix.bin.rankfold)("machine", "torus:4x4")
