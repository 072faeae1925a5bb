//! Numbers and names in sentences.

use std::fmt::Display;

/// "1 host", "2 hosts": the regular plural of English.
#[must_use]
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Least Jaro similarity, from 0 to 1, of a suggested word to the typed word. The value is that of
/// the crate `clap` for options.
const ALIKE: f64 = 0.7;

/// Returns ", did you mean torus?" for "tours", and an empty string if no known word is similar.
///
/// ```
/// use rankfold_model::words::did_you_mean;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_singular() {
        let told = [0_u64, 1, 2].map(|count| counted(count, "rank"));
        assert_eq!(told, ["0 ranks", "1 rank", "2 ranks"]);
    }
}
