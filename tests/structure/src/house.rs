//! Who may know whom: the crates, and the floors inside of them.

use crate::floors::{Crate, House};

/// Every crate, and those it may know: launcher -> mapper -> search -> refine -> problem ->
/// assess -> crates of `mapper/model/` -> wire <- profiler; launcher -> cache -> launch ->
/// mapper; launcher -> reconstruct -> machine.
pub(crate) const CRATES: &[Crate] = &[
    ("rankfold-wire", &[]),
    ("rankfold-abi", &[]),
    ("rankfold-preload", &["rankfold-wire", "rankfold-abi"]),
    (
        "rankfold-profiler",
        &["rankfold-wire", "rankfold-abi", "rankfold-preload"],
    ),
    (
        "rankfold-world",
        &["rankfold-wire", "rankfold-abi", "rankfold-preload"],
    ),
    ("rankfold-nccl", &["rankfold-wire", "rankfold-preload"]),
    ("rankfold-base", &[]),
    ("rankfold-graph", &["rankfold-base", "rankfold-wire"]),
    ("rankfold-pattern", &["rankfold-base", "rankfold-graph"]),
    (
        "rankfold-collectives",
        &["rankfold-base", "rankfold-graph", "rankfold-wire"],
    ),
    (
        "rankfold-formats",
        &[
            "rankfold-base",
            "rankfold-graph",
            "rankfold-collectives",
            "rankfold-wire",
        ],
    ),
    ("rankfold-machine", &["rankfold-base"]),
    ("rankfold-importers", &["rankfold-base", "rankfold-machine"]),
    (
        "rankfold-metric",
        &["rankfold-base", "rankfold-graph", "rankfold-machine"],
    ),
    (
        "rankfold-mapfile",
        &["rankfold-base", "rankfold-machine", "rankfold-wire"],
    ),
    ("rankfold-console", &["rankfold-wire"]),
    // Above the core: `members` of the mapper names them, and nobody else.
    (
        "rankfold-gpu-jobs",
        &[
            "rankfold-base",
            "rankfold-graph",
            "rankfold-collectives",
            "rankfold-formats",
            "rankfold-wire",
        ],
    ),
    (
        "rankfold-simgrid",
        &["rankfold-base", "rankfold-machine", "rankfold-importers"],
    ),
    (
        "rankfold-certificate",
        &[
            "rankfold-base",
            "rankfold-graph",
            "rankfold-machine",
            "rankfold-metric",
        ],
    ),
    ("rankfold-reconstruct", &["rankfold-machine"]),
    (
        "rankfold-assess",
        &[
            "rankfold-base",
            "rankfold-graph",
            "rankfold-machine",
            "rankfold-metric",
        ],
    ),
    (
        "rankfold-problem",
        &[
            "rankfold-assess",
            "rankfold-base",
            "rankfold-graph",
            "rankfold-pattern",
            "rankfold-machine",
            "rankfold-metric",
        ],
    ),
    (
        "rankfold-refine",
        &[
            "rankfold-problem",
            "rankfold-assess",
            "rankfold-base",
            "rankfold-graph",
            "rankfold-pattern",
            "rankfold-machine",
            "rankfold-metric",
        ],
    ),
    (
        "rankfold-search",
        &[
            "rankfold-problem",
            "rankfold-refine",
            "rankfold-assess",
            "rankfold-base",
            "rankfold-graph",
            "rankfold-pattern",
            "rankfold-machine",
            "rankfold-metric",
        ],
    ),
    // Above the core, as well.
    (
        "rankfold-papers",
        &[
            "rankfold-problem",
            "rankfold-refine",
            "rankfold-search",
            "rankfold-base",
            "rankfold-graph",
            "rankfold-machine",
            "rankfold-metric",
        ],
    ),
    (
        "rankfold-report",
        &[
            "rankfold-assess",
            "rankfold-base",
            "rankfold-graph",
            "rankfold-pattern",
            "rankfold-collectives",
            "rankfold-formats",
            "rankfold-machine",
            "rankfold-metric",
            "rankfold-wire",
        ],
    ),
    (
        "rankfold-mapper",
        &[
            "rankfold-console",
            "rankfold-base",
            "rankfold-graph",
            "rankfold-pattern",
            "rankfold-collectives",
            "rankfold-formats",
            "rankfold-machine",
            "rankfold-importers",
            "rankfold-metric",
            "rankfold-mapfile",
            "rankfold-gpu-jobs",
            "rankfold-simgrid",
            "rankfold-certificate",
            "rankfold-problem",
            "rankfold-refine",
            "rankfold-search",
            "rankfold-papers",
            "rankfold-assess",
            "rankfold-report",
            "rankfold-wire",
        ],
    ),
    // Nothing may know the Python module.
    (
        "rankfold-python",
        &[
            "rankfold-mapper",
            "rankfold-problem",
            "rankfold-search",
            "rankfold-assess",
            "rankfold-report",
            "rankfold-base",
            "rankfold-graph",
            "rankfold-formats",
            "rankfold-machine",
            "rankfold-mapfile",
            "rankfold-wire",
        ],
    ),
    (
        "rankfold-launch",
        &[
            "rankfold-base",
            "rankfold-console",
            "rankfold-importers",
            "rankfold-machine",
            "rankfold-mapfile",
            "rankfold-mapper",
            "rankfold-wire",
        ],
    ),
    (
        "rankfold-cache",
        &[
            "rankfold-launch",
            "rankfold-machine",
            "rankfold-mapper",
            "rankfold-metric",
            "rankfold-wire",
        ],
    ),
    (
        "rankfold",
        &[
            "rankfold-abi",
            "rankfold-assess",
            "rankfold-base",
            "rankfold-cache",
            "rankfold-console",
            "rankfold-formats",
            "rankfold-graph",
            "rankfold-importers",
            "rankfold-launch",
            "rankfold-machine",
            "rankfold-mapfile",
            "rankfold-mapper",
            "rankfold-metric",
            "rankfold-reconstruct",
            "rankfold-problem",
            "rankfold-search",
            "rankfold-wire",
        ],
    ),
    // Tests start the binaries of the launcher and the mapper, and link neither.
    ("rankfold-tests", &["rankfold-wire"]),
    ("rankfold-structure", &[]),
];

