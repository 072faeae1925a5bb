//! A word on what no figure of a placement has in it: the bandwidth of the hosts' memories.

use rankfold_base::Placement;
use rankfold_base::words::counted;
use rankfold_machine::Machine;
use std::collections::BTreeSet;

/// A line where several ranks share hosts of a job while others of its hosts have none.
pub(super) fn note(machine: &Machine, placement: &Placement) -> Option<String> {
    machine.hosts()?;
    let hosts = machine.launch_order().len();
    let used: BTreeSet<_> = placement.nodes(machine.slots()).into_iter().collect();
    let ranks = placement.ranks();
    let each = ranks.div_ceil(hosts.max(1));
    (used.len() < hosts.min(ranks)).then(|| {
        format!(
            "{} on {} of {}: the bandwidth of memory is in no figure, and --cores {each} spreads them",
            counted(ranks, "rank"),
            used.len(),
            counted(hosts, "host"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_machine::{HostList, parse};

    #[test]
    fn hosts_without_ranks_are_told_where_others_have_several() {
        let hosts = HostList::from_text("a slots=48\nb slots=48\n", "hosts").unwrap();
        let machine = Machine::new(parse("tree:2").unwrap(), None, Some(hosts)).unwrap();
        let remark = note(&machine, &Placement::block(8)).unwrap();
        assert_eq!(
            remark,
            "8 ranks on 1 of 2 hosts: the bandwidth of memory is in no figure, and --cores 4 spreads them"
        );
        assert_eq!(note(&machine, &Placement::block(50)), None);
        assert_eq!(note(&machine, &Placement::block(1)), None);
        let unnamed = Machine::uniform(parse("tree:2").unwrap(), 48);
        assert_eq!(note(&unnamed, &Placement::block(8)), None);
    }
}
