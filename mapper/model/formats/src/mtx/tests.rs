use super::super::testing::{entries_of, lines, refusals, round_trip, traffic};
use super::*;
use proptest::prelude::*;

fn text(text: &str) -> Result<Traffic> {
    parse(lines(text, "a.mtx"))
}

#[test]
fn duplicates_add_up_and_the_diagonal_is_what_ranks_send_themselves() {
    let traffic = text(
        "%%MatrixMarket matrix coordinate integer general\n% a comment\n\n3 3 4\n\
         1 2 10\n2 2 99\n 3\t1  7\r\n1 2 5\n",
    )
    .unwrap();
    assert_eq!(traffic.ranks(), 3);
    assert_eq!(
        entries_of(&traffic),
        [(0, 1, 15, 0), (1, 1, 99, 0), (2, 0, 7, 0)]
    );
}

#[test]
fn symmetric_and_pattern_matrices_are_expanded() {
    let traffic = text("%%matrixmarket MATRIX coordinate pattern symmetric\n2 2 2\n2 1\n1 1\n");
    let entries = entries_of(&traffic.unwrap());
    assert_eq!(entries, [(0, 0, 1, 0), (0, 1, 1, 0), (1, 0, 1, 0)]);
}

#[test]
fn real_numbers_are_read_when_they_are_whole() {
    let traffic =
        text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1.5e3\n2 1 64.0\n");
    let entries = entries_of(&traffic.unwrap());
    assert_eq!(entries, [(0, 1, 1500, 0), (1, 0, 64, 0)]);
}

#[test]
fn every_mistake_is_named_with_its_line() {
    const HEAD: &str = "%%MatrixMarket matrix coordinate real general\n";
    let with = |rest: &str| format!("{HEAD}{rest}");
    let cases = [
        (String::new(), "a.mtx:1: not a Matrix Market file"),
        ("1 2 3\n".into(), "a.mtx:1: not a Matrix Market file"),
        (HEAD.replace("coordinate", "array"), "a.mtx:1: \"array\""),
        (HEAD.replace("real", "complex"), "a.mtx:1: \"complex\""),
        (
            HEAD.replace("general", "hermitian"),
            "a.mtx:1: \"hermitian\"",
        ),
        (
            HEAD.replace("general", "symmetric") + "2 2 2\n1 2 5\n2 1 5\n",
            "a.mtx:4: a symmetric matrix has entries on one side",
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
    ];
    refusals(
        text,
        &cases
            .each_ref()
            .map(|(text, expected)| (&**text, *expected)),
    );
}

#[test]
fn a_huge_entry_count_allocates_nothing() {
    let header = "%%MatrixMarket matrix coordinate integer general";
    let error = text(&format!("{header}\n2 2 {}\n", u64::MAX)).unwrap_err();
    assert!(error.to_string().contains("file ends after 0"), "{error}");
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(traffic in traffic(false)) {
        prop_assert_eq!(round_trip(&WRITER, text, &traffic), traffic);
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
        if let Ok(traffic) = parse(Lines::new(&text[..], Path::new("a.mtx"))) {
            prop_assert!(traffic.ranks() > 0);
        }
    }
}
