use super::*;
use multipartition::Problem;
use std::collections::BTreeSet;

fn generator(name: &str) -> &'static Generator {
    GENERATORS.iter().find(|one| one.name == name).unwrap()
}

/// Receivers, bytes and messages of what a rank sends.
fn row(entries: Vec<Entry>, ranks: usize, rank: u32) -> Vec<(u32, u64, u64)> {
    let traffic = Traffic::from_entries(ranks, entries).unwrap();
    let of_rank = traffic.entries().filter(|e| e.from == Rank(rank));
    of_rank.map(|e| (e.to.0, e.bytes, e.messages)).collect()
}

#[test]
fn bt_on_64_ranks_sends_what_a_run_of_class_w_was_seen_to_send() {
    let class_w = Problem {
        points: 24,
        steps: 200,
        ..multipartition::BT_D
    };
    let sent = row(multipartition::messages(64, &class_w).unwrap(), 64, 0);
    let (forwards, backwards) = (6_420_960, 1_918_560);
    let seen = [
        (1, forwards, 1609),
        (7, backwards, 1609),
        (8, forwards, 1609),
        (15, forwards, 1609),
        (56, backwards, 1609),
        (57, backwards, 1609),
    ];
    assert_eq!(sent, seen);
}

#[test]
fn sp_on_16_ranks_sends_what_a_run_of_class_s_was_seen_to_send() {
    let class_s = Problem {
        points: 12,
        steps: 100,
        ..multipartition::SP_D
    };
    let sent = row(multipartition::messages(16, &class_s).unwrap(), 16, 0);
    let seen = [
        (1, 558_064, 405),
        (3, 390_000, 405),
        (4, 522_512, 405),
        (7, 558_064, 405),
        (12, 398_080, 405),
        (13, 390_000, 405),
    ];
    assert_eq!(sent, seen);
}

#[test]
fn cells_of_different_sizes_send_what_a_run_of_sp_was_seen_to_send() {
    // Class W has 36 points a side: one of five cells is longer.
    let class_w = Problem {
        points: 36,
        steps: 400,
        ..multipartition::SP_D
    };
    let sent = row(multipartition::messages(25, &class_w).unwrap(), 25, 0);
    let seen = [
        (1, 20_124_624, 2006),
        (4, 12_141_920, 2006),
        (5, 19_701_168, 2006),
        (9, 20_124_624, 2006),
        (20, 12_174_000, 2006),
        (21, 12_141_920, 2006),
    ];
    assert_eq!(sent, seen);
}

#[test]
fn lu_on_8_ranks_sends_what_a_run_of_class_w_was_seen_to_send() {
    let class_w = grid::Lu {
        points: 33,
        steps: 300,
    };
    let entries = grid::lu(8, &class_w).unwrap();
    // The run sent 368 to 568 bytes more to ranks before the sender: the integral at its end.
    let seen = [
        (0, vec![(1, 19_615_360, 9635), (4, 10_208_960, 9635)]),
        (3, vec![(2, 19_615_360, 9635), (7, 9_033_160, 9635)]),
        (
            5,
            vec![
                (1, 9_406_400, 9635),
                (4, 18_439_560, 9635),
                (6, 18_439_560, 9635),
            ],
        ),
    ];
    for (rank, sent) in seen {
        assert_eq!(row(entries.clone(), 8, rank), sent, "rank {rank}");
    }
}

#[test]
fn cg_on_16_ranks_sends_what_a_run_of_class_s_was_seen_to_send() {
    let class_s = || conjugate_gradient::messages(16, 1400, 15).unwrap();
    let (summed, transposed) = ((1_171_712, 1264), (1_164_800, 416));
    let seen = [(0, summed), (3, summed), (4, transposed)];
    let seen = seen.map(|(to, (bytes, messages))| (to, bytes, messages));
    assert_eq!(row(class_s(), 16, 1), seen);
    let seen = [(3, transposed), (13, summed), (14, summed)];
    let seen = seen.map(|(to, (bytes, messages))| (to, bytes, messages));
    assert_eq!(row(class_s(), 16, 12), seen);
}

#[test]
fn cg_with_twice_as_many_columns_swaps_in_pairs() {
    let entries = conjugate_gradient::messages(8, 1400, 15).unwrap();
    let sends = |from, to| {
        entries
            .iter()
            .any(|e| (e.from, e.to) == (Rank(from), Rank(to)))
    };
    // Two rows of four: columns 2 and 3 of row 0 and columns 0 and 1 of row 1.
    assert!(sends(2, 4) && sends(4, 2) && sends(3, 5) && sends(5, 3));
}

#[test]
fn every_generator_gives_all_ranks_senders_and_receivers() {
    for generator in GENERATORS {
        let traffic = generator.traffic(64).unwrap();
        let of_all = |side: fn(Entry) -> Rank| {
            let distinct: BTreeSet<Rank> = traffic.entries().map(side).collect();
            assert_eq!(distinct.len(), 64, "{}", generator.name);
        };
        of_all(|entry| entry.from);
        of_all(|entry| entry.to);
    }
}

#[test]
fn grids_of_ranks_have_as_many_edges_as_their_sides_give() {
    for (name, ranks, edges) in [
        ("npb-lu", 32, 4 * 7 + 3 * 8),
        ("sweep3d", 12, 3 * 3 + 2 * 4),
        ("wrf-surrogate", 7, 6),
    ] {
        let traffic = generator(name).traffic(ranks).unwrap();
        assert_eq!(traffic.len(), 2 * edges, "{name}");
    }
}

#[test]
fn numbers_of_ranks_that_a_program_does_not_run_on_are_refused() {
    for (name, ranks, problem) in [
        ("npb-bt", 24, "square numbers of ranks, such as 16 and 25"),
        ("npb-sp", 137 * 137, "cells for at most 18496 ranks"),
        ("npb-cg", 12, "powers of two"),
        ("npb-lu", 36, "powers of two"),
        (
            "npb-lu",
            1 << 13,
            "too few points for 128 ranks along a side",
        ),
        ("sweep3d", 4001, "too few cells for 4001 ranks along a side"),
        ("sweep3d", 1, "from 2 to"),
        ("art-surrogate", 1 << 17, "at most 65536 ranks"),
        ("wrf-surrogate", usize::MAX, "from 2 to"),
    ] {
        let error = generator(name).traffic(ranks).unwrap_err();
        assert!(error.contains(problem), "{name}: {error}");
    }
}

#[test]
fn clouds_are_irregular_and_the_same_every_time() {
    for name in ["art-surrogate", "gadget-surrogate"] {
        let traffic = generator(name).traffic(256).unwrap();
        let partners: Vec<usize> = (0..256)
            .map(|rank| traffic.entries().filter(|e| e.from == Rank(rank)).count())
            .collect();
        let (least, most) = (
            partners.iter().min().unwrap(),
            partners.iter().max().unwrap(),
        );
        assert!(
            *least >= 3 && *most >= 2 * least,
            "{name}: {least} to {most} partners"
        );
        let again = generator(name).traffic(256).unwrap();
        assert!(traffic.entries().eq(again.entries()), "{name}");
    }
}
