//! What the preload libraries share, apart from the binary interface of MPI: communication among
//! the ranks that never waits without a limit, facts about the process, mapped journals that may be
//! truncated, and warnings on standard error.
//!
//! # Example
//!
//! ```
//! use rankfold_preload::process;
//!
//! assert!(!process::cores().is_unknown(), "this process runs somewhere");
//! ```

pub mod children;
pub mod comm;
pub mod gather;
pub mod launcher;
pub mod mapping;
pub mod node;
pub mod process;
pub mod sanitizer;
pub mod sigbus;
pub mod signal_mask;
pub mod size_limit;
pub mod stack;
pub mod warning;
pub mod world_times;
pub mod yield_timer;
