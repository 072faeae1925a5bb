//! NCCL's profiler interface: tables of functions in C, one for each version, of which NCCL takes
//! the newest that it knows. Each version has a file with the layout of its descriptors of events.
//!
//! | version | in NCCL | what is new |
//! | --- | --- | --- |
//! | 1 | 2.23 | functions and types as numbers; sums of bytes with operations of proxies |
//! | 2 | 2.24 | functions and types as texts |
//! | 3 | 2.26 | events of kernels and of network plugins, which are not counted |
//! | 4 | 2.27 | what a communicator is, at its start; bytes with each step of a proxy |
//! | 5 | 2.28 | types of events have 64 bits; events of calls, which are not counted |
//! | 6 | 2.29 | collectives by copy engines |
//!
//! Versions 1 to 3 tell the identifier of a communicator with each call, and its size never.

mod layouts;
mod progress;
mod tables;
mod texts;
mod v1;
mod v2;
mod v3;
mod v4;
mod v5;
mod v6;
mod version;

/// Types of events, as bits of the mask that a plugin returns.
mod kinds {
    pub(super) const COLLECTIVE: u64 = 1 << 1;
    pub(super) const MESSAGE: u64 = 1 << 2;
    pub(super) const PROXY_OPERATION: u64 = 1 << 3;
    pub(super) const PROXY_STEP: u64 = 1 << 4;
    pub(super) const COPY_ENGINE_COLLECTIVE: u64 = 1 << 12;
}

/// The states of an event that tell of progress, by their numbers.
mod states {
    /// States 0 to 3 are of operations that send, 4 to 7 of those that receive (versions 1 to 3).
    pub(super) const LAST_OF_SENDS: i32 = 3;
    pub(super) const LAST_OF_RECEIVES: i32 = 7;
    /// One more transfer was handed to the network.
    pub(super) const TRANSMITTED: i32 = 2;
    /// One more transfer has come from the network.
    pub(super) const RECEIVED: i32 = 5;
    /// The step was handed to the network.
    pub(super) const SEND_WAIT: i32 = 9;
    /// The step has come from the network.
    pub(super) const RECEIVE_FLUSH_WAIT: i32 = 11;
}
