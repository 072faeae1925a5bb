//! What the preload libraries share beside the binary interface of MPI: ranks that find each other
//! without ever hanging, what a process knows of itself, and the voice in which it speaks.
//!
//! # Example
//!
//! ```
//! use rankfold_preload::process;
//!
//! assert!(!process::cores().is_unknown(), "this process runs somewhere");
//! ```

pub mod gather;
pub mod node;
pub mod process;
pub mod size_limit;
pub mod stack;
pub mod turns;
pub mod warning;
