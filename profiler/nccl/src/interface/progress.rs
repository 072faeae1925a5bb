//! What states of events tell of progress: sums over an operation, or bytes of each step.

use super::layouts::{StepArguments, SumArguments};
use super::{kinds, states};
use crate::event::Progress;
use std::ffi::c_int;

/// How a version tells progress.
pub(super) trait Telling {
    /// Whether progress is told as sums over an operation.
    const SUMS: bool;
    /// The types of events that are asked for.
    const MASK: u64;
    /// What `recordEventState` passes.
    type Arguments;

    /// The progress that a state tells, and whether it is of a send.
    fn progress(state: c_int, arguments: Option<&Self::Arguments>) -> (Progress, bool);
}

/// Versions 1 to 3: every state of an operation tells the bytes so far.
pub(super) struct Sums;

impl Telling for Sums {
    const SUMS: bool = true;
    const MASK: u64 = kinds::COLLECTIVE | kinds::MESSAGE | kinds::PROXY_OPERATION;
    type Arguments = SumArguments;

    fn progress(state: c_int, arguments: Option<&SumArguments>) -> (Progress, bool) {
        let sends = (0..=states::LAST_OF_SENDS).contains(&state);
        match arguments {
            Some(arguments) if (0..=states::LAST_OF_RECEIVES).contains(&state) => {
                let sum = Progress::Sum {
                    bytes: arguments.bytes as u64,
                    completes: matches!(state, states::TRANSMITTED | states::RECEIVED),
                };
                (sum, sends)
            }
            _ => (Progress::Nothing, sends),
        }
    }
}

/// From version 4 on: one state of a step tells its bytes. The other states hold the bytes of the
/// step before.
pub(super) struct Steps;

impl Telling for Steps {
    const SUMS: bool = false;
    const MASK: u64 = Sums::MASK | kinds::PROXY_STEP;
    type Arguments = StepArguments;

    fn progress(state: c_int, arguments: Option<&StepArguments>) -> (Progress, bool) {
        let sends = state == states::SEND_WAIT;
        match arguments {
            Some(arguments) if sends || state == states::RECEIVE_FLUSH_WAIT => {
                let bytes = arguments.bytes as u64;
                (Progress::Step { bytes }, sends)
            }
            _ => (Progress::Nothing, sends),
        }
    }
}
