use super::*;

fn message(from: u32, to: u32, bytes: u64) -> Message {
    Message {
        from: Rank(from),
        to: Rank(to),
        bytes,
    }
}

#[test]
fn duplicates_add_up_and_self_messages_vanish() {
    let graph = CommGraph::from_messages(
        3,
        [
            message(2, 0, 5),
            message(0, 1, 1),
            message(2, 0, 7),
            message(1, 1, 9),
            message(1, 2, 0),
        ],
    )
    .unwrap();
    assert_eq!(
        graph.messages().collect::<Vec<_>>(),
        [message(0, 1, 1), message(2, 0, 12)]
    );
    assert_eq!((graph.pairs(), graph.total_bytes()), (2, 13));
}

#[test]
fn affinity_adds_both_directions() {
    let graph = CommGraph::from_messages(3, [message(0, 1, 1), message(1, 0, 2), message(2, 1, 4)])
        .unwrap();
    let both = graph.affinity();
    assert_eq!(
        both.partners(Rank(1)).collect::<Vec<_>>(),
        [(Rank(0), 3), (Rank(2), 4)]
    );
    assert_eq!(both.degree(Rank(2)), 1);
}

#[test]
fn renumbered_graphs_have_the_same_messages_between_neighbours_in_number() {
    let ring = [(0, 3), (3, 1), (1, 4), (4, 2), (2, 0)];
    let messages = ring.map(|(from, to)| message(from, to, u64::from(10 * from + to + 1)));
    let graph = CommGraph::from_messages(5, messages).unwrap();
    let order = graph.breadth_first();
    assert_eq!(order, [0, 3, 1, 4, 2].map(Rank));
    let renumbered = graph.renumbered(&order);
    let found: Vec<Message> = renumbered.messages().collect();
    let bytes = [4, 32, 15, 43, 21];
    let ends = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)];
    let expected = ends
        .iter()
        .zip(bytes)
        .map(|(&(a, b), bytes)| message(a, b, bytes));
    assert_eq!(found, expected.collect::<Vec<_>>());
}

#[test]
fn bad_messages_are_named() {
    assert!(matches!(
        CommGraph::from_messages(0, []),
        Err(CommError::Empty)
    ));
    assert!(matches!(
        CommGraph::from_messages(2, [message(0, 2, 1)]),
        Err(CommError::RankOutOfRange { to: 2, .. })
    ));
    assert!(matches!(
        CommGraph::from_messages(2, [message(0, 1, u64::MAX), message(0, 1, 1)]),
        Err(CommError::Overflow(0, 1))
    ));
}

#[test]
fn messages_are_known_where_the_source_counts_them() {
    let entry = |from, to, bytes, messages| Entry {
        from: Rank(from),
        to: Rank(to),
        bytes,
        messages,
    };
    // A message without bytes loads no link, but both its ranks are busy with it.
    let entries = [
        entry(0, 1, 900, 3),
        entry(1, 2, 50, 1),
        entry(2, 1, 0, 7),
        entry(2, 2, 8, 9),
    ];
    let counted = Traffic::from_entries(3, entries)
        .unwrap()
        .into_graph()
        .unwrap();
    let sent = |graph: &CommGraph, rank| graph.sent_with_messages(Rank(rank)).collect::<Vec<_>>();
    assert_eq!(sent(&counted, 0), [(Rank(1), 900, 3.0)]);
    assert_eq!((sent(&counted, 2), counted.most_messages()), (vec![], 11.0));
    let turned = counted.renumbered(&[Rank(2), Rank(1), Rank(0)]);
    assert_eq!(sent(&turned, 2), [(Rank(1), 900, 3.0)]);
    assert_eq!(turned.most_messages(), 11.0);

    let unknown = CommGraph::from_messages(3, [message(0, 1, 900), message(1, 2, 50)]).unwrap();
    assert!(!unknown.counts_messages());
    assert_eq!(sent(&unknown, 0), [(Rank(1), 900, 1.0)]);
    assert_eq!(unknown.most_messages(), 2.0);
}

#[test]
fn a_graph_has_the_exchange_of_its_traffic_or_the_usual_one() {
    let traffic = Traffic::from_entries(2, []).unwrap();
    let graph = traffic
        .clone()
        .with_exchange(Some(1.0))
        .into_graph()
        .unwrap();
    assert_eq!(
        (
            graph.exchange(),
            graph.renumbered(&[Rank(1), Rank(0)]).exchange()
        ),
        (1.0, 1.0)
    );
    assert_eq!(
        traffic.into_graph().unwrap().exchange(),
        exchange::DEFAULT_SHARE
    );
}
