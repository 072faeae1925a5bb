//! Numbers and names, in sentences and in order.

mod seems;

pub use seems::{NO_TEXT, seems};
use std::fmt::Display;

/// "1 host", "2 hosts": the regular plural of English.
#[must_use]
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Rising numbers as people write them: 0-3, 8.
///
/// ```
/// assert_eq!(rankfold_base::words::ranges(&[0, 1, 2, 3, 8]), "0-3, 8");
/// ```
#[must_use]
pub fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let words: Vec<String> = runs
        .map(|run| match run {
            [one] => one.to_string(),
            [first, .., last] => format!("{first}-{last}"),
            [] => String::new(),
        })
        .collect();
    words.join(", ")
}

/// The name and the version number of an MPI library. The text that the library reports as its
/// version has labels, dates and options of the build as well.
///
/// ```
/// use rankfold_base::words::mpi_library;
///
/// assert_eq!(mpi_library("MPICH Version:\t4.0.2\nMPICH Release date: ..."), "MPICH 4.0.2");
/// assert_eq!(mpi_library("Open MPI v4.1.4, package: Debian OpenMPI"), "Open MPI v4.1.4");
/// ```
#[must_use]
pub fn mpi_library(version: &str) -> String {
    // Cray's label stands before the name.
    let version = version.trim_start_matches("MPI VERSION :");
    let name = version.split(['\n', ',']).next().unwrap_or_default();
    let words = name.split_whitespace();
    let words = words.filter(|word| !word.eq_ignore_ascii_case("version:"));
    words.collect::<Vec<_>>().join(" ")
}

/// Least Jaro similarity, from 0 to 1, of a suggested word to the typed word. The value is that of
/// the crate `clap` for options.
const ALIKE: f64 = 0.7;

/// Returns ", did you mean torus?" for "tours", and an empty string if no known word is similar.
///
/// ```
/// use rankfold_base::words::did_you_mean;
///
/// assert_eq!(did_you_mean("tours", ["mesh", "torus"]), ", did you mean torus?");
/// assert_eq!(did_you_mean("papyrus", ["seq", "slurm"]), "");
/// ```
#[must_use]
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let likeness = |word: &'a str| (strsim::jaro(typed, word), word);
    let alike = known.into_iter().map(likeness);
    let nearest = alike.max_by(|a, b| a.0.total_cmp(&b.0));
    match nearest {
        Some((likeness, word)) if likeness > ALIKE => format!(", did you mean {word}?"),
        _ => String::new(),
    }
}

/// A sort key for names in natural order: numbers in names are compared by value, so that n2 comes
/// before n10.
#[must_use]
pub fn natural_key(name: &str) -> Vec<(u64, char)> {
    let mut key = Vec::new();
    let mut in_number = false;
    for c in name.chars() {
        match (c.to_digit(10), key.last_mut()) {
            (Some(digit), Some((number, _))) if in_number => {
                *number = u64::saturating_add(u64::saturating_mul(*number, 10), digit.into());
            }
            (Some(digit), _) => key.push((digit.into(), '0')),
            (None, _) => key.push((u64::MAX, c)),
        }
        in_number = c.is_ascii_digit();
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_singular() {
        let words = [0_u64, 1, 2].map(|count| counted(count, "rank"));
        assert_eq!(words, ["0 ranks", "1 rank", "2 ranks"]);
    }

    #[test]
    fn names_sort_as_people_count() {
        let mut names = ["n10", "n2", "m", "n2-ib", "n01"];
        names.sort_by_key(|n| natural_key(n));
        assert_eq!(names, ["m", "n01", "n2", "n2-ib", "n10"]);
    }
}
