//! The machine of a job's hosts: how many ranks each takes, and what is inside.

use super::*;
use rankfold_base::NodeId;
use rankfold_cache::Host;

fn host(name: &str, slots: Option<u32>) -> Host {
    Host {
        name: name.into(),
        slots,
    }
}

fn capacities(hosts: &[Host], ranks: usize, a_host: u32) -> Vec<u32> {
    let names: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
    let found = Question::of(&names).ask().unwrap().found;
    let capacities = Capacities {
        ranks: Some(ranks),
        a_host: Some(a_host),
    };
    let machine = machine(found.hardware, hosts, capacities, &nodes(None), &[]).unwrap();
    (0..hosts.len())
        .map(|node| machine.slots().capacity(NodeId::at(node)))
        .collect()
}

#[test]
fn no_host_gets_more_ranks_than_the_fullest_had_unless_they_would_not_fit() {
    let four = [host("a", Some(4)), host("b", Some(4)), host("c", Some(2))];
    assert_eq!(
        capacities(&four, 6, 2),
        [2, 2, 2],
        "the launcher spreads them"
    );
    assert_eq!(
        capacities(&four, 10, 4),
        [4, 4, 2],
        "a small host stays one"
    );
    assert_eq!(
        capacities(&four, 10, 2),
        [4, 4, 2],
        "fewer hosts than last time"
    );
    let unknown = [host("a", None), host("b", None)];
    assert_eq!(
        capacities(&unknown, 7, 3),
        [4, 4],
        "too many for what is known"
    );
}

#[test]
fn hosts_have_inside_what_their_processes_saw_under_any_of_their_names() {
    let hosts = [host("n0", Some(4)), host("n1", Some(4))];
    let found = Question::of(&["n0", "n1"]).ask().unwrap().found;
    let seen = [seen("N0.site", "")];
    let machine = machine(
        found.hardware,
        &hosts,
        Capacities::default(),
        &nodes(None),
        &seen,
    )
    .unwrap();
    // All hosts that were seen are alike, so the other one is taken for such a one.
    for node in 0..2 {
        let inside = machine.inside(NodeId(node)).unwrap();
        assert_eq!((inside.cores(), inside.levels().len()), (4, 1));
    }
}
