"""Files that public packages hold: graphs, machines, targets and traces that other people wrote."""
import fnmatch
import os
import subprocess
import tarfile

# Debian's source packages, and the names of their files that somebody might give to rankfold.
PACKAGES = {
    "hwloc": ("*.xml", "*.xml.gz"),
    "metis": ("*.graph", "*.mesh"),
    "scotch": ("*.tgt", "*.grf", "*.grf.gz"),
    "simgrid": ("*.xml", "*actions*.txt", "*ti_trace*.txt"),
    "slurm-wlm": ("*topology*.conf", "*topology*.yaml"),
}
# Where Debian's sources are listed, without a change to the lists of this machine.
SOURCES = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {mirror} {release} main\n"


def repository():
    """Address and release of the repository that this machine has Debian's packages from."""
    form = "$(ORIGIN) $(COMPONENT) $(REPO_URI) $(CODENAME)"
    asked = ["apt-get", "indextargets", "--format", form, "Created-By: Packages"]
    for line in subprocess.run(asked, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines():
        origin, component, address, release = line.split(" ", 3)
        if (origin, component) == ("Debian", "main"):
            return address, release
    raise SystemExit("this machine has no packages of Debian: apt-get update, or name a directory of your own")


def fetch(scratch, into, packages=None):
    """Downloads the sources of packages, all of the above unless told, and unpacks their files of
    these names into `into`."""
    mirror, release = repository()
    listed = os.path.join(scratch, "sources.list")
    with open(listed, "w", encoding="ascii") as file:
        file.write(SOURCES.format(mirror=mirror, release=release))
    own = {
        "Dir::Etc::SourceList": listed,
        "Dir::Etc::SourceParts": "-",
        "Dir::State::Lists": os.path.join(scratch, "lists"),
        "Dir::Cache": os.path.join(scratch, "cache"),
        "APT::Sandbox::User": "root",
    }
    options = [word for name, value in own.items() for word in ("-o", f"{name}={value}")]
    os.makedirs(os.path.join(scratch, "lists", "partial"))
    os.makedirs(os.path.join(scratch, "cache", "archives", "partial"))
    apt = ["apt-get", "-qq", *options]
    subprocess.run([*apt, "update"], check=True, timeout=300)
    for package, patterns in (packages or PACKAGES).items():
        download = os.path.join(scratch, package)
        os.mkdir(download)
        subprocess.run([*apt, "source", "--download-only", package], cwd=download, check=True, timeout=600)
        for archive in sorted(os.listdir(download)):
            if ".orig.tar" in archive:
                unpack(os.path.join(download, archive), patterns, os.path.join(into, package))


def unpack(archive, patterns, into):
    """Unpacks the files of an archive that have one of these names."""
    with tarfile.open(archive) as packed:
        wanted = [
            member
            for member in packed.getmembers()
            if member.isfile() and any(fnmatch.fnmatch(os.path.basename(member.name), name) for name in patterns)
        ]
        packed.extractall(into, wanted, filter="data")
