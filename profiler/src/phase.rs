//! Parts of a run that the program tells apart with `MPI_Pcontrol`.
//!
//! The standard leaves the levels above 1 to the tools. These are taken so:
//!
//! | call | does | known from |
//! |---|---|---|
//! | `MPI_Pcontrol(0)` | stops counting | the standard, mpiP, TAU, Extrae |
//! | `MPI_Pcontrol(1)` | counts again | the same |
//! | `MPI_Pcontrol(2, "name")` | what follows is phase `name` | our own; IPM's `(1, "name")` cannot be told from a plain `(1)` |
//! | `MPI_Pcontrol(2)` | nothing: there is nothing to flush | the standard |
//! | `MPI_Pcontrol(n)`, n > 2 | what follows is phase `n` | Intel's numbered regions; all that Fortran can pass |
//! | `MPI_Pcontrol(-n)` | what follows is in no phase | IPM, Intel |
//!
//! The first 256 phases that a process names are told apart, whatever comes later is phase `more`.
//!
//! A phase ends where the next one begins; one that is named again goes on. Stopping does not end
//! it. All this holds for the whole process: a thread that is inside a call finishes that in the
//! phase it began in.

use crate::epoch;
use libc::c_int;
use rankfold_abi::Address;
use rankfold_profile::journal::layout::PHASE;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Longest name, in bytes; a longer one is cut.
const LONGEST: usize = PHASE.1;

/// Most phases of a name of their own: each takes a table a thread and a gather at the end, and a
/// program may name one a time step. What follows is one phase, [`MORE`].
const MOST: usize = 256;
const MORE: &str = "more";

/// Number of the phase; 0 is none.
static NOW: AtomicU32 = AtomicU32::new(0);
/// Names of phases 1, 2, ...; kept for good, as tables point to them.
static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// `MPI_Pcontrol` was called; `argument` is whatever the caller left in the place of a second one.
pub(crate) fn control(level: c_int, argument: Address) {
    match level {
        0 => epoch::pause(),
        1 => epoch::resume(),
        2 => {
            if let Some(name) = text(argument) {
                enter(&name);
            }
        }
        3.. => enter(&level.to_string()),
        _ => leave(),
    }
}

fn enter(name: &str) {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let place = |name: &str| names.iter().position(|known| *known == name);
    let known = place(name).or_else(|| place(MORE).filter(|_| names.len() > MOST));
    let name = if names.len() < MOST { name } else { MORE };
    let index = known.unwrap_or_else(|| {
        names.push(Box::leak(name.into()));
        names.len() - 1
    });
    NOW.store(index as u32 + 1, Ordering::Release);
    epoch::next();
}

fn leave() {
    NOW.store(0, Ordering::Release);
    epoch::next();
}

/// Number of the phase that the process is in; 0 is none.
pub(crate) fn now() -> u32 {
    NOW.load(Ordering::Acquire)
}

/// The name of phase `number`; empty for none.
pub(crate) fn name(number: u32) -> &'static str {
    let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let index = (number as usize).wrapping_sub(1);
    names.get(index).copied().unwrap_or("")
}

/// The printable text at `address`, if there is one. Where the caller passed no second argument the
/// address is whatever a register held, so the memory is read through `/proc/self/mem`: the system
/// refuses an address at which we would crash.
fn text(address: Address) -> Option<String> {
    /// Bytes read at a time. Reading beyond the end of the text could fail, as what follows may not
    /// be mapped.
    const STEP: usize = 16;
    let memory = File::open("/proc/self/mem").ok()?;
    let mut bytes = Vec::new();
    while bytes.len() <= LONGEST {
        let at = address.addr() + bytes.len();
        // Up to the next multiple of `STEP`, so never across a page.
        let mut part = [0; STEP];
        let part = part.get_mut(..STEP - at % STEP)?;
        memory.read_exact_at(part, at as u64).ok()?;
        let end = part.iter().position(|&byte| byte == 0);
        bytes.extend_from_slice(part.get(..end.unwrap_or(part.len()))?);
        if end.is_some() {
            break;
        }
    }
    let mut text = String::from_utf8(bytes).ok()?;
    let fits = (0..=LONGEST).rev().find(|&end| text.is_char_boundary(end));
    text.truncate(fits.unwrap_or(0));
    let printable = !text.is_empty() && !text.chars().any(char::is_control);
    printable.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    fn at(bytes: &[u8]) -> Option<String> {
        text(bytes.as_ptr().cast_mut().cast())
    }

    #[test]
    fn only_printable_text_is_a_name() {
        assert_eq!(at(b"solve\0").as_deref(), Some("solve"));
        assert_eq!(at(b"Schritt \xc3\xa4\0").as_deref(), Some("Schritt ä"));
        assert_eq!(at(b"\0"), None);
        assert_eq!(at(b"\x01\x02\0"), None);
        assert_eq!(at(b"\xff\xfe\0"), None);
    }

    #[test]
    fn a_long_name_is_cut_between_characters() {
        let long = format!("{}ä and more\0", "x".repeat(LONGEST - 1));
        assert_eq!(at(long.as_bytes()), Some("x".repeat(LONGEST - 1)));
    }

    #[test]
    fn what_cannot_be_read_is_no_name() {
        assert_eq!(text(ptr::null_mut()), None);
        assert_eq!(text(ptr::without_provenance_mut(8)), None);
        assert_eq!(text(ptr::without_provenance_mut(usize::MAX - 3)), None);
    }
}
