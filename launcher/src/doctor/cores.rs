//! The cores that a process may use, in the kernel's notation for lists: `0-3,8`.

use std::fs;
use std::os::unix::process::parent_id;

/// The cores of this process, and whether its parent process has other cores.
pub(super) fn own() -> (String, bool) {
    let own = of("self");
    let parents = of(&parent_id().to_string());
    let bound = parents.is_some() && parents != own;
    (own.unwrap_or_default(), bound)
}

/// The cores of a process, from `/proc`.
fn of(process: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    Some(line?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_knows_its_cores() {
        let (own, _) = own();
        assert!(own.parse::<rankfold_wire::Cores>().is_ok(), "{own}");
    }
}
