//! Version 1 of the key, which was the `Debug` text of Rust structures. Entries that older versions
//! of rankfold have stored are found by it.

use super::key::Key;

/// The greatest value of `--threads` that version 1 accepted.
const MOST_THREADS: u16 = 1024;

/// The names under which version 1 may have stored the runs of `key`. That version kept runs with
/// different values of `--threads` apart: the name without `--threads` comes first, then the names
/// for all values.
pub(super) fn names(key: &Key) -> impl Iterator<Item = String> {
    let threads = [None].into_iter().chain((1..=MOST_THREADS).map(Some));
    threads.map(|threads| key.name_from(&text(key, threads)))
}

/// The text of `key` in version 1, of a run with this value of `--threads`. That text did not hold
/// `--cores`, `--node` and `--rule`.
fn text(key: &Key, threads: Option<u16>) -> String {
    let search = &key.options.search;
    let exchange = variant(&search.exchange);
    let objective = variant(&search.objective);
    let effort = match &search.effort {
        Some(effort) => format!("Some({})", variant(effort)),
        None => "None".into(),
    };
    let options = format!(
        "SearchArgs {{ heuristic: {:?}, no_refine: {}, loops: {:?}, objective: {objective}, \
         exchange: ExchangeArgs {{ exchange: {exchange} }}, effort: {effort}, time: {:?}, \
         seed: {}, threads: {threads:?} }}",
        search.heuristic, !search.refine, search.loops, search.time, search.seed
    );
    let machine = match &key.options.collectives {
        Some(model) => format!("{} {options} {model}", key.machine),
        None => format!("{} {options}", key.machine),
    };
    format!(
        "Key {{ programs: {:?}, shapes: {:?}, ranks: {:?}, machine: {machine:?} }}",
        key.programs, key.shapes, key.ranks
    )
}

/// The Rust name of a value of an option: `HopBytes` for `hop-bytes`.
fn variant(value: &str) -> String {
    let words = value.split('-').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::super::key::tests::ring;
    use super::*;

    /// The names were given by rankfold 0.1 to runs with these options.
    #[test]
    fn names_that_older_versions_gave_are_known() {
        for (line, threads, name) in [
            ("", 0, "ring-ba41d8a0"),
            ("", 4, "ring-ffcb8db9"),
            ("--seed 3", 2, "ring-c40511ab"),
            (
                "--heuristic block --no-refine --objective hop-bytes --exchange pairwise --effort best --time 1",
                0,
                "ring-6696babc",
            ),
        ] {
            let found = names(&ring(line)).nth(threads);
            assert_eq!(found.as_deref(), Some(name), "{line}");
        }
        let mut key = ring("--loops 7 --heuristic ohtma --objective congestion");
        key.options.collectives = Some("bruck".into());
        assert_eq!(names(&key).next().as_deref(), Some("ring-f8777e83"));
    }
}
