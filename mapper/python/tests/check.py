"""Checks of the installed module, in a directory with the profile app.rfp.

RANKFOLD_MAP names the program rankfold-map of the same build.
"""

import ast
import contextlib
import doctest
import importlib
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings

import matplotlib
import numpy
import scipy.io
from helpers import command, irregular, missing, without_clocks
from placements import Placements  # noqa: F401, unittest runs it

import rankfold
from rankfold import _native

matplotlib.use("agg")
MODULES = [
    "rankfold",
    *(f"rankfold._{name}" for name in ("communication", "machine", "placement", "seats", "tables")),
]
# A search that is not over before it is disturbed.
LONG = {"effort": "best", "seconds": 600.0}


def load_tests(_loader, tests, _pattern):
    """Adds the examples of the documentation."""
    for name in MODULES:
        module = importlib.import_module(name)
        tests.addTests(
            doctest.DocTestSuite(module, optionflags=doctest.ELLIPSIS, globs={"rankfold": rankfold})
        )
    return tests


class Figures(unittest.TestCase):
    """The module and the command say the same of the same input and seed."""

    def same(self, communication, file, machine, **options):
        placed = rankfold.map(communication, machine, **options)
        words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
        told = command("map", file, "--machine", machine, "-o", "told.map", *words)
        self.assertEqual(without_clocks(placed.figures), without_clocks(told))
        nodes_of = [f"--{key}={options[key]}" for key in ("cores", "hosts") if key in options]
        again = command("eval", file, "--machine", machine, "--placement", "told.map", *nodes_of)
        for figure in ("hop_bytes", "avg_dilation", "max_congestion", "hybrid"):
            self.assertEqual(placed.figures[figure], again[figure], figure)
        for part in ("total", "predicted_by"):
            time, repeated = (told["predicted_time"] for told in (placed.figures, again))
            self.assertEqual(time[part], repeated[part], part)
        with open("told.map") as nodes:
            self.assertEqual(placed.nodes.tolist(), [int(line) for line in nodes])

    def test_of_a_profile(self):
        self.same("app.rfp", "app.rfp", "torus:4x4@1GB/s+1us", seed=3)
        profile = rankfold.read("app.rfp")
        self.same(profile, "app.rfp", "dragonfly:1,4,2,5", objective="congestion", effort="fast")

    def test_of_a_run_on_known_hosts(self):
        hosts = ",".join(f"host{number}" for number in range(16))
        self.same("app.rfp", "app.rfp", "torus:4x4@1GB/s+1us", hosts=hosts, effort="fast")
        machine = rankfold.machine("torus:4x4@1GB/s+1us", hosts=hosts.split(","))
        placed = rankfold.map("app.rfp", machine, effort="fast")
        self.assertEqual(placed.before, placed.figures["launched"])

    def test_of_a_matrix(self):
        matrix = irregular(48, seed=1)
        scipy.io.mmwrite("irregular.mtx", matrix)
        for given in (
            matrix,
            matrix.toarray(),
            matrix.toarray().astype(float),
            matrix.toarray().tolist(),
        ):
            self.same(given, "irregular.mtx", "fattree:6", cores=2, seed=7, effort="fast")

    def test_of_a_pattern_and_a_machine(self):
        self.assertEqual(rankfold.analyze("app.rfp").figures, command("analyze", "app.rfp"))
        self.assertEqual(
            rankfold.machine("fattree:4", cores=3).figures,
            command("machine", "fattree:4", "--cores", "3"),
        )


    def test_of_a_placement_of_ones_own(self):
        nodes = numpy.random.default_rng(5).permutation(16)
        numpy.savetxt("own.map", nodes, fmt="%d")
        hosts = [f"host{number}" for number in range(16)]
        for machine, words in [
            (rankfold.machine("torus:4x4@1GB/s+1us"), []),
            (rankfold.machine("tree:4x4", hosts=hosts), ["--hosts", ",".join(hosts)]),
        ]:
            told = command(
                "eval", "app.rfp", "--machine", machine.spec, "--placement", "own.map", *words
            )
            for given in (nodes, nodes.tolist(), "own.map", rankfold.seats(machine, nodes)):
                judged = rankfold.evaluate("app.rfp", machine, given)
                self.assertEqual(without_clocks(judged.figures), without_clocks(told))
                self.assertEqual(judged.nodes.tolist(), nodes.tolist())
            self.assertTrue(judged.report().startswith("<!DOCTYPE html>"))
        placed = rankfold.map("app.rfp", "torus:4x4@1GB/s+1us")
        again = rankfold.evaluate("app.rfp", placed.machine, placed)
        self.assertEqual(again.after["hop_bytes"], placed.after["hop_bytes"])
        wide = rankfold.evaluate("app.rfp", placed.machine, nodes, exchange="pairwise")
        self.assertNotEqual(
            wide.predicted_time, rankfold.evaluate("app.rfp", placed.machine, nodes).predicted_time
        )


