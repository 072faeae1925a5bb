//! The profile file (`.rfp`) and the rank journals it is merged from: the only crate both the
//! preload library and the tools that read its output share.
//!
//! # Byte layout of a profile, version 1
//!
//! All integers are little-endian and of fixed width. A file is a head and sections:
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 8 | magic `89 52 46 50 0D 0A 1A 0A` |
//! | 8 | 4 | version, `1` |
//! | 12 | | sections, up to and including `END ` |
//!
//! A section:
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 4 | tag, four ASCII characters; a reader skips an unknown tag whose first letter is lower case and refuses any other |
//! | 4 | 8 | length of the body, at most 64 MiB |
//! | 12 | 4 | CRC-32 (IEEE 802.3) of tag, length and body |
//! | 16 | | body |
//!
//! `MANI` comes first, then `ROWS` as often as needed, ranks ascending without gaps, then the
//! optional sections, then `END `, after which the file ends. A *string* is its length in bytes (8)
//! and its UTF-8 bytes; a *list* is its length (8) and its items; a *row* is a list of peers:
//! receiver (4), bytes (8), messages (8), receivers ascending.
//!
//! | section | body |
//! |---|---|
//! | `MANI` | string program; string MPI library; list of strings, the host of every rank (or empty); outcome: 4 bytes, 0 = finalized, 1 = recovered, the latter followed by the list of missing ranks (4 bytes each) |
//! | `ROWS` | first rank (8); list of rows |
//! | `END ` | number of ranks (8) |
//!
//! The optional sections hold the planes besides the pair matrix. One that is repeated continues
//! where the last of its kind ended, which its first number says: whoever reads them puts the lists
//! behind each other.
//!
//! | section | body |
//! |---|---|
//! | `comm` | number of the first (8); list of communicators, each two lists of runs, of the members and of the remote group: first world rank (4, `FFFFFFFF` = outside the world), stride (4, signed), count (4) |
//! | `phas` | list of strings: the names of phases 1, 2, ... |
//! | `prow` | phase (4); first rank (8); list of rows |
//! | `exch` | phase (4), 0 = the whole run; first rank (8); list of rows |
//! | `coll` | phase (4), 0 = the whole run; list of collectives: communicator (4), operation (4), root: 0 (1) or 1 (1) and its rank in the communicator (4), bytes (8), calls (8) |
//! | `time` | first rank (8); list, by rank, of lists: class (4), nanoseconds (8), calls (8), classes ascending |
//! | `topo` | list of topologies: communicator (4), reorder (1), kind (4): 0 and a list of dimensions: extent (4), periodic (1); or 1 = graph, 2 = distributed graph, and an empty list (8) |
//! | `edge` | topology (4), counted from 0; first member (8); list, by member, of lists of members (4) it sends to |
//! | `burs` | phase (4), 0 = the whole run; first rank (8); list, by rank: bytes (8), sum of bytes x messages in their burst (8), bursts (8) |
//! | `fore` | list: rank (4), bytes (8), messages (8), ranks ascending |
//! | `unse` | list: ways of moving data (4) that the program has beside what is counted, ascending |
//! | `surr` | list, by host name: string host; string SLURM_TOPOLOGY_ADDR (empty without one); bits per second of its fastest network port (8), 0 = unknown; string list of processors, one a core, depth first; list of levels from the outermost in: string name, list of the cores of each group (4) |
//! | `laun` | string command line; seconds since 1970 UTC (8); nanoseconds (8); string version of rankfold |
//! | `core` | first rank (8); list, by rank, of strings: processors such as `0-3,8`, `-` where they are not known |
//! | `numb` | first rank (8); list, by rank: rank that the launcher gave the process (4), lowest rank of its shared-memory group (4) |
//! | `veri` | 1 = all ranks were where they were planned or, without a plan, ranks of a host share memory and no two a core, 0 = not (1); string the line that the user was told |
//! | `size` | list of kind (4), bits of the size (4), bytes (8), messages (8), kinds and bits ascending; all ranks together |
//!
//! Operations, classes, kinds of messages and uncounted ways are numbered from 0 in the order of
//! [`Operation::ALL`], [`CallClass::ALL`],
//! [`SizeKind::ALL`] and [`Unseen::ALL`].
//!
//! The layout is what `bincode` 2 writes for the types here in its fixed-width little-endian
//! configuration; the test vectors in `tests/layout.rs` and `tests/planes.rs` pin it, so the
//! encoder may be replaced but the files not changed. Files of an earlier version stay readable:
//! `tests/vectors` holds one of each.
#![forbid(unsafe_code)]

mod burst;
mod collective;
mod communicator;
mod container;
mod cores;
mod encoding;
pub mod env;
mod error;
mod file;
pub mod journal;
mod key;
pub mod ledger;
mod merge;
pub mod own_file;
pub mod plan;
mod profile;
mod recover;
mod replace;
mod seats;
mod sizes;
mod surroundings;
mod time;
mod topology;
mod unseen;
mod version;

pub use burst::Bursts;
pub use collective::{Collective, Operation};
pub use communicator::{Communicator, Members};
pub use cores::{Cores, NoCores};
pub use error::{Fault, ProfileError};
pub use journal::Journal;
pub use ledger::{Brief, Fetched, Ledger, Note};
pub use merge::{Merger, Outline};
pub use profile::{
    LaunchRecord, Manifest, Matrix, Numbers, Outcome, Peer, Phase, Plane, Profile, Row,
    Verification,
};
pub use recover::{Recovery, recover, recover_watched};
pub use replace::{replace, replace_with};
pub use seats::{Seat, Seats, read_seats, write_seats};
pub use sizes::{SizeCount, SizeKind, size_bits};
pub use surroundings::{HostLevel, Surroundings};
pub use time::{CallClass, Time};
pub use topology::{Dimension, Topology, TopologyShape};
pub use unseen::Unseen;
