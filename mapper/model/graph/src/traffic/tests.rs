use super::*;

fn entry(from: u32, to: u32, bytes: u64, messages: u64) -> Entry {
    Entry {
        from: Rank(from),
        to: Rank(to),
        bytes,
        messages,
    }
}

#[test]
fn entries_of_a_pair_add_up_in_whatever_order_they_come() {
    let entries = [
        entry(2, 0, 5, 0),
        entry(2, 0, 1, 3),
        entry(0, 1, 9, 1),
        entry(2, 0, 7, 2),
        entry(1, 1, 4, 1),
        entry(0, 2, 0, 0),
    ];
    let traffic = Traffic::from_entries(4, entries).unwrap();
    assert_eq!(
        traffic.entries().collect::<Vec<_>>(),
        [entry(0, 1, 9, 1), entry(1, 1, 4, 1), entry(2, 0, 13, 5)]
    );
    let mut reversed = entries;
    reversed.reverse();
    assert_eq!(Traffic::from_entries(4, reversed).unwrap(), traffic);
}

#[test]
fn pairs_that_come_again_and_again_take_the_memory_of_one() {
    let mut builder = Builder::new(3);
    for _ in 0..MAX_UNORDERED {
        builder.push(entry(2, 1, 1, 1)).unwrap();
        builder.push(entry(0, 1, 1, 0)).unwrap();
        builder.push(entry(1, 0, 2, 0)).unwrap();
    }
    assert!(builder.unordered.capacity() <= 2 * MAX_UNORDERED);
    let sums: Vec<_> = builder.finish().unwrap().entries().collect();
    let times = MAX_UNORDERED as u64;
    let expected = [
        entry(0, 1, times, 0),
        entry(1, 0, 2 * times, 0),
        entry(2, 1, times, times),
    ];
    assert_eq!(sums, expected);
}

#[test]
fn a_graph_keeps_bytes_between_different_ranks() {
    let entries = [
        entry(0, 0, 8, 1),
        entry(0, 1, 9, 1),
        entry(1, 0, 0, 4),
        entry(2, 1, 7, 2),
    ];
    let graph = Traffic::from_entries(3, entries).unwrap().into_graph();
    let sent: Vec<_> = graph.unwrap().messages().map(|m| m.bytes).collect();
    assert_eq!(sent, [9, 7]);
}

#[test]
fn message_counts_are_kept_if_anybody_counted() {
    let some = Traffic::from_entries(2, [entry(0, 1, 9, 0), entry(1, 0, 9, 2)]).unwrap();
    let counts: Vec<_> = some.entries().map(|e| e.messages).collect();
    assert_eq!(counts, [0, 2]);
    let none = Traffic::from_entries(2, [entry(0, 1, 9, 0)]).unwrap();
    assert!(!none.counts_messages());
}
