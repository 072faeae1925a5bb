"""Checks of placements of one's own: mapfiles, pickles, pictures and graphs."""

import copy
import os
import pathlib
import pickle
import shutil
import unittest
import warnings

import numpy
import scipy.sparse
from helpers import irregular, missing

import rankfold


class Placements(unittest.TestCase):
    """Seats, mapfiles and pickles."""

    def test_are_read_back_in_every_syntax_as_they_were_written(self):
        machine = rankfold.machine("tree:2x2", cores=2, hosts=["a", "b", "c", "d"])
        own = rankfold.seats(machine, slots=[7, 0, 3, 5, 1, 2])
        for format in ("nodes", "openmpi4", "openmpi5", "seq", "slurm", "json", "intel"):
            own.write("own.map", format)
            read = rankfold.read_mapfile("own.map", machine, format=format)
            self.assertEqual(read.nodes.tolist(), own.nodes.tolist(), format)
        alone = rankfold.read_mapfile("own.map", format="intel")
        self.assertEqual(sorted(alone.machine.hosts), ["a", "b", "c", "d"])
        self.assertEqual(pickle.loads(pickle.dumps(alone)).nodes.tolist(), alone.nodes.tolist())

    def test_without_meaning_are_refused(self):
        for call, told in [
            (lambda: rankfold.evaluate("app.rfp", "torus:4x4", range(15)), "places 15 ranks"),
            (lambda: rankfold.evaluate("app.rfp", "torus:4x4", [0] * 16), "rank 1: node 0 is full"),
            (lambda: rankfold.seats("torus:4x4", [99]), "rank 0: node 99"),
            (lambda: rankfold.seats("torus:4x4", slots=[99]), "rank 0: place 100"),
            (lambda: rankfold.seats("torus:4x4", [-1]), "whole numbers from 0 up"),
            (lambda: rankfold.seats("torus:4x4", [0.5]), "whole numbers from 0 up"),
            (lambda: rankfold.seats("torus:4x4", [[0]]), "not 2 dimensions"),
            (lambda: rankfold.seats("torus:4x4"), "give nodes or slots"),
            (lambda: rankfold.read_mapfile("app.rfp", "torus:4x4"), "app.rfp"),
        ]:
            with self.assertRaisesRegex(rankfold.Error, told):
                call()

    def test_arguments_of_wrong_types_and_sizes_are_named(self):
        ring = numpy.roll(numpy.eye(8, dtype=int) * 1000, 1, axis=1)
        sparse = scipy.sparse.coo_array(numpy.array([1, 2, 3]))
        pairs = {"sender": [0, 1], "receiver": [1, 0], "bytes": [5, 5]}

        def placed(given=ring, **options):
            return lambda: rankfold.map(given, "torus:2x4", **options)

        def evaluated(own):
            return lambda: rankfold.evaluate(ring, "torus:2x4", own)

        for call, told in [
            (placed(ring * 2.0**60), r"entry \(0, 1\) is 1.15.*: more bytes than can be counted"),
            (placed(sparse), "a matrix has 2 dimensions, not 1"),
            (placed([[1, 2], [3]]), "the rows of the matrix differ in length"),
            (placed(None), "communication: .* not None"),
            (placed({**pairs, "bytes": [5]}), "differ in length"),
            (placed({**pairs, "receiver": 1}), "receiver: a list is needed"),
            (placed({**pairs, "receiver": ["a", "b"]}), "entries of type <U1"),
            (placed({**pairs, "receiver": [1, 2**40]}), "rank 1099511627776"),
            (placed(seed=-1), "seed -1: a number from 0 to 18446744073709551615"),
            (placed(seed=2**70), "seed 1180591620717411303424"),
            (placed(seed=1.5), "seed: a whole number is needed, not 1.5"),
            (placed(threads=2**40), "threads 1099511627776: a number from 1 to 1024"),
            (placed(threads="x"), "threads: a whole number is needed, not 'x'"),
            (placed(weights=1.5), "weights: a whole number is needed, not 1.5"),
            (placed(weights="x"), "weights: a whole number is needed, not 'x'"),
            (placed(cores=-1), "cores -1: a number from 1"),
            (placed(cores=2.0), "cores: a whole number is needed, not 2.0"),
            (evaluated([0, 1, 2, 3, 4, 5, 6, 2**40]), "place of rank 7: 1099511627776"),
            (evaluated([float("nan"), *range(1, 8)]), "place of rank 0: nan"),
            (evaluated(["a"] * 8), "place of rank: whole numbers from 0 up are needed, not <U1"),
            (lambda: rankfold.read(3), "path: "),
        ]:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with self.assertRaisesRegex((ValueError, TypeError), told):
                    call()
        sizes = {"cores": numpy.int32(2), "seed": numpy.uint8(3)}
        of_numpy = rankfold.map(ring, "torus:2x4", effort="hurried", **sizes)
        self.assertEqual(of_numpy.machine.slots, 16)

    def test_are_pickled_with_all_they_were_made_of(self):
        hosts = [f"host{number}" for number in range(16)]
        with open("hosts.txt", "w") as file:
            file.write("\n".join(hosts))
        shutil.copy("app.rfp", "gone.rfp")
        machine = rankfold.machine("torus:4x4@1GB/s+1us", hosts=pathlib.Path("hosts.txt"))
        placed = rankfold.map("gone.rfp", machine, effort="fast")
        profile = rankfold.read("gone.rfp", collectives="ring")
        metadata, figures = profile.metadata, rankfold.analyze(profile).figures
        kept = pickle.dumps((placed, profile, rankfold.analyze(profile)))
        for gone in ("gone.rfp", "hosts.txt"):
            os.remove(gone)
        for _ in range(2):
            again, read, analysed = pickle.loads(kept)
            kept = pickle.dumps((again, read, analysed))
        self.assertEqual(again.figures, placed.figures)
        self.assertEqual((str(again), again.notes), (str(placed), placed.notes))
        self.assertEqual(again.slots.tolist(), placed.slots.tolist())
        self.assertEqual(again.machine.hosts, hosts)
        self.assertEqual(again.machine.figures, machine.figures)
        self.assertTrue(again.report().startswith("<!DOCTYPE html>"))
        self.assertEqual((read.bytes - profile.bytes).nnz, 0)
        self.assertEqual(read.metadata, metadata)
        self.assertEqual(analysed.figures, figures)

    def test_of_matrices_and_machine_files_are_pickled(self):
        with open("machine.toml", "w") as file:
            file.write('network = "torus:4x4"\n')
        placed = rankfold.map(irregular(12, seed=9), "machine.toml", effort="fast")
        os.remove("machine.toml")
        with self.assertRaises(FileNotFoundError):
            rankfold.machine("machine.toml")
        again = copy.deepcopy(rankfold.map(irregular(12, seed=9), "torus:4x4", effort="fast"))
        self.assertEqual(again.slots.tolist(), placed.slots.tolist())
        self.assertEqual((again.communication.bytes - irregular(12, seed=9)).nnz, 0)

    def test_are_drawn_and_become_graphs(self):
        placed = rankfold.map("app.rfp", "torus:4x4", effort="fast")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            axes = placed.plot()
        cells = [ax.images[0].get_array() for ax in axes]
        self.assertEqual(*(int(one.sum()) for one in cells))
        self.assertEqual(int(cells[0][0, 1]), 10000)
        order = numpy.argsort(placed.slots)
        dense = rankfold.read("app.rfp").dense()
        self.assertTrue((cells[1].filled(0) == dense[numpy.ix_(order, order)]).all())
        chain = scipy.sparse.eye_array(600, k=1, dtype=int)
        large = rankfold.evaluate(chain, "torus:600", range(600))
        self.assertEqual(int(large.plot()[0].images[0].get_array().sum()), 599)
        graph = placed.to_networkx()
        self.assertEqual(graph.number_of_edges(), 64)
        node, slot = placed.nodes[5], placed.slots[5]
        self.assertEqual(graph.nodes[5], {"host": "host5", "node": node, "slot": slot})
        network = rankfold.machine("tree:2x4", hosts=[*"abcdefgh"]).to_networkx()
        self.assertEqual((len(network), network.nodes[7]), (11, {"host": "h"}))
        with missing("matplotlib"), self.assertRaisesRegex(ImportError, r"rankfold\[plot\]"):
            placed.plot()