class Matrices(unittest.TestCase):
    def test_hold_what_was_read(self):
        matrix = irregular(20, seed=2)
        scipy.io.mmwrite("matrix.mtx", matrix)
        profile = rankfold.read("matrix.mtx")
        self.assertEqual((profile.bytes - matrix).nnz, 0)
        self.assertTrue((profile.dense() == matrix.toarray()).all())
        self.assertEqual(len(profile.pairs), matrix.nnz)

    def test_may_be_tables_of_pairs(self):
        profile = rankfold.read("app.rfp", collectives="none")
        options = {"objective": "hop-bytes", "effort": "fast"}
        whole = rankfold.map(profile, "torus:4x4", **options)
        columns = {name: column.to_numpy() for name, column in profile.pairs.items()}
        for pairs in (profile.pairs, columns):
            placed = rankfold.map(pairs, "torus:4x4", **options)
            self.assertEqual(placed.slots.tolist(), whole.slots.tolist())
            self.assertEqual(placed.after["hop_bytes"], whole.after["hop_bytes"])
        first = profile.pairs[profile.pairs["sender"] == 0]
        self.assertEqual(rankfold.evaluate(first, "torus:4x4", range(16)).figures["ranks"], 16)
        for column, wrong, told in [
            ("bytes", -5, r"entry \(0, 1\) is -5"),
            ("sender", -1, "is -1: no number of bytes is negative"),
            ("messages", 0.5, "is 0.5"),
        ]:
            with self.assertRaisesRegex(rankfold.Error, told):
                rankfold.map({**columns, column: columns[column] * 0 + wrong}, "torus:4x4")

    def test_without_meaning_are_refused(self):
        for wrong, told in [
            ([[0, -1], [0, 0]], r"entry \(0, 1\) is -1: no number of bytes is negative"),
            ([[0.0, 0.5], [0.0, 0.0]], r"entry \(0, 1\) is 0.5: a fraction of a byte"),
            ([[0.0, numpy.nan], [0.0, 0.0]], "is nan: not a number of bytes"),
            ([[1, 2, 3]], "1 rows and 3 columns"),
            ([1, 2, 3], "2 dimensions, not 1"),
            ([["a", "b"], ["c", "d"]], "no numbers of bytes"),
        ]:
            with self.assertRaisesRegex(rankfold.Error, told):
                rankfold.map(wrong, "torus:2")

    def test_have_tables_without_pandas(self):
        frame = rankfold.read("app.rfp").times
        with missing("pandas"):
            columns = rankfold.read("app.rfp").times
        self.assertIsInstance(columns, dict)
        self.assertEqual(list(frame.columns), list(columns))
        self.assertEqual(frame["seconds"].tolist(), columns["seconds"])


class Errors(unittest.TestCase):
    def test_are_value_errors_that_name_the_argument(self):
        self.assertTrue(issubclass(rankfold.Error, ValueError))
        placed = rankfold.map("app.rfp", "torus:4x4", effort="fast")
        for call, told in [
            (
                lambda: rankfold.map("app.rfp", "torus:4x4", effort="fastest"),
                "effort fastest: .*hurried, fast",
            ),
            (
                lambda: rankfold.map("app.rfp", "torus:4x4", objective="hops"),
                "objective hops: .*hop-bytes",
            ),
            (lambda: rankfold.map("app.rfp", "torus:4x4", heuristic="magic"), "magic"),
            (
                lambda: rankfold.map("app.rfp", "torus:4x4", exchange="some"),
                "exchange some: .*pairwise",
            ),
            (
                lambda: rankfold.map("app.rfp", "torus:4x4", seconds=-1.0),
                "seconds -1: must be above 0",
            ),
            (lambda: rankfold.map("app.rfp", "torus:4x4", threads=0), "threads 0"),
            (
                lambda: rankfold.map("app.rfp", "torus:4x4", constraints=["together 0,1"]),
                "no placement has ranks 0-1 on one host .constraints:1: together 0,1",
            ),
            (lambda: rankfold.map("app.rfp", "torus:2x2"), "16 ranks"),
            (lambda: placed.mapfile("seq"), "format seq .*hosts"),
            (lambda: placed.write("no/such/place"), "no/such/place"),
            (lambda: rankfold.machine("torus:4x4", cores=0), "cores 0"),
            (lambda: rankfold.read("app.rfp", phase="none"), "app.rfp.*none"),
            (lambda: rankfold.read("app.rfp", collectives="rign"), "collectives rign"),
            (lambda: rankfold.read([]), "no file"),
        ]:
            with self.assertRaisesRegex(rankfold.Error, told) as caught:
                call()
            self.assertNotIn("--", str(caught.exception))

    def test_about_a_missing_file_are_those_of_python(self):
        for call in [
            lambda: rankfold.read("lost.rfp"),
            lambda: rankfold.map("lost.mtx", "torus:4x4"),
            lambda: rankfold.machine("lost.toml"),
            lambda: rankfold.machine("file:lost.txt"),
            lambda: rankfold.machine("torus:4x4", hosts=pathlib.Path("lost")),
            lambda: rankfold.machine("torus:4x4", node="lost.xml"),
            lambda: rankfold.evaluate("app.rfp", "torus:4x4", "lost.map"),
            lambda: rankfold.read_mapfile("lost.map"),
        ]:
            with self.assertRaisesRegex(FileNotFoundError, "lost") as caught:
                call()
            self.assertIsInstance(caught.exception, rankfold.Error)
            self.assertEqual(os.path.splitext(caught.exception.filename)[0], "lost")
        for spec in ("tors:4x4@2.5GB/s", "torus"):
            with self.assertRaises(rankfold.Error) as caught:
                rankfold.machine(spec)
            self.assertNotIsInstance(caught.exception, OSError)

    def test_say_what_to_install(self):
        profile = rankfold.read("app.rfp")
        with missing("numpy"), self.assertRaisesRegex(
            ImportError, r"pip install 'rankfold\[data\]'"
        ):
            profile.dense()
        with missing("scipy"), self.assertRaisesRegex(
            ImportError, r"SciPy: pip install 'rankfold\[data\]'"
        ):
            profile.bytes  # noqa: B018


