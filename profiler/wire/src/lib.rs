//! The wire between launcher, ranks and mapper: the profile file (`.rfp`) and the rank journals
//! that it is merged from. This is the only crate that both the preload library and the tools that
//! read its output use.
//!
//! # Byte layout of a profile, version 1
//!
//! All integers are little-endian and of fixed width. Numbers in parentheses below are widths in
//! bytes. A file has a head, followed by sections:
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 8 | magic `89 52 46 50 0D 0A 1A 0A` |
//! | 8 | 4 | version, `1` |
//! | 12 | | sections, the last one being `END ` |
//!
//! Each section has this layout:
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 4 | tag, four ASCII characters |
//! | 4 | 8 | length of the body, at most 64 MiB |
//! | 12 | 4 | CRC-32 (IEEE 802.3) of tag, length and body |
//! | 16 | | body |
//!
//! A reader skips a section whose tag it does not know if the first letter is lower case, and
//! refuses the file otherwise.
//!
//! Types in the bodies:
//!
//! * A *string* is its length in bytes (8) and its UTF-8 bytes.
//! * A *list* is its number of items (8) and the items.
//! * A *row* is a list of peers. A peer is a receiver (4), bytes (8) and messages (8). Receivers
//!   are in ascending order.
//! * An *order* is a list of receivers (4 each) of a row, in the order in which the rank first sent
//!   to them. Receivers may be missing.
//! * A *phase* is a number (4): 0 stands for the whole run, 1, 2, ... for the names in `phas`.
//!
//! ## Mandatory sections
//!
//! `MANI` comes first. `ROWS` follows as often as needed, with ranks in ascending order without
//! gaps. Then come the optional sections, and `END ` ends the file. Only `ordr` comes right behind
//! the rows to which it belongs, so it may stand between two sections `ROWS`.
//!
//! * `MANI`: string: the program. String: the MPI library. List of strings: the host of every rank,
//!   or an empty list. Outcome (4): 0 = finalized, 1 = recovered; 1 is followed by the list of
//!   missing ranks (4 each).
//! * `ROWS`: first rank (8); list of rows.
//! * `END `: number of ranks (8).
//!
//! ## Optional sections
//!
//! The optional sections hold everything but the matrix of the whole run. A list that is too long
//! for one section is continued in further sections of the same tag. Where a section begins with
//! the number of its first item, the number says how many items came before; readers append the
//! lists.
//!
//! * `comm`: number of the first communicator (8); list of communicators. A communicator is two
//!   lists of runs: its members and its remote group. A run is a first world rank (4, `FFFFFFFF` =
//!   outside the world), a stride (4, signed) and a count (4).
//! * `phas`: list of strings: the names of phases 1, 2, ...
//! * `prow`: phase; first rank (8); list of rows: the matrix of that phase.
//! * `ordr`: phase; first rank (8); list of orders: those of the rows in the section `ROWS` or
//!   `prow` right before.
//! * `turn`: phase; first rank (8); list with the turns of the rows in the section `ROWS` or `prow`
//!   right before, possibly cut into several sections. An item is 0 (4) = not recorded, 1 (4) =
//!   differing from exchange to exchange, or 2 (4), synchronised (1) and a list of turns. A turn is
//!   a list of what is sent: receiver (4), held (4), messages (4) and bytes (8), and a list of what
//!   is received: sender (4), held (4) and messages (4).
//! * `exch`: phase; first rank (8); list of rows: the exchanges of that phase.
//! * `coll`: phase; list of collectives. A collective is a communicator (4), an operation (4), a
//!   root, bytes (8) and calls (8). The root is 0 (1), or 1 (1) and its rank in the communicator
//!   (4).
//! * `form`: phase; list of forms, of those collectives of the phase that are not blocking calls
//!   with separate buffers and a built-in operator. An item is the number of the collective (4),
//!   counted from 0, nonblocking or persistent (1), in place (1) and an operator (4): 0 = built in,
//!   1 = of the program and commutative, 2 = of the program and not commutative.
//! * `bloc`: phase; list of uneven blocks. An item is the number of a collective of that phase (4),
//!   counted from 0, and a list with the bytes of the block of each member (8 each).
//! * `sent`: phase; first rank (8); list of rows: what the ranks sent inside collectives in that
//!   phase, as the MPI library itself counted it.
//! * `para`: list of the parameters of the MPI library that were set. A parameter is three strings:
//!   its name, its value, and the text of the file that the value names.
//! * `time`: first rank (8); list with one list for each rank, of class (4), nanoseconds (8) and
//!   calls (8), with classes in ascending order.
//! * `func`: list of functions. A function is a class (4), a string: its name, nanoseconds of all
//!   ranks (8), calls of all ranks (8), nanoseconds of the rank with the longest time (8) and that
//!   rank (4).
//! * `fmsg`: list of functions that send or fetch, by name. A function is a string: its name, bytes
//!   of all ranks (8) and messages of all ranks (8).
//! * `topo`: list of topologies. A topology is a communicator (4), reorder (1) and a kind (4). Kind
//!   0 is a grid, followed by a list of dimensions: extent (4), periodic (1). Kind 1 is a graph and
//!   kind 2 a distributed graph, both followed by an empty list (8).
//! * `edge`: topology, counted from 0 (4); first member (8); list with one list for each member:
//!   the members (4 each) it sends to.
//! * `burs`: phase; first rank (8); list with an item for each rank: bytes (8), sum over the
//!   messages of bytes x messages in the burst (8), bursts (8).
//! * `fore`: list of what ranks sent out of the world: rank (4), bytes (8), messages (8), with
//!   ranks in ascending order.
//! * `othe`: in the same form, the messages and calls of ranks that have no counters, because the
//!   memory of a rank's counters is bounded.
//! * `unse`: list of the ways of moving data (4 each) that the program has and that are not
//!   counted, in ascending order.
//! * `surr`: list of hosts by name. A host is a string: its name; a string: `SLURM_TOPOLOGY_ADDR`,
//!   or cabinet, chassis and host of HPE Cray EX in the same form, or empty; bits per second of the
//!   fastest network port (8), 0 = unknown; a string: a list of processors, one for each core,
//!   depth first; and a list of levels from the outermost inwards. A level is a string: its name,
//!   and a list of the numbers of cores in each group (4 each).
//! * `laun`: string: the command line; start in seconds since 1970 UTC (8); nanoseconds (8);
//!   string: the version of rankfold.
//! * `user`: string: the login name of the user who launched the run.
//! * `core`: first rank (8); list with a string for each rank: processors such as `0-3,8`, `-` if
//!   they are unknown.
//! * `numb`: first rank (8); list with an item for each rank: the rank that the launcher gave the
//!   process (4), the lowest rank of its shared-memory group (4).
//! * `veri`: 1 or 0 (1); string: the line that was printed. 1 says that all ranks were on their
//!   planned hosts and cores. Without a plan, 1 says that ranks of a host share memory and no two
//!   share a core.
//! * `size`: list over all ranks together: kind (4), bits of the size (4), bytes (8), messages (8),
//!   with kinds and bits in ascending order.
//!
//! * `nccl`: list of versions of NCCL's profiler interface (4 each); list of ranks whose process
//!   ended before its communicators (4 each); list of events that were not counted, by reason (4),
//!   bytes (8) and number (8); list of strings: remarks. It comes before the next four.
//! * `ncom`: as `comm`: NCCL's communicators.
//! * `ncol`: list of collectives of NCCL, as in `coll`, on communicators of `ncom`.
//! * `nnet`: first rank (8); list of rows: what NCCL's proxies sent over the network.
//! * `nsen`: first rank (8); list of rows: what the program sent with `ncclSend`.
//!
//! Operations, classes of calls, kinds of messages and uncounted ways are numbered from 0 in the
//! order of [`Operation::ALL`], [`CallClass::ALL`], [`SizeKind::ALL`] and [`Unseen::ALL`], and
//! reasons in that of [`NcclLoss::ALL`].
//!
//! This layout is what `bincode` 2 writes for the types of this crate in its fixed-width
//! little-endian configuration. The test vectors in `tests/layout.rs` and `tests/planes.rs` pin it:
//! the encoder may be replaced, but not the files. Files of earlier versions stay readable;
//! `tests/vectors` holds one file of each version.
#![forbid(unsafe_code)]

