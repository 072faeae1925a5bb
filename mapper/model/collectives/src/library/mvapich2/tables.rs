//! The general tables of MVAPICH2: for processors and adapters that have no tables of their own.
//!
//! Source: the last branch of `src/mpi/coll/*_tuning.c` of MVAPICH2 2.3.7-1 for its channel
//! `mrail`, where processes read each other's memory (CMA), which is the default. A letter stands
//! for an algorithm, and its place in the text for a size: the first one for 1 byte where nothing
//! else is said, and each of the others for twice as many bytes as the one before.

use super::table::{Rows, Table};

/// Broadcasts, by the bytes of the message. `2`, `4`, `8`: a tree of that radix from the host of
/// the first member; `k`: a tree of radix 4 from the host of the root; `b`: a binomial tree; `d`,
/// `r`: a scatter and an allgather, by doubling or around a ring.
#[rustfmt::skip]
pub(super) const BCAST: Table = Table([
    Rows { least: 2, most: 32, rows: &[
        (0, "4224484244442428222b"),
        (0, "4444488844844442222r"),
        (0, "8888888888888442222r"),
        (0, "84444444444444422222"),
        (0, "8888888888888444222r"),
    ]},
    Rows { least: 2, most: 64, rows: &[
        (0, "2884482282b228rbbbbb"),
        (0, "48844844848488288448"),
        (0, "88884884484884822222"),
        (0, "88888888888888222422"),
        (0, "44444444444444422222"),
        (0, "88888888888884222222"),
    ]},
    Rows { least: 16, most: 4096, rows: &[
        (0, "2242bb24442ddr4ddbbk"),
        (0, "28224222282442244222"),
        (0, "44488884844488422222"),
        (0, "88888888888888222222"),
        (0, "44444444444444422222"),
        (0, "88888888888884422222"),
        (0, "kkkkkkkkkkkkkkkkkkkr"),
        (0, "kkkkkkkkkkkkkkkkkkkk"),
        (0, "kkkkkkkkkkkkkkkkkkkk"),
    ]},
]);

/// Reductions, by the bytes of the vector. `b`: a binomial tree; `k`: a tree of radix 4; `g`:
/// Rabenseifner's algorithm. Capital letters: among all members, otherwise among leaders.
#[rustfmt::skip]
pub(super) const REDUCE: Table = Table([
    Rows { least: 2, most: 32, rows: &[
        (0, "bbgkkbkkbbbkbgbBbB"),
        (0, "kkkbgbgkbgkbKgBBBB"),
        (0, "bggggggkbbkkKgkbbg"),
        (0, "bkkkkbkkkgbkKKBbbb"),
        (0, "kkgbkgbgbbggKBBbBg"),
    ]},
    Rows { least: 2, most: 32, rows: &[
        (2, "GbkkgbbkkbBGBgkkbbb"),
        (0, "gbbkbgkgbkBGggKggg"),
        (0, "ggbbgbbkbgbkkgkbBB"),
        (0, "bkbbbgbbbbkkkgbbbb"),
        (0, "bgggggkkkgkkkkbbbb"),
        (0, "gkkkkbkkkggkkgbbBb"),
    ]},
    Rows { least: 16, most: 256, rows: &[
        (2, "kgbggbbkggKGbbKGGGG"),
        (0, "bkkbkkbgkkKBBBBBGG"),
        (0, "kbkgggkbkgkgkgkkkb"),
        (0, "gbbkggggkkbkkkbbbb"),
        (0, "gkbbbkkbbbgbkkkbbb"),
        (0, "bgbgkkkkbkgbkkbbBB"),
    ]},
]);

/// Allreduces, by the bytes of the vector. `d`: recursive doubling, `s`: Rabenseifner's algorithm.
/// Capital letters: among all members, otherwise among leaders.
#[rustfmt::skip]
pub(super) const ALLREDUCE: Table = Table([
    Rows { least: 2, most: 32, rows: &[
        (0, "SDDDDDDDDDDDDSDSSS"),
        (0, "SSDDDDDDDDDDDSSSSS"),
        (0, "DSSDDDDDDDDDSSSSSS"),
        (0, "SdDdDDdddDDDSSSSSS"),
        (0, "DSSdSdddDDDDSSSSSS"),
    ]},
    Rows { least: 2, most: 64, rows: &[
        (0, "sdddsssddddsddsdSS"),
        (0, "dddddddddddddsSSSS"),
        (0, "dddddddddddddSSSSS"),
        (0, "ddsdddddddddssSSSS"),
        (0, "ddssddddddddsSSSSS"),
        (0, "ddddddddddddSSSSSS"),
    ]},
    Rows { least: 16, most: 4096, rows: &[
        (0, "ddddssdsdDSSSSSSSS"),
        (0, "dddddddddddSSSSSSS"),
        (0, "dddddddddddddSSSSS"),
        (0, "ddddddddddddssSSSS"),
        (0, "ddddddddddddssSSSS"),
        (0, "dsdsddddddddsssSSS"),
        (0, "sssdsdddddddsssSSS"),
        (0, "ddsssdsddddddssSSS"),
        (0, "ssddddsddddsdsssss"),
    ]},
]);

