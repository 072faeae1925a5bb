//! The cores a process may use, as the system lists them: `0-3,8`.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::parent_id;

/// The list for this process, and whether its parent's is another one.
pub(super) fn own() -> (String, bool) {
    let own = of("self");
    let parents = of(&parent_id().to_string());
    let bound = parents.is_some() && parents != own;
    (own.unwrap_or_default(), bound)
}

fn of(process: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    Some(line?.trim().to_owned())
}

/// The numbers in a list.
pub(super) fn numbers(list: &str) -> BTreeSet<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cores_are_read() {
        assert_eq!(numbers("0-2,8"), BTreeSet::from([0, 1, 2, 8]));
        assert_eq!(numbers(""), BTreeSet::new());
        let (own, _) = own();
        assert!(!numbers(&own).is_empty(), "{own}");
    }
}
