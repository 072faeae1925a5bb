use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> Result<CommGraph, CommError> {
    read_from(text.as_bytes(), Path::new("a.mtx"))
}

fn entries_of(graph: &CommGraph) -> Vec<(u32, u32, u64)> {
    graph
        .messages()
        .map(|m| (m.from.0, m.to.0, m.bytes))
        .collect()
}

#[test]
fn duplicates_add_up_and_the_diagonal_is_dropped() {
    let graph = parse(
        "%%MatrixMarket matrix coordinate integer general\n% a comment\n\n3 3 4\n\
         1 2 10\n2 2 99\n 3\t1  7\r\n1 2 5\n",
    )
    .unwrap();
    assert_eq!(graph.ranks(), 3);
    assert_eq!(entries_of(&graph), [(0, 1, 15), (2, 0, 7)]);
}

#[test]
fn symmetric_and_pattern_matrices_are_expanded() {
    let graph = parse("%%matrixmarket MATRIX coordinate pattern symmetric\n2 2 2\n2 1\n1 1\n");
    assert_eq!(entries_of(&graph.unwrap()), [(0, 1, 1), (1, 0, 1)]);
}

#[test]
fn real_numbers_are_read_when_they_are_whole() {
    let graph =
        parse("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1.5e3\n2 1 64.0\n");
    assert_eq!(entries_of(&graph.unwrap()), [(0, 1, 1500), (1, 0, 64)]);
}

#[test]
fn every_mistake_is_named_with_its_line() {
    const HEAD: &str = "%%MatrixMarket matrix coordinate real general\n";
    let with = |rest: &str| format!("{HEAD}{rest}");
    for (text, expected) in [
        (String::new(), "a.mtx:1: not a Matrix Market file"),
        ("1 2 3\n".into(), "a.mtx:1: not a Matrix Market file"),
        (HEAD.replace("coordinate", "array"), "a.mtx:1: \"array\""),
        (HEAD.replace("real", "complex"), "a.mtx:1: \"complex\""),
        (
            HEAD.replace("general", "hermitian"),
            "a.mtx:1: \"hermitian\"",
        ),
        (HEAD.into(), "a.mtx:2: the size line"),
        (with("2 2\n"), "a.mtx:2: the size line must be three"),
        (with("0 0 0\n"), "a.mtx:2: the matrix is empty"),
        (
            with("2 3 0\n"),
            "a.mtx:2: the matrix has 2 rows and 3 columns",
        ),
        (
            with("99999999999 99999999999 0\n"),
            "a.mtx:2: 99999999999 ranks",
        ),
        (with("2 2 1\n% c\n1 2 -4\n"), "a.mtx:4: -4 bytes"),
        (
            with("2 2 1\n1 2 nan\n"),
            "a.mtx:3: nan bytes: the count must be finite",
        ),
        (
            with("2 2 1\n1 2 1e999\n"),
            "a.mtx:3: 1e999 bytes: the count must be finite",
        ),
        (with("2 2 1\n1 2 1e30\n"), "a.mtx:3: 1e30 bytes exceed"),
        (with("2 2 1\n1 2 0.5\n"), "a.mtx:3: 0.5 is a fraction"),
        (with("2 2 1\n1 2 x\n"), "a.mtx:3: \"x\" is not a number"),
        (
            with("2 2 1\n1 3 1\n"),
            "a.mtx:3: column 3 is not between 1 and 2",
        ),
        (
            with("2 2 1\n0 1 1\n"),
            "a.mtx:3: row 0 is not between 1 and 2",
        ),
        (with("2 2 1\n1 2\n"), "a.mtx:3: the entry has no byte count"),
        (with("2 2 1\n1 2 3 4\n"), "a.mtx:3: the entry has more"),
        (
            with("2 2 2\n1 2 3\n"),
            "a.mtx:4: the file ends after 1 of the 2",
        ),
        (
            with("2 2 1\n1 2 3\n2 1 3\n"),
            "a.mtx:4: more entries than the 1",
        ),
    ] {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
}

#[test]
fn a_huge_entry_count_allocates_nothing() {
    let text = format!(
        "%%MatrixMarket matrix coordinate integer general\n2 2 {}\n",
        u64::MAX
    );
    assert!(
        parse(&text)
            .unwrap_err()
            .to_string()
            .contains("file ends after 0")
    );
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        ranks in 1usize..40,
        raw in prop::collection::vec((any::<u32>(), any::<u32>(), 0u64..1 << 40), 0..200),
    ) {
        let messages = raw.into_iter().map(|(from, to, bytes)| Message {
            from: Rank(from % ranks as u32),
            to: Rank(to % ranks as u32),
            bytes,
        });
        let graph = CommGraph::from_messages(ranks, messages).unwrap();
        let mut text = Vec::new();
        write(&graph, &mut text).unwrap();
        prop_assert_eq!(read_from(&text[..], Path::new("a.mtx")).unwrap(), graph);
    }

    #[test]
    fn arbitrary_bytes_are_read_or_refused(
        banner in any::<bool>(),
        rest in prop::collection::vec(prop::sample::select(&b"0123456789 \n%-.e\xff"[..]), 0..120),
    ) {
        let mut text = Vec::new();
        if banner {
            text.extend(b"%%MatrixMarket matrix coordinate real general\n2 2 1\n");
        }
        text.extend(rest);
        if let Ok(graph) = read_from(&text[..], Path::new("a.mtx")) {
            prop_assert!(graph.ranks() > 0);
        }
    }
}
