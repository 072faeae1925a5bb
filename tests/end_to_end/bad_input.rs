//! Bad input is refused: the message is one paragraph that names the file, the line or the flag,
//! the exit status is 2, and no output file is left.

use crate::fact::{Fact, fact};
use anyhow::{Result, ensure};
use rankfold_tests::process::Finished;
use rankfold_tests::rankfold;
use std::fs;
use std::path::Path;

const RING: &str =
    "%%MatrixMarket matrix coordinate integer general\n4 4 4\n1 2 9\n2 3 9\n3 4 9\n4 1 9\n";

/// A call of `rankfold map INPUT --machine MACHINE` that must be refused, and the words that the
/// message must contain.
struct Case {
    fact: &'static str,
    matrix: &'static str,
    flags: &'static [&'static str],
    named: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        fact: "an_unknown_machine_spec_is_named_with_the_known_ones",
        matrix: RING,
        flags: &["--machine", "moebius:4"],
        named: &["moebius:4", "torus, mesh", "rankfold help machines"],
    },
    Case {
        fact: "a_machine_size_that_is_no_number_is_named",
        matrix: RING,
        flags: &["--machine", "torus:2xtwo"],
        named: &["torus:2xtwo", "two"],
    },
    Case {
        fact: "sizes_whose_product_is_beyond_64_bits_are_named",
        matrix: RING,
        flags: &["--machine", "torus:4294967296x4294967296"],
        named: &["torus:4294967296x4294967296", "multiply to more than"],
    },
    Case {
        fact: "a_machine_beyond_all_machines_is_named",
        matrix: RING,
        flags: &["--machine", "mesh:99999999999x3"],
        named: &["mesh:99999999999x3", "multiply to more than"],
    },
    Case {
        fact: "a_bandwidth_list_of_the_wrong_length_is_named",
        matrix: RING,
        flags: &["--machine", "torus:2x2@1"],
        named: &["torus:2x2@1", "bandwidth"],
    },
    Case {
        fact: "a_number_below_zero_is_a_value_of_its_flag",
        matrix: RING,
        flags: &["--machine", "torus:2x2", "--cores", "-1"],
        named: &["--cores", "-1"],
    },
    Case {
        fact: "a_flag_in_place_of_hosts_is_no_host",
        matrix: RING,
        flags: &["--machine", "torus:2x2", "--hosts", "--explain"],
        named: &["--hosts", "--explain", "is a flag"],
    },
    Case {
        fact: "phases_of_a_matrix_that_has_none_are_refused",
        matrix: RING,
        flags: &["--machine", "torus:2x2", "--phases", "all"],
        named: &["--phases", ".rfp"],
    },
    Case {
        fact: "fewer_slots_than_ranks_names_both_numbers_and_the_flag",
        matrix: RING,
        flags: &["--machine", "torus:3x1"],
        named: &["4", "3", "--cores"],
    },
    Case {
        fact: "an_empty_file_is_named",
        matrix: "",
        flags: &["--machine", "torus:2x2"],
        named: &["in.mtx"],
    },
    Case {
        fact: "an_empty_matrix_is_named",
        matrix: "%%MatrixMarket matrix coordinate integer general\n0 0 0\n",
        flags: &["--machine", "torus:2x2"],
        named: &["in.mtx"],
    },
    Case {
        fact: "a_matrix_that_is_not_square_is_named_by_line",
        matrix: "%%MatrixMarket matrix coordinate integer general\n4 5 1\n1 2 9\n",
        flags: &["--machine", "torus:2x2"],
        named: &["in.mtx:2"],
    },
    Case {
        fact: "negative_bytes_are_named_by_line",
        matrix: "%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 2 9\n2 3 -9\n",
        flags: &["--machine", "torus:2x2"],
        named: &["in.mtx:4", "-9"],
    },
    Case {
        fact: "an_entry_outside_the_matrix_is_named_by_line",
        matrix: "%%MatrixMarket matrix coordinate integer general\n4 4 1\n1 5 9\n",
        flags: &["--machine", "torus:2x2"],
        named: &["in.mtx:3"],
    },
    Case {
        fact: "a_truncated_matrix_is_named",
        matrix: "%%MatrixMarket matrix coordinate integer general\n4 4 3\n1 2 9\n",
        flags: &["--machine", "torus:2x2"],
        named: &["in.mtx"],
    },
    Case {
        fact: "a_format_that_names_hosts_asks_for_them",
        matrix: RING,
        flags: &["--machine", "torus:2x2", "--to", "seq"],
        named: &["--hosts"],
    },
    Case {
        fact: "an_unknown_format_is_named",
        matrix: RING,
        flags: &["--machine", "torus:2x2", "--to", "papyrus"],
        named: &["papyrus"],
    },
    Case {
        fact: "an_unknown_heuristic_is_named",
        matrix: RING,
        flags: &["--machine", "torus:2x2", "--heuristic", "oracle"],
        named: &["oracle"],
    },
];

