//! Version 1 of the key, which was the `Debug` text of Rust structures. Entries that older versions
//! of rankfold have stored are found by it.

use super::key::Key;

/// The names under which version 1 may have stored the runs of `key`. That version kept runs with
/// different values of `--threads` apart: the name without `--threads` comes first, then the name
/// with the `threads` of this run.
pub(super) fn names(key: &Key, threads: Option<u16>) -> Vec<String> {
    let name = |threads| key.name_from(&text(key, threads));
    let mut names = vec![name(None)];
    if threads.is_some() {
        names.push(name(threads));
    }
    names
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
        for (line, without_threads, name) in [
            ("", true, "ring-ba41d8a0"),
            ("--threads 4", false, "ring-ffcb8db9"),
            ("--seed 3 --threads 2", false, "ring-c40511ab"),
            (
                "--heuristic block --no-refine --objective hop-bytes --exchange pairwise --effort best --time 1",
                true,
                "ring-6696babc",
            ),
        ] {
            let (key, threads) = ring(line);
            let names = names(&key, threads);
            assert_eq!(names.len(), if without_threads { 1 } else { 2 });
            assert_eq!(names.last().unwrap(), name, "{line}");
        }
        let (mut key, _) = ring("--loops 7 --heuristic ohtma --objective congestion");
        key.options.collectives = Some("bruck".into());
        assert_eq!(names(&key, None), ["ring-f8777e83"]);
    }
}
