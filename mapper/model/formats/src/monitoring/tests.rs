use super::super::testing::{ALL, counted, entries_of, lines, refusals, round_trip, traffic};
use super::*;
use proptest::prelude::*;
use std::fs;

fn text(text: &str) -> Result<Traffic> {
    let mut traffic = Builder::growing();
    add(lines(text, "a.prof"), false, &mut traffic)?;
    traffic.finish()
}

/// The file that rank `rank` of 4 writes under Open MPI 4.1.4, shortened.
fn file(rank: usize) -> String {
    let next = (rank + 1) % 4;
    let across = (rank + 2) % 4;
    format!(
        "# POINT TO POINT\n\
         E\t{rank}\t{rank}\t10 bytes\t1 msgs sent\t0,0,0,0,1,0\n\
         E\t{rank}\t{next}\t3000 bytes\t4 msgs sent\t5,0,0,18,4,3\n\
         I\t{rank}\t{across}\t8370 bytes\t33 msgs sent\t4,0,0,18,2,5\n\
         # OSC\n\
         S\t{rank}\t{next}\t77 bytes\t1 msgs sent\n\
         S\t{rank}\t{across}\t0 bytes\t1 msgs sent\n\
         R\t{rank}\t{across}\t33 bytes\t1 msgs sent\n\
         # COLLECTIVES\n\
         C\t{rank}\t{next}\t8320 bytes\t32 msgs sent\n\
         D\tMPI_COMM_SELF\tprocs: {rank}\n\
         O2A\t{rank}\t0 bytes\t0 msgs sent\n\
         D\tMPI COMMUNICATOR 3 SPLIT FROM 0\tprocs: 2,0\n\
         A2O\t{rank}\t0 bytes\t0 msgs sent\n\
         D\tMPI_COMM_WORLD\tprocs: 0,1,2,3\n\
         A2A\t{rank}\t144 bytes\t8 msgs sent\n"
    )
}

fn set(directory: &Path, name: &str, ranks: &[usize]) {
    for &rank in ranks {
        fs::write(directory.join(format!("{name}.{rank}.prof")), file(rank)).unwrap();
    }
}

fn read_all(paths: &[PathBuf]) -> Result<Traffic> {
    Ok(ALL.read(paths, &RunPart::default())?.traffic)
}

fn read_one(path: &Path) -> Result<Traffic> {
    read_all(&[path.to_owned()])
}

#[test]
fn messages_and_remote_memory_access_count_and_collectives_do_not() {
    let read = text(&file(0)).unwrap();
    assert_eq!(read.ranks(), 4);
    assert_eq!(
        entries_of(&read),
        [(0, 0, 10, 1), (0, 1, 3077, 5), (0, 2, 0, 1), (2, 0, 33, 1)]
    );
}

#[test]
fn messages_inside_of_collectives_are_added_when_asked_for() {
    let mut traffic = Builder::growing();
    add(lines(&file(0), "a.prof"), true, &mut traffic).unwrap();
    let traffic = traffic.finish().unwrap();
    assert_eq!(traffic.bytes(Rank(0), Rank(2)), 8370);
}

#[test]
fn a_model_and_a_phase_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    set(scratch.path(), "run", &[0, 1, 2, 3]);
    let path = [scratch.path().to_owned()];
    let by = |name: &str| RunPart {
        collectives: Collectives::By(collective::model(name).unwrap()),
        ..RunPart::default()
    };
    let measured = ALL.read(&path, &by("auto")).unwrap().traffic;
    // 8370 bytes inside of collectives, and 33 bytes that rank 2 got from rank 0.
    assert_eq!(measured.bytes(Rank(0), Rank(2)), 8403);
    let error = ALL.read(&path, &by("ring")).unwrap_err();
    assert!(error.to_string().contains("--collectives auto"), "{error}");
    let phase = RunPart {
        phase: Some("solve"),
        ..RunPart::default()
    };
    let error = ALL.read(&path, &phase).unwrap_err();
    assert!(error.to_string().contains("--phase"), "{error}");
}

#[test]
fn a_set_is_found_by_its_directory_its_name_one_of_its_files_or_all_of_them() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path();
    set(directory, "run", &[0, 1, 2, 3]);
    let all = read_one(directory).unwrap();
    assert_eq!(all.entries().count(), 12);
    for name in ["run", "run.prof", "run.2.prof"] {
        assert_eq!(read_one(&directory.join(name)).unwrap(), all, "{name}");
    }
    let files: Vec<PathBuf> = (0..4)
        .map(|rank| rank_file(&directory.join("run"), rank))
        .collect();
    assert_eq!(read_all(&files).unwrap(), all);
    let joined: String = (0..4).map(file).collect();
    fs::write(directory.join("joined"), joined).unwrap();
    fs::rename(directory.join("joined"), directory.join("joined.prof")).unwrap();
    assert_eq!(read_one(&directory.join("joined.prof")).unwrap(), all);
    let error = read_one(directory).unwrap_err().to_string();
    assert!(error.contains("several sets"), "{error}");
}

#[test]
fn a_rank_without_a_file_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    set(scratch.path(), "run", &[0, 1, 3]);
    let error = read_one(scratch.path()).unwrap_err().to_string();
    assert!(error.contains("rank 2 of 4 is missing"), "{error}");
    let empty = tempfile::tempdir().unwrap();
    let error = read_one(empty.path()).unwrap_err().to_string();
    assert!(error.contains("no .prof file"), "{error}");
    let error = read_one(&empty.path().join("no.prof"))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("cannot read"), "{error}");
}

#[test]
fn every_mistake_is_named_with_its_line() {
    refusals(
        text,
        &[
            ("E\t0\t1\t5 bytes\n", "a.prof:1: the line must be"),
            (
                "# P\nE\t0\tx\t5 bytes\t1 msgs sent\n",
                "a.prof:2: destination \"x\"",
            ),
            (
                "E\t0\t1\t-5 bytes\t1 msgs sent\n",
                "a.prof:1: the line must be",
            ),
            ("hello\n", "a.prof:1: not a line of Open MPI's"),
            ("D\tMPI_COMM_WORLD\n", "a.prof:1: the line must be: D"),
            ("# P\n", "the communication matrix is empty"),
        ],
    );
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(traffic in prop_oneof![traffic(false), counted()]) {
        prop_assert_eq!(round_trip(&WRITER, text, &traffic), traffic);
    }
}
