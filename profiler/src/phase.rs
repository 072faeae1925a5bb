//! Phases: parts of a run that the program tells apart with `MPI_Pcontrol`.
//!
//! The standard leaves the meaning of levels above 1 to the tools. This library takes them so:
//!
//! * `MPI_Pcontrol(0)` stops counting, as in the standard, mpiP, TAU and Extrae.
//! * `MPI_Pcontrol(1)` resumes counting, as in the same.
//! * `MPI_Pcontrol(2, "name")` begins phase `name`. No other tool does this: IPM's `(1, "name")`
//!   cannot be distinguished from a plain `(1)`.
//! * `MPI_Pcontrol(2)` does nothing. In the standard it flushes the trace, and there is none.
//! * `MPI_Pcontrol(n)` with n > 2 begins phase `n`, as Intel's numbered regions do. A number is all
//!   that Fortran can pass.
//! * `MPI_Pcontrol(-n)` ends the phase, as in IPM and Intel's tools.
//!
//! The first phases that a process names, up to a maximum, have tables of their own. All later ones
//! are phase `more`.
//!
//! A phase ends where the next one begins. A phase that is named again goes on. A stop of counting
//! does not end the phase. The phase is that of the whole process: a thread that is inside a call
//! when the phase changes finishes the call in the old phase.

use crate::epoch;
use libc::c_int;
use rankfold_abi::Address;
use rankfold_wire::journal::layout::PHASE;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Maximum length of a name in bytes. A longer name is cut.
const LONGEST: usize = PHASE.1;

/// Maximum number of phases with a name of their own. Each takes a table in every thread, and a
/// gather at the end, and a program may begin a new phase in every time step. All further phases
/// are one, [`MORE`]. Chosen by hand; not measured.
const MOST: usize = 256;
const MORE: &str = "more";

/// Number of the current phase; 0 is none.
static NOW: AtomicU32 = AtomicU32::new(0);
/// Names of the phases 1, 2 and so on. They are never freed, because tables point to them.
static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// The program has called `MPI_Pcontrol`. If it passed one argument only, `argument` is whatever a
/// register held.
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

/// The name of phase `number`; empty for no phase.
pub(crate) fn name(number: u32) -> &'static str {
    let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let index = (number as usize).wrapping_sub(1);
    names.get(index).copied().unwrap_or("")
}

/// The printable text at `address`, if there is one. If the program passed one argument only, the
/// address is whatever a register held. So the memory is read through `/proc/self/mem`: for an
/// invalid address the system returns an error, where a direct access would end the program.
fn text(address: Address) -> Option<String> {
    /// Number of bytes that are read at a time. The memory behind the end of the text may not be
    /// mapped, so no read may cross a page.
    const STEP: usize = 16;
    let memory = File::open("/proc/self/mem").ok()?;
    let mut bytes = Vec::new();
    while bytes.len() <= LONGEST {
        let at = address.addr() + bytes.len();
        // Up to the next multiple of `STEP`, so that the read does not cross a page.
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
