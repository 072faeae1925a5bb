//! Communication of GPU jobs, as other programs record it: NCCL's logs and plugins, PyTorch,
//! Chakra, and the arguments of launches.
//!
//! A record is one file, or one file for each process. Every format has a file of its own, a
//! [`Reader`](super::Reader) with which it is recognised by content, and turns its files into
//! [`JobCalls`]: which rank called which collective on which group, with how many bytes, and who
//! sent to whom. [`JobCalls`] joins the ranks, checks that they are those of one whole job, and
//! expands the collectives by a model.

mod arguments;
pub(super) mod chakra;
mod chakra_protobuf;
pub(super) mod comma;
mod communicators;
mod element_types;
pub(super) mod flight_recorder;
mod input;
pub(super) mod inspector;
mod job_calls;
pub(super) mod launch_arguments;
mod model_shape;
pub(super) mod nccl_log;
mod operations;
pub(super) mod torch_trace;
mod training_step;

pub(super) use input::{head, recognised_in};
use job_calls::{GroupId, JobCalls};

#[cfg(test)]
mod tests;