#[macro_use]
mod named;

mod burst;
mod codec;
mod collective;
mod communicator;
mod container;
mod cores;
mod cray;
mod encoding;
pub mod env;
mod error;
mod file;
mod form;
mod function_messages;
pub mod journal;
mod key;
pub mod ledger;
mod merge;
mod nccl_join;
mod nccl_journals;
mod nccl_process;
mod nccl_record;
mod note;
pub mod own_file;
mod packed;
mod parameter;
pub mod plan;
mod profile;
mod recover;
mod replace;
mod seats;
mod sizes;
mod surroundings;
mod time;
mod timed_function;
mod topology;
mod turns;
mod unseen;
mod version;
mod world_times;

pub use burst::Bursts;
pub use collective::{Collective, MemberBlocks, Operation};
pub use communicator::{Communicator, Members};
pub use cores::{Cores, NoCores};
pub use error::{Fault, ProfileError, Result};
pub use form::{Form, Operator};
pub use function_messages::FunctionMessages;
pub use journal::Journal;
pub use ledger::{Brief, Fetched, Ledger};
pub use merge::{Merger, Outline};
pub use nccl_join::{JoinedJob, join as join_nccl};
pub use nccl_journals::{journal_name as nccl_journal_name, runs_in as nccl_runs_in};
pub use nccl_process::{NcclCommunicator, NcclLoss, NcclProcess, Numbering, OF_C10D};
pub use nccl_record::{LostEvents, NcclRecord};
pub use note::Note;
pub use parameter::Parameter;
pub use profile::{
    LaunchRecord, Manifest, Matrix, NcclTraffic, Numbers, Outcome, Peer, Phase, Plane, Profile,
    Row, Verification,
};
pub use recover::{Recovery, add_nccl_of, recover, recover_watched};
pub use replace::{replace, replace_with};
pub use seats::{Seat, Seats, chosen_cores, read_seats, variables_of_process, write_seats};
pub use sizes::{SizeCount, SizeKind, size_bits};
pub use surroundings::{HostLevel, Surroundings};
pub use time::{CallClass, FunctionTime, Time};
pub use timed_function::TimedFunction;
pub use topology::{Dimension, MemberTopology, Topology, TopologyShape};
pub use turns::{Cycle, Turn, TurnReceives, TurnSends, Turns};
pub use unseen::Unseen;
pub use world_times::{CallTimes, WorldTimes, read_world_times, write_world_times};
