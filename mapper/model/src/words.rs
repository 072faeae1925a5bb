//! Numbers in sentences.

use std::fmt::Display;

/// "1 host", "2 hosts": the regular plural of English.
#[must_use]
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
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