class Waiting(unittest.TestCase):
    def test_for_a_search_ends_with_an_interrupt(self):
        before = threading.active_count()
        timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            rankfold.map(irregular(64, seed=3), "torus:8x8", **LONG)
        self.assertLess(time.monotonic() - start, 30.0)
        timer.join()
        self.assertEqual(threading.active_count(), before)

    def test_lets_other_threads_run(self):
        counted = []

        def count():
            while not done.wait(0.01):
                counted.append(time.monotonic())

        done = threading.Event()
        counter = threading.Thread(target=count)
        counter.start()
        rankfold.map(irregular(16, seed=4), "torus:4x4", effort="fast")
        done.set()
        counter.join()
        self.assertGreater(len(counted), 1)


def texts(output):
    """The lines of an output of a cell, without pictures."""
    return output.get("text") or [*output.get("data", {}).get("text/plain", []), "\n"]


def shown(source, names):
    """What a cell prints and the value of its last line, as Jupyter shows them in text."""
    body = ast.parse(source).body
    is_value = isinstance(body[-1], ast.Expr) and not source.endswith(";")
    last = ast.Expression(body.pop().value) if is_value else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = eval(compile(last, "cell", "eval"), names) if last else None
    return printed.getvalue() + (f"{value!r}\n" if value is not None else "")


class Notebooks(unittest.TestCase):
    def test_show_reports_in_frames_of_their_own(self):
        placed = rankfold.map("app.rfp", "torus:4x4", effort="fast")
        for shown in (placed, rankfold.read("app.rfp"), rankfold.analyze("app.rfp")):
            page = shown._repr_html_()
            self.assertRegex(
                page, r'<iframe sandbox="allow-scripts"[^>]* srcdoc="[^"]*"></iframe>$'
            )
            self.assertNotRegex(page, "<(script|style|svg)")
        self.assertEqual(len(re.findall("&lt;!DOCTYPE html&gt;", placed._repr_html_())), 1)

    def test_of_the_documentation_say_what_they_say(self):
        folder = pathlib.Path(__file__).parent.parent / "notebooks"
        books = sorted(folder.glob("*.ipynb"))
        self.assertGreaterEqual(len(books), 2)
        for book in books:
            names = {}
            for cell in json.loads(book.read_text())["cells"]:
                if cell["cell_type"] == "code":
                    told = [text for output in cell["outputs"] for text in texts(output)]
                    self.assertEqual(shown("".join(cell["source"]), names), "".join(told), book)

    def test_show_machines_as_the_terminal_does(self):
        self.assertIn("16 nodes", repr(rankfold.machine("torus:4x4")))
        self.assertRegex(
            rankfold.machine("torus:4x4")._repr_html_(), "^<pre[^>]*>machine    torus:4x4\n"
        )


class Module(unittest.TestCase):
    def test_has_the_version_of_the_command(self):
        program = os.environ["RANKFOLD_MAP"]
        told = subprocess.run([program, "-V"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(told.split()[1], rankfold.__version__)

    def test_imports_no_other_package_by_itself(self):
        loads = "import rankfold, sys; rankfold.machine('torus:4'); print('numpy' in sys.modules)"
        told = subprocess.run(
            [sys.executable, "-c", loads], check=True, capture_output=True, text=True
        )
        self.assertEqual(told.stdout, "False\n")

    def test_is_typed_as_it_is(self):
        stubs = os.path.join(os.path.dirname(rankfold.__file__), "_native.pyi")
        with open(stubs) as file:
            declared = set(re.findall(r"^(?:class|def) (\w+)", file.read(), re.MULTILINE))
        found = {name for name in vars(_native) if not name.startswith("_")}
        self.assertEqual(declared, found)
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(stubs), "py.typed")))

    def test_passes_the_strictest_check_of_types(self):
        words = ["-m", "mypy", "--strict", "--python-version", "3.10", "-p", "rankfold"]
        told = subprocess.run([sys.executable, *words], capture_output=True, text=True)
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)


if __name__ == "__main__":
    warnings.simplefilter("error")
    unittest.main()
