//! Properties that hold for every format.

use super::testing::{ALL, counted, entries_of, traffic};
use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use rankfold_base::Rank;
use rankfold_collectives as collective;
use rankfold_graph::{Entry, PartnerOrders};
use std::io::Write;

/// Writes a file in the format of `writer` and reads it back with the reader of that ending.
fn through_a_file(writer: &Writer, traffic: &Traffic) -> Traffic {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("a").with_extension(writer.ending);
    let mut contents = Vec::new();
    (writer.write)(traffic, &mut contents).unwrap();
    std::fs::write(&path, contents).unwrap();
    ALL.read(&[path], &RunPart::default()).unwrap().traffic
}

fn a_message_of(bytes: u64) -> Traffic {
    let entry = Entry {
        from: Rank(0),
        to: Rank(1),
        bytes,
        messages: 0,
    };
    Traffic::from_entries(2, [entry]).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_round_trip_is_exact_unless_a_loss_was_told(
        traffic in prop_oneof![traffic(false), traffic(true), counted()],
    ) {
        for writer in WRITERS {
            let back = through_a_file(writer, &traffic);
            let loses = !writer.losses(&traffic).is_empty();
            prop_assert_eq!(back != traffic, loses, "{}", writer.ending);
            // Writing once more loses nothing further.
            prop_assert!(writer.losses(&back).is_empty());
            prop_assert_eq!(through_a_file(writer, &back), back);
        }
    }

    #[test]
    fn hop_bytes_see_the_same_in_every_format_but_for_a_factor(traffic in traffic(false)) {
        let affinity = |traffic: &Traffic| traffic.clone().into_graph().unwrap().affinity();
        let directed = affinity(&traffic);
        for writer in WRITERS {
            let back = affinity(&through_a_file(writer, &traffic));
            let is_summed = !writer.keeps.direction && !undirected::is_symmetric(&traffic);
            let factor = if is_summed { 2 } else { 1 };
            for rank in (0..traffic.ranks()).map(Rank::at) {
                let expected = directed.partners(rank).map(|(to, bytes)| (to, factor * bytes));
                prop_assert!(back.partners(rank).eq(expected), "{}", writer.ending);
            }
        }
    }
}

#[test]
fn a_format_that_cannot_hold_the_world_refuses_it() {
    let large = Traffic::from_entries(1 << 16, []).unwrap();
    let mut written = Vec::new();
    let error = (mat::WRITER.write)(&large, &mut written).unwrap_err();
    assert!(error.to_string().contains(".mtx"), "{error}");
    assert!(written.is_empty());
    for writer in [metis::WRITER, scotch::WRITER] {
        let error = (writer.write)(&a_message_of(u64::MAX), &mut written).unwrap_err();
        assert!(error.to_string().contains("2^63"), "{error}");
    }
}

#[test]
fn what_nobody_reads_is_told_in_two_lines_and_an_unknown_ending_names_the_known_ones() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("a.xyz");
    let missing = ALL
        .read(std::slice::from_ref(&path), &RunPart::default())
        .unwrap_err();
    assert!(missing.to_string().starts_with("cannot read"), "{missing}");
    std::fs::write(&path, "<project/>").unwrap();
    let error = ALL
        .read(&[path], &RunPart::default())
        .unwrap_err()
        .to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert!(
        lines[0].contains("it seems to be XML with the root <project>"),
        "{error}"
    );
    assert_eq!(
        lines[1..],
        ["rankfold convert --help lists what can be read"]
    );
    let error = writer(Path::new("a.rfp.txt")).unwrap_err().to_string();
    assert!(
        error.contains("a.rfp.txt") && error.contains(".grf"),
        "{error}"
    );
    let error = ALL
        .read(&["a.mtx".into(), "b.mtx".into()], &RunPart::default())
        .unwrap_err();
    assert!(
        error.to_string().starts_with("b.mtx: a second file"),
        "{error}"
    );
}

#[test]
fn a_matrix_has_neither_phases_nor_collectives() {
    let path = ["a.mtx".into()];
    let phase = RunPart {
        phase: Some("solve"),
        ..RunPart::default()
    };
    let error = ALL.read(&path, &phase).unwrap_err().to_string();
    assert!(
        error.starts_with("a.mtx") && error.contains("--phase"),
        "{error}"
    );
    let collectives = RunPart {
        collectives: Collectives::By(collective::MODELS[0]),
        ..RunPart::default()
    };
    let error = ALL.read(&path, &collectives).unwrap_err().to_string();
    assert!(error.contains("--collectives"), "{error}");
}

#[test]
fn every_format_that_is_written_says_that_it_does_not_hold_the_order() {
    let mut orders = PartnerOrders::default();
    orders.push(&[1]);
    let entry = |from, to| Entry {
        from: Rank(from),
        to: Rank(to),
        bytes: 10,
        messages: 2,
    };
    let plain = Traffic::from_entries(2, [entry(0, 1), entry(1, 0)]).unwrap();
    let ordered = plain.clone().with_partner_orders(orders);
    for writer in WRITERS {
        let more = writer.losses(&ordered).len() - writer.losses(&plain).len();
        assert_eq!(more, 1, "{}", writer.ending);
    }
}

#[test]
fn texts_may_be_compressed_and_grow_no_further_than_they_can() {
    let gzip = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let directory = tempfile::tempdir().unwrap();
    let read = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        ALL.read(&[path], &RunPart::default())
    };
    let entry = |from, to| Entry {
        from: Rank(from),
        to: Rank(to),
        bytes: 10,
        messages: 2,
    };
    let traffic = Traffic::from_entries(2, [entry(0, 1), entry(1, 0)]).unwrap();
    for writer in WRITERS.iter().filter(|writer| writer.ending != "rfp") {
        let mut text = Vec::new();
        (writer.write)(&traffic, &mut text).unwrap();
        let plain = read(&format!("a.{}", writer.ending), &text).unwrap();
        let packed = read(&format!("a.{}.gz", writer.ending), &gzip(&text)).unwrap();
        assert_eq!(
            entries_of(&packed.traffic),
            entries_of(&plain.traffic),
            "{}",
            writer.ending
        );
    }
    let whole = gzip(b"2 1\n2\n1\n");
    let error = read("cut.graph.gz", &whole[..whole.len() - 4]).unwrap_err();
    assert!(
        error.to_string().contains("damaged or half-written"),
        "{error}"
    );
    let error = read("bomb.graph.gz", &gzip(&vec![b' '; 1 << 24])).unwrap_err();
    assert!(
        error.to_string().contains("grow by more than 100 times"),
        "{error}"
    );
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_matrix() {
    let scratch = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a.csv", "0,1,5\n"),
        ("a.graph", "2 1 1\n2 5\n1 5\n"),
        ("matrix", "0 5\n0 0\n"),
    ] {
        let path = scratch.path().join(name);
        std::fs::write(&path, format!("\u{feff}{text}")).unwrap();
        let read = ALL.read(&[path], &RunPart::default());
        assert_eq!(read.unwrap().traffic.ranks(), 2, "{name}");
    }
}
