//! Lists of cores by which launchers bind the ranks of a host, the first rank there first: one
//! list, for all hosts.

use rankfold_profile::Cores;

/// Why ranks are not bound by a list.
pub(super) const BOUND_BY_USER: &str =
    "your options or variables say otherwise where ranks are bound";
pub(super) const LISTS_DIFFER: &str =
    "the launcher binds ranks by one list for all hosts, and the plan needs another on some";

/// `of` the cores of every rank, with `between` between ranks.
pub(super) fn joined(list: &[&Cores], between: &str, of: impl Fn(&Cores) -> String) -> String {
    let texts: Vec<String> = list.iter().map(|cores| of(cores)).collect();
    texts.join(between)
}

/// The numbers, with `between` between them.
pub(super) fn numbers(cores: &Cores, between: &str) -> String {
    let texts: Vec<String> = cores.numbers().iter().map(u32::to_string).collect();
    texts.join(between)
}
