//! Lists of cores by which launchers bind ranks. One list serves all hosts: its first element holds
//! the cores of the first rank of every host.

use rankfold_wire::Cores;

/// The reason why ranks are not bound by a list, if the user binds them.
pub(super) const BOUND_BY_USER: &str =
    "your options or variables say otherwise where ranks are bound";
pub(super) const LISTS_DIFFER: &str =
    "the launcher binds ranks by one list for all hosts, and the plan needs another on some";

/// The texts that `of` makes of the cores of every rank, joined by `between`.
pub(super) fn joined(list: &[&Cores], between: &str, of: impl Fn(&Cores) -> String) -> String {
    let texts: Vec<String> = list.iter().map(|cores| of(cores)).collect();
    texts.join(between)
}

/// The core numbers, joined by `between`.
pub(super) fn numbers(cores: &Cores, between: &str) -> String {
    let texts: Vec<String> = cores.numbers().iter().map(u32::to_string).collect();
    texts.join(between)
}
