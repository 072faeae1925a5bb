"""Python imports this module at its start, because `rankfold profile` puts its directory first in
PYTHONPATH. The module prepares the counting of c10d's calls, and then gives way to the
`sitecustomize` that Python would have imported without it."""

import sys


def _prepare(here):
    """Has c10d counted from its import on. Trouble costs one line, never the program."""
    try:
        import rankfold_c10d

        rankfold_c10d.watch()
    except Exception as problem:
        print(f"rankfold: c10d is not counted: {problem!r}", file=sys.stderr)
    # The program finds the path as it would be without this directory.
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path_importer_cache.pop(here, None)


def _give_way():
    """Imports the module of the same name that comes next in the path, if there is one."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    own = sys.modules.pop(__name__)
    found = PathFinder.find_spec(__name__, sys.path)
    if found is None or found.loader is None:
        # Without another module, this one stays, so that the import of Python's start succeeds.
        sys.modules[__name__] = own
        return
    theirs = module_from_spec(found)
    sys.modules[__name__] = theirs
    found.loader.exec_module(theirs)


_prepare(__file__.rpartition("/")[0])
_give_way()
