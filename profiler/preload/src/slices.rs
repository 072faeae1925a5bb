//! Short slices of processor time, while many processes of a host wait for each other inside of MPI.
//!
//! Where ranks outnumber cores, a collective that waits by polling takes as many turns of all processes as it has steps, each turn a slice of every
//! one: 1.3 s for making a communicator of 64 ranks on two cores under MPICH. Since version 6.12 Linux lets a thread ask for shorter slices
//! (`sched_setattr` with a run time, for the usual policies); earlier ones ignore that.

use libc::{SYS_sched_getattr, SYS_sched_setattr, syscall};

/// The shortest that the system takes, in nanoseconds.
const SHORTEST: u64 = 100_000;

/// `struct sched_attr` in its first version (sched_setattr(2)).
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

/// While it lives, the thread that has made it has the shortest slices.
pub struct ShortSlices(Option<Attributes>);

impl ShortSlices {
    /// Asks for them; nothing changes where the system refuses, or the thread runs by another policy than the usual ones.
    #[must_use]
    pub fn ask() -> Self {
        let before = attributes().filter(|attributes| {
            let usual = [libc::SCHED_OTHER, libc::SCHED_BATCH];
            usual
                .iter()
                .any(|policy| *policy as u32 == attributes.policy)
        });
        let asked = before.is_some_and(|before| {
            set(&Attributes {
                runtime: SHORTEST,
                ..before
            })
        });
        Self(before.filter(|_| asked))
    }
}

impl Drop for ShortSlices {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            set(before);
        }
    }
}

/// Those of the calling thread.
fn attributes() -> Option<Attributes> {
    let mut attributes = Attributes::default();
    let size = size_of::<Attributes>() as u32;
    // SAFETY: 0 is the calling thread, and the system writes at most `size` bytes to the address.
    let told = unsafe { syscall(SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    (told == 0).then_some(attributes)
}

/// Whether the system takes them for the calling thread.
fn set(attributes: &Attributes) -> bool {
    let attributes = Attributes {
        size: size_of::<Attributes>() as u32,
        ..*attributes
    };
    // SAFETY: 0 is the calling thread, and the address is that of attributes of the size that they tell.
    unsafe { syscall(SYS_sched_setattr, 0, &raw const attributes, 0) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_is_as_before_afterwards() {
        let before = attributes().expect("attributes");
        drop(ShortSlices::ask());
        let after = attributes().expect("attributes");
        assert_eq!(
            (before.policy, before.nice, before.runtime),
            (after.policy, after.nice, after.runtime)
        );
    }
}