/// The floors of crates and large modules that have several, the lowest first.
pub(crate) const HOUSES: &[House] = &[
    (
        "rankfold-graph",
        &[
            &["exchange", "error", "rows", "partner_orders", "turns"],
            &["traffic"],
            &["declared", "generate"],
            &["graph"],
            &["renumbered", "samples"],
        ],
    ),
    (
        "rankfold-machine",
        &[
            &["network"],
            &["description"],
            &["machine", "load"],
            &["samples", "sites"],
        ],
    ),
    (
        "rankfold-problem",
        &[
            &["objective", "weights", "team", "member_options"],
            &["heuristic"],
            &["testing"],
        ],
    ),
    ("rankfold-search", &[&["regular", "irregular"], &["select"]]),
    (
        "rankfold-assess",
        &[
            &["assessment", "predicted", "hosts"],
            &["constraints"],
            &["case"],
            &["assessor", "bounds", "cells"],
            &["saving"],
        ],
    ),
    ("rankfold-report", &[&["data"], &["gather", "page"]]),
    (
        "rankfold-mapper",
        &[&["error", "members", "document"], &["parallel"], &["cli"]],
    ),
    (
        "rankfold-python",
        &[
            &["error", "table", "work", "details"],
            &["machine"],
            &["input"],
            &["seats"],
            &["placed"],
            &["_native"],
        ],
    ),
    (
        "rankfold-launch",
        &[
            &["config"],
            &["error", "placement", "diagnosis", "tool"],
            &["launch", "slurm"],
            &["placing_method"],
            &["launchers"],
        ],
    ),
    (
        "rankfold",
        &[
            &["signal_observer", "user_name"],
            &["library", "signals", "traces"],
            &["c10d_hook"],
            &["job", "session", "other_hosts"],
            &["harvest", "own_ranks", "discovery", "torchrun_nodes"],
            &["doctor", "probe", "rank_mapper", "seats"],
            &["commands"],
        ],
    ),
];

/// Modules whose parts still run in circles: a list that only gets shorter.
pub(crate) const KNOWN: &[&str] = &[];
