//! Programs that a rank starts after `MPI_Init`. They are given the user's own `LD_PRELOAD` back:
//! nothing of theirs is counted, and a program whose loader cannot load our libraries, as one
//! linked with musl, would not start.

use libc::c_char;
use std::ffi::CStr;
use std::ptr;

unsafe extern "C" {
    static environ: *const *mut c_char;
}

const NAME: &[u8] = b"LD_PRELOAD=";

/// Takes our libraries out of `LD_PRELOAD`. The text only becomes shorter and stays where it is, so
/// that a thread that reads the environment at the same time reads valid memory.
pub fn release() {
    // SAFETY: the pointer is that of the C library, which is null or that of a list.
    let mut entry = unsafe { ptr::read_volatile(&raw const environ) };
    while !entry.is_null() {
        // SAFETY: the list ends with a null pointer, and the loop ends there.
        let text = unsafe { entry.read() };
        if text.is_null() {
            return;
        }
        // SAFETY: the entries of the list are texts that end with a NUL.
        let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
        if let Some(value) = bytes.strip_prefix(NAME)
            && let Some(others) = without_ours(value)
        {
            // SAFETY: the address lies in the text, behind the name.
            let start = unsafe { text.add(NAME.len()) };
            // SAFETY: the new value and its NUL are no longer than the old ones. A text that names
            // our libraries was made by a launcher or a shell, in memory that can be written.
            unsafe { ptr::copy_nonoverlapping(others.as_ptr().cast(), start, others.len()) };
            return;
        }
        // SAFETY: the entry was not the last one.
        entry = unsafe { entry.add(1) };
    }
}

/// The value of `LD_PRELOAD` without our libraries, with a NUL at its end; `None` where it has none
/// of them.
fn without_ours(value: &[u8]) -> Option<Vec<u8>> {
    let is_ours = |path: &&[u8]| {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
        name.starts_with(b"librankfold")
    };
    let paths = || value.split(|byte| b": ".contains(byte));
    let others: Vec<&[u8]> = paths().filter(|path| !is_ours(path)).collect();
    (others.len() < paths().count()).then(|| [&others.join(&b':')[..], b"\0"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_own_libraries_stay() {
        let left = |value: &str| without_ours(value.as_bytes());
        assert_eq!(left("/a/librankfold.so").unwrap(), b"\0");
        let both = "/a/librankfold.so:/b/librankfold_world.so:/c/own.so /d/e.so";
        assert_eq!(left(both).unwrap(), b"/c/own.so:/d/e.so\0");
        assert_eq!(left("/librankfold/own.so"), None);
        assert_eq!(left(""), None);
    }

    #[test]
    fn children_get_the_value_without_our_libraries() {
        let child = || {
            let shown = std::process::Command::new("/bin/sh")
                .args(["-c", "echo \"$LD_PRELOAD\""])
                .output()
                .expect("a shell");
            String::from_utf8(shown.stdout).expect("a path")
        };
        // SAFETY: the tests of this crate read no environment in other threads.
        unsafe { std::env::set_var("LD_PRELOAD", "/none/librankfold.so:/none/own.so") };
        assert_eq!(child(), "/none/librankfold.so:/none/own.so\n");
        release();
        assert_eq!(child(), "/none/own.so\n");
    }
}
