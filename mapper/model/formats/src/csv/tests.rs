use super::super::testing::{counted, entries_of, lines, refusals, round_trip, traffic};
use super::*;
use proptest::prelude::*;

fn text(text: &str) -> Result<Traffic> {
    parse(lines(text, "a.csv"))
}

#[test]
fn a_list_is_read_with_and_without_a_header_in_any_order_of_columns() {
    let expected = [(0, 1, 5, 2), (2, 0, 7, 1)];
    for list in [
        "0,1,5,2\n2,0,7,1\n",
        "# a comment\n0;1;5;2\r\n\n2; 0; 7; 1\r\n",
        "source,destination,bytes,messages\n2,0,7,1\n0,1,5,2\n",
        "\"Bytes\"\t\"dst\"\t\"tag\"\t\"src\"\t\"msgs\"\n5\t1\tx\t0\t2\n7\t0\ty\t2\t1\n",
    ] {
        let read = text(list).unwrap();
        assert_eq!(
            (read.ranks(), entries_of(&read)),
            (3, expected.to_vec()),
            "{list}"
        );
    }
    let uncounted = text("i,j,bytes\n0,1,5\n").unwrap();
    assert_eq!(entries_of(&uncounted), [(0, 1, 5, 0)]);
}

#[test]
fn a_matrix_is_read_with_and_without_names_of_the_ranks() {
    for matrix in [
        "0,5\n7,0\n",
        ",0,1\n0,0,5\n1,7,0\n",
        "\t0\t1\n0\t0\t5\n1\t7\t0\n",
        "rank,0,1\n0,0,5\n1,7,0\n",
        "a,b\n0,5\n7,0\n",
        "\"a\",\"b\"\n\"a\",0,5\n\"b\",7,0\n",
    ] {
        let read = text(matrix).unwrap();
        assert_eq!(entries_of(&read), [(0, 1, 5, 0), (1, 0, 7, 0)], "{matrix}");
    }
}

#[test]
fn a_bare_square_of_three_is_a_matrix_only_with_a_zero_diagonal() {
    let read = text("0,5,0\n7,0,0\n1,0,0\n").unwrap();
    assert_eq!(
        entries_of(&read),
        [(0, 1, 5, 0), (1, 0, 7, 0), (2, 0, 1, 0)]
    );
    let read = text("0,1,5\n1,2,5\n").unwrap();
    assert_eq!(entries_of(&read), [(0, 1, 5, 0), (1, 2, 5, 0)]);
    refusals(
        text,
        &[(
            "0,1,5\n1,2,5\n2,0,5\n",
            "a.csv:4: 3 lines of 3 numbers may be",
        )],
    );
}

#[test]
fn every_mistake_is_named_with_its_line() {
    refusals(
        text,
        &[
            ("", "a.csv:1: the file is empty"),
            (
                "source,destination,bytes\n",
                "a.csv: the communication matrix is empty",
            ),
            (
                "source,destination,bytes\n0,1\n",
                "a.csv:2: the line has no bytes",
            ),
            (
                "i,j,bytes\n0,1,5\nx,1,5\n",
                "a.csv:3: source \"x\" is not a rank",
            ),
            (
                "i,j,bytes\n0,99999999,5\n",
                "a.csv:2: destination \"99999999\" is not a rank",
            ),
            ("i,j,bytes\n0,1,-5\n", "a.csv:2: -5 bytes"),
            (
                "i,j,bytes,msgs\n0,1,5,many\n",
                "a.csv:2: \"many\" is not a number of messages",
            ),
            ("0,5\n", "a.csv:2: the file ends after 1 rows of 2"),
            ("0,5\n1\n", "a.csv:2: 1 numbers where the first row has 2"),
            (
                "i;j;bytes\n0;1;10,5\n",
                "a.csv:2: \"10,5\" is not a number of bytes",
            ),
            ("0 1 10\n1 0 5\n", "a.csv:1: one column: commas, semicolons"),
            (
                "a,b,c\n0,1,5\n",
                "a.csv:3: the file ends after 1 rows of 3 numbers",
            ),
        ],
    );
    let error = text("a,b,c\n0,1,5\n").unwrap_err().to_string();
    assert!(error.contains("source,destination,bytes"), "{error}");
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(traffic in prop_oneof![traffic(false), counted()]) {
        prop_assert_eq!(round_trip(&WRITER, text, &traffic), traffic);
    }

    #[test]
    fn arbitrary_text_is_read_or_refused(input in "[0-9a,;\t\n\". -]{0,80}") {
        if let Ok(traffic) = text(&input) {
            prop_assert!(traffic.ranks() > 0);
        }
    }
}
