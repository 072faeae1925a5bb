//! Functions of MPI that are told apart in sums of times and of messages.

use std::fmt;

/// A function of MPI whose time and messages are summed, by its place in [`TimedFunction::NAMES`].
/// The form of a function with large counts, such as `MPI_Send_c`, is the same function, and so is
/// an `MPIX_` form of a function of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimedFunction(u16);

impl TimedFunction {
    /// The functions of all classes, in the order of their numbers in a journal. A journal is read
    /// by the version that wrote it or a later one, so new names go to the end.
    pub const NAMES: [&str; 184] = lines(include_str!("timed_functions.txt"));

    /// The function of this number in a journal; `None` if a later version wrote the journal.
    #[must_use]
    pub fn numbered(number: u64) -> Option<Self> {
        let place = u16::try_from(number).ok()?;
        (usize::from(place) < Self::NAMES.len()).then_some(Self(place))
    }

    /// The number of the function in a journal.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0 as u64
    }

    /// The function that a library exports as `symbol`, such as `PMPI_Send_c`.
    ///
    /// # Panics
    ///
    /// If [`Self::NAMES`] lacks the function. Evaluated in a constant, this is an error of the
    /// compiler.
    #[must_use]
    pub const fn of_symbol(symbol: &str) -> Self {
        let wanted = without_affixes(symbol.as_bytes());
        let mut place = 0;
        while place < Self::NAMES.len() {
            if are_equal(without_affixes(Self::NAMES[place].as_bytes()), wanted) {
                return Self(place as u16);
            }
            place += 1;
        }
        panic!("TimedFunction::NAMES lacks this function");
    }

    /// The name in C, such as `MPI_Send`.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[usize::from(self.0)]
    }
}

impl fmt::Display for TimedFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The lines of a text. In a constant, a text of another number of lines is an error of the
/// compiler.
const fn lines<const N: usize>(text: &'static str) -> [&'static str; N] {
    let mut lines = [""; N];
    let (mut rest, mut count) = (text, 0);
    while !rest.is_empty() {
        let mut end = 0;
        while rest.as_bytes()[end] != b'\n' {
            end += 1;
        }
        lines[count] = rest.split_at(end).0;
        rest = rest.split_at(end + 1).1;
        count += 1;
    }
    assert!(count == N);
    lines
}

/// The name without `PMPI_`, `MPI_`, `PMPIX_` or `MPIX_` before it and `_c` behind it.
const fn without_affixes(name: &[u8]) -> &[u8] {
    let mut rest = name;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'_' {
            break;
        }
    }
    match rest {
        [before @ .., b'_', b'c'] => before,
        _ => rest,
    }
}

const fn are_equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_function_have_one_name() {
        let name = |symbol| TimedFunction::of_symbol(symbol).name();
        for symbol in ["MPI_Bcast", "PMPI_Bcast", "MPI_Bcast_c", "PMPI_Bcast_c"] {
            assert_eq!(name(symbol), "MPI_Bcast");
        }
        assert_eq!(name("PMPIX_Bcast_init"), "MPI_Bcast_init");
        assert_eq!(name("MPIX_Stream_send_c"), "MPIX_Stream_send");
    }

    #[test]
    fn a_number_is_read_back() {
        for name in TimedFunction::NAMES {
            let function = TimedFunction::of_symbol(name);
            assert_eq!(TimedFunction::numbered(function.number()), Some(function));
            assert_eq!(function.name(), name);
        }
        let next = TimedFunction::NAMES.len() as u64;
        assert_eq!(TimedFunction::numbered(next), None);
    }
}
