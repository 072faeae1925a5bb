"""The benchmark `gain`: see scripts/bench.d/gain."""

import argparse
import json
import os
import signal
import sys

import gain_inside
import gain_lammps
import gain_prediction
import gain_programs
import gain_reordered
import gain_replayed
import gain_rows
import gain_simulated
import gain_srun
import gain_stencil
import gain_torch

PARTS = "cluster,probed,rows,srun,programs,replayed,prediction,reordered,lammps,inside,torch,simulated"


def main():
    parser = argparse.ArgumentParser(prog="bench gain")
    parser.add_argument("--built", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--scripts", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", default=".", metavar="REGEX", help="cases to run, by name")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="runs of each kind (5)")
    parser.add_argument("--parts", default=PARTS, metavar="LIST", help=f"of {PARTS}")
    parser.add_argument("--prediction", action="store_const", const="prediction", dest="parts", help="the same as --parts prediction")
    parser.add_argument("--json", metavar="FILE", help="the figures, too")
    args = parser.parse_args()
    # The signal becomes an exception, so that clusters are taken down.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parts = args.parts.split(",")
    unknown = [part for part in parts if part not in PARTS.split(",")]
    if unknown:
        parser.error(f"argument --parts: {unknown[0]!r} is none of {PARTS}")
    figures = {}
    if "cluster" in parts or "probed" in parts:
        figures.update(gain_stencil.all(args, parts))
    if "rows" in parts:
        figures.update(gain_rows.all(args))
    if "srun" in parts:
        figures.update(gain_srun.all(args))
    if "programs" in parts:
        figures.update(gain_programs.all(args))
    if "replayed" in parts:
        figures.update(gain_replayed.all(args))
    if "prediction" in parts:
        figures.update(gain_prediction.all(args))
    if "reordered" in parts:
        figures.update(gain_reordered.all(args))
    if "lammps" in parts:
        figures.update(gain_lammps.all(args))
    if "inside" in parts:
        figures.update(gain_inside.all(args))
    if "torch" in parts:
        figures.update(gain_torch.all(args))
    if "simulated" in parts:
        figures.update(gain_simulated.all(os.path.join(args.built, "rankfold-map"), args.only))
    if args.json:
        with open(args.json, "w") as file:
            json.dump(figures, file, indent=1)


if __name__ == "__main__":
    main()