/// Allgathers, by the bytes of a block. `d`: doubling, `b`: Bruck, `r`: a ring.
#[rustfmt::skip]
pub(super) const ALLGATHER: Table = Table([
    Rows { least: 4, most: 32, rows: &[
        (0, "ddddddddddddddddddrr"),
        (0, "dddddddddbdddddddrrr"),
        (0, "ddddddddddddddddrrrr"),
        (0, "dbddddddbddbdbdddrrr"),
    ]},
    Rows { least: 2, most: 16, rows: &[
        (0, "dddrddrdrddddrrrrrrrr"),
        (0, "dddddddddddddrrddddr"),
        (0, "ddddddddddddddrddrrr"),
        (0, "ddddddddddbddrrrrrrr"),
    ]},
    Rows { least: 16, most: 256, rows: &[
        (0, "bdddbbddddddddrrrrrrr"),
        (0, "ddddddddddrrrrrrrrrr"),
        (0, "dddddddddddrrrrrrrrr"),
        (0, "dddddddddddrrrrrrrrr"),
        (0, "dddddddddddrrrrrrrrr"),
    ]},
]);

/// Alltoalls, by the bytes of a block. `d`: an allgather of all that each member sends, `b`: Bruck,
/// `p`: straight from each member to each other one.
#[rustfmt::skip]
pub(super) const ALLTOALL: Table = Table([
    Rows { least: 4, most: 32, rows: &[
        (0, "dppppppppppppppppppp"),
        (0, "dddppppppppppppppppp"),
        (0, "ddddddbbbbpppppppppp"),
        (0, "dbbbbbbbbbbppppppppp"),
    ]},
    Rows { least: 2, most: 16, rows: &[
        (0, "pppppppppppppppp"),
        (0, "ddddpppppppppppppppp"),
        (0, "ddddpppppppppppppppp"),
        (0, "ddddddppbbpppppppppp"),
    ]},
    Rows { least: 16, most: 256, rows: &[
        (0, "ddddddbbbbpppppp"),
        (0, "ddddbbbbbbbbpppppppp"),
        (0, "dbbbbbbbbbbbpppppppp"),
        (0, "bbbbbbbbbbbbpppppppp"),
        (0, "bbbbbbbbbbbppppppppp"),
    ]},
]);

/// Gathers on hosts whose ranks do not follow each other, by the bytes of a block. `d`: straight to
/// the root, `b`: a binomial tree, `t`: through the leaders, straight.
#[rustfmt::skip]
pub(super) const GATHER: Table = Table([
    Rows { least: 2, most: 32, rows: &[
        (0, "ddddddddddbdbbdbbbbb"),
        (0, "dddddddddddddddddddd"),
        (0, "ddddddddddddddddbbbd"),
        (0, "tddtddddddtddddbbbbd"),
        (0, "dddddddddddddddbbbbd"),
    ]},
    Rows { least: 2, most: 64, rows: &[
        (0, "ddddddddddbbbbbbbbbb"),
        (0, "dddddddddddddddddddd"),
        (0, "dddddddddtdddddttttt"),
        (0, "dddddddddddddddbbbtt"),
        (0, "ttttttttdddddddbbbtt"),
        (0, "ttttttttdddddddbbbbt"),
    ]},
    Rows { least: 16, most: 512, rows: &[
        (0, "dddddddddddddbbbbbbb"),
        (0, "tttttttttddddddbbbtt"),
        (0, "tttttttttttddddttttt"),
        (0, "tttttttttttddddttttt"),
        (0, "tttttttttttddddttttt"),
        (0, "tttttttttttddddbtttt"),
    ]},
]);

/// Scatters, by the bytes of a block. `d`: straight from the root, `b`: a binomial tree, `t`:
/// through the leaders, straight, `u`: through the leaders, along a binomial tree.
#[rustfmt::skip]
pub(super) const SCATTER: Table = Table([
    Rows { least: 2, most: 32, rows: &[
        (0, "bbbbbbbbbbbbbbbbbbbb"),
        (0, "dddddddddddddddddddd"),
        (0, "dddddddddddddddddddd"),
        (0, "dddddddddtdddddddddd"),
        (0, "bbbbdddddddddddddddd"),
    ]},
    Rows { least: 2, most: 64, rows: &[
        (0, "bbbbbbbbbbbbbbbbbbbb"),
        (0, "bdbdbddddddddddddddd"),
        (0, "tdtttddddddddddddddd"),
        (0, "ttttttttttdddddddddd"),
        (0, "ttttttttttttdddddddd"),
        (0, "bbbbtttttttttddddddd"),
    ]},
    Rows { least: 16, most: 512, rows: &[
        (0, "ddddddddbbddddtuuttt"),
        (0, "bbbbbbbbbbdddddddddd"),
        (0, "tttttttttttddddddddd"),
        (0, "ttttttttttttdddddddd"),
        (0, "ttttttttttttdddddddd"),
        (0, "bttttttttttttddddddd"),
    ]},
]);