pub(crate) fn facts() -> Vec<Fact> {
    let maps = CASES.iter().map(|case| {
        fact(format!("bad_input::{}", case.fact), &[], || {
            map_refuses(case)
        })
    });
    let others = [
        fact("bad_input::a_missing_file_is_named", &[], missing_file),
        fact(
            "bad_input::a_run_that_left_nothing_is_named",
            &[],
            unknown_run,
        ),
        fact(
            "bad_input::a_damaged_profile_is_named",
            &[],
            damaged_profile,
        ),
        fact(
            "bad_input::a_placement_of_another_rank_count_is_named",
            &[],
            wrong_rank_count,
        ),
        fact(
            "bad_input::a_map_that_cannot_be_written_is_named",
            &[],
            unwritable_map,
        ),
    ];
    maps.chain(others).collect()
}

/// Fails unless the run ended with status 2, printed one paragraph that contains every text of
/// `named`, and left no `output`.
pub(super) fn refused(run: &Finished, named: &[&str], output: &Path) -> Result<()> {
    ensure!(
        run.status == 2,
        "exit status {}\n{}",
        run.status,
        run.stderr
    );
    for word in named {
        ensure!(
            run.stderr.contains(word),
            "{word:?} is not in the message: {}",
            run.stderr
        );
    }
    ensure!(!run.stderr.contains("panicked"), "{}", run.stderr);
    ensure!(!output.exists(), "{} was left behind", output.display());
    Ok(())
}

fn map_refuses(case: &Case) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let (input, output) = (
        scratch.path().join("in.mtx"),
        scratch.path().join("out.map"),
    );
    fs::write(&input, case.matrix)?;
    let files = [
        "map",
        &input.to_string_lossy(),
        "-o",
        &output.to_string_lossy(),
    ];
    refused(
        &rankfold::run(&[&files[..], case.flags].concat())?,
        case.named,
        &output,
    )?;
    let left = fs::read_dir(scratch.path())?.count();
    ensure!(left == 1, "{left} files where only the input should be");
    Ok(())
}

fn missing_file() -> Result<()> {
    let run = rankfold::run(&["map", "/nonexistent/run.rfp", "--machine", "torus:2x2"])?;
    let next = "rankfold profile -o /nonexistent/run.rfp -- mpirun";
    refused(
        &run,
        &["/nonexistent/run.rfp", next],
        Path::new("/nonexistent"),
    )?;
    let run = rankfold::run(&["mapfile", "/nonexistent/run.map", "--to", "slurm"])?;
    let next = "-o /nonexistent/run.map";
    refused(&run, &["rankfold map", next], Path::new("/nonexistent"))
}

fn unknown_run() -> Result<()> {
    for command in ["recover", "clean"] {
        let run = rankfold::run(&[command, "4711-nosuchrun"])?;
        let named = ["4711-nosuchrun: no such run", "rankfold recover"];
        refused(&run, &named, Path::new("/nonexistent"))?;
    }
    Ok(())
}

fn damaged_profile() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let input = scratch.path().join("damaged.rfp");
    fs::write(&input, b"certainly not a profile")?;
    let run = rankfold::run(&["analyze", &input.to_string_lossy()])?;
    refused(&run, &["damaged.rfp"], &scratch.path().join("none"))
}

fn wrong_rank_count() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let (input, placement) = (
        scratch.path().join("in.mtx"),
        scratch.path().join("three.map"),
    );
    fs::write(&input, RING)?;
    fs::write(&placement, "0\n1\n2\n")?;
    let run = rankfold::run(&[
        "eval",
        &input.to_string_lossy(),
        "--machine",
        "torus:2x2",
        "--placement",
        &placement.to_string_lossy(),
    ])?;
    refused(&run, &["three.map", "3", "4"], &scratch.path().join("none"))
}

fn unwritable_map() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let input = scratch.path().join("in.mtx");
    fs::write(&input, RING)?;
    let output = scratch.path().join("no/such/directory/out.map");
    let run = rankfold::run(&[
        "map",
        &input.to_string_lossy(),
        "--machine",
        "torus:2x2",
        "-o",
        &output.to_string_lossy(),
    ])?;
    refused(&run, &["no/such/directory"], &output)
}
