//! How this library speaks: a line on standard error, in one `write`, so that ranks do not mix theirs.

use std::fmt::Display;
use std::io::Write;

pub(crate) fn warn(text: impl Display) {
    let line = format!("rankfold: {text}\n");
    // Nobody is left to tell when standard error is closed.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
