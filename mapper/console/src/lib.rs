//! What a command says: messages and progress on the terminal, and result files.
#![forbid(unsafe_code)]

pub mod output;
pub mod progress;
pub mod terminal;

/// Prints a line on standard output. Nothing is said where nobody reads on, as behind `head`.
///
/// ```
/// rankfold_console::outln!("{} ranks", 4);
/// ```
#[macro_export]
macro_rules! outln {
    ($($words:tt)*) => {
        $crate::output::line(format_args!($($words)*))
    };
}
