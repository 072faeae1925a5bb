//! What the system lets this process use: its processors, and the policy by which it gets memory.

use std::ptr;

/// Number of 64-bit words in a set of processors, enough for the largest set that Linux knows.
const WORDS: usize = 1 << 10;

/// The same for memory nodes. Linux refuses a set that is larger than a page.
const NODE_WORDS: usize = 1 << 6;

/// The processors on which this thread may run, in ascending order; empty where the system does not
/// answer.
#[must_use]
pub fn processors() -> Vec<u32> {
    let mut set = [0_u64; WORDS];
    // SAFETY: the length passed is that of the set in bytes, and 0 stands for the calling thread.
    let result = unsafe { libc::sched_getaffinity(0, size_of_val(&set), set.as_mut_ptr().cast()) };
    if result == 0 {
        members(&set)
    } else {
        Vec::new()
    }
}

/// The policy by which this thread gets memory, in one word: `default`, `bind:0,1`. Empty where the
/// system does not answer.
#[must_use]
pub fn memory_policy() -> String {
    let (mut mode, mut set) = (0_i32, [0_u64; NODE_WORDS]);
    // SAFETY: the set has as many bits as the call is told. Without an address and without flags
    // the call stores the policy of the calling thread in both variables.
    let result = unsafe {
        libc::syscall(
            libc::SYS_get_mempolicy,
            &raw mut mode,
            set.as_mut_ptr(),
            NODE_WORDS * 64,
            ptr::null::<u8>(),
            0,
        )
    };
    if result != 0 {
        return String::new();
    }
    let name = match mode & 0xff {
        libc::MPOL_DEFAULT => return "default".into(),
        libc::MPOL_PREFERRED => "preferred",
        libc::MPOL_BIND => "bind",
        libc::MPOL_INTERLEAVE => "interleave",
        libc::MPOL_LOCAL => "local",
        _ => "other",
    };
    let nodes: Vec<String> = members(&set).iter().map(u32::to_string).collect();
    format!("{name}:{}", nodes.join(","))
}

fn members(set: &[u64]) -> Vec<u32> {
    let is_in = |number: &u32| (set[*number as usize / 64] >> (number % 64)) & 1 == 1;
    (0..set.len() as u32 * 64).filter(is_in).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_runs_somewhere_and_gets_memory_by_some_policy() {
        assert!(!processors().is_empty());
        let policy = memory_policy();
        assert!(
            !policy.is_empty() && !policy.contains(char::is_whitespace),
            "{policy}"
        );
    }
}
