//! Communication of GPU jobs, as other programs record it: NCCL's logs and plugins, PyTorch,
//! Chakra, and the arguments of launches.
//!
//! A record is one file, or one file for each process. Every format has a file of its own, a
//! [`Reader`] with which it is recognised by content, and turns its files into `JobCalls`: which
//! rank called which collective on which group, with how many bytes, and who sent to whom.
//! `JobCalls` joins the ranks, checks that they are those of one whole job, and
//! expands the collectives by a model.
#![forbid(unsafe_code)]

mod arguments;
mod chakra;
mod chakra_protobuf;
mod comma;
mod communicators;
mod element_types;
mod flight_recorder;
mod input;
mod inspector;
mod job_calls;
mod launch_arguments;
mod model_shape;
mod nccl_log;
mod nccl_rings;
mod operations;
mod shell;
mod torch_trace;
mod training_step;

use job_calls::{GroupId, JobCalls};
use rankfold_formats::Reader;

/// All formats that records of GPU jobs are read from.
pub const READERS: &[Reader] = &[
    flight_recorder::READER,
    torch_trace::READER,
    inspector::READER,
    comma::READER,
    chakra::READER,
    nccl_log::READER,
    launch_arguments::READER,
];

#[cfg(test)]
mod tests;
