//! Hidden directories and records of runs.

use super::*;

#[test]
fn the_run_is_found_in_the_names_of_its_files() {
    let run = run_name();
    let journal = format!("rankfold-{run}-n-0-1-3-0123456789abcdef.rfj");
    assert_eq!(run_of(&journal), Some(run.clone()));
    let profile = layout::finished_name(&run, "n-0-1", 7);
    assert_eq!(run_of(&profile), Some(run));
    assert!(is_profile(&profile) && !is_profile(&journal));
    assert_eq!(run_of("rankfold-1-2-x.txt"), None);
    assert_eq!(run_of("other-1-2-x.rfj"), None);
}

#[test]
fn a_journal_that_a_process_has_mapped_is_seen_in_its_mappings() {
    let maps = b"7f10-7f20 rw-s 00000000 00:19 42                  /dev/shm/rankfold-1-2-n-0-7.rfj\n\
        7f20-7f30 r-xp 00000000 00:19 43                  /usr/lib/libc.so.6\n\
        7f30-7f40 rw-s 00000000 00:19 44                  /dev/shm/rankfold-1-2-n-1-8.rfj (deleted)\n\
        7f40-7f50 rw-p 00000000 00:00 0\n";
    let found = journals_in(maps);
    assert_eq!(found, [Path::new("/dev/shm/rankfold-1-2-n-0-7.rfj")]);
}

#[test]
fn a_record_is_found_by_the_name_of_its_run() {
    let parent = tempfile::tempdir().unwrap();
    let directory = scratch(parent.path()).unwrap();
    assert_eq!(records(parent.path()), []);
    let traces = Traces {
        run: run_name(),
        journals: "/dev/shm".into(),
    };
    let words: Vec<OsString> = vec!["mpirun".into(), "a b".into()];
    let record = Record::new(traces, Path::new("out.rfp"), &words);
    record.write(directory.path()).unwrap();
    assert!(record.is_running());
    let found = records(parent.path());
    assert_eq!(found, [(directory.path().to_owned(), record)]);
}

#[test]
fn the_files_of_a_run_are_for_its_user_alone() {
    let parent = tempfile::tempdir().unwrap();
    let directory = scratch(parent.path()).unwrap();
    let mode = fs::metadata(directory.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_directory_is_abandoned_when_its_process_is_gone_and_not_before() {
    let parent = tempfile::tempdir().unwrap();
    let directory = scratch(parent.path()).unwrap();
    assert!(abandoned(parent.path()).is_empty());
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let gone = Owner {
        pid: child.id(),
        ..Owner::this()
    };
    child.wait().unwrap();
    let name = |owner: &Owner| {
        let text = serde_json::to_vec(owner).unwrap();
        fs::write(directory.path().join(OWNER), text).unwrap();
    };
    name(&gone);
    assert_eq!(abandoned(parent.path()), [directory.path()]);
    let host = "elsewhere".into();
    name(&Owner { host, ..gone });
    assert!(abandoned(parent.path()).is_empty(), "nobody can tell here");
}

#[test]
fn a_directory_whose_owner_was_killed_at_once_is_abandoned() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join(".rankfold-killed");
    fs::create_dir(&directory).unwrap();
    assert_eq!(abandoned(parent.path()), [directory.as_path()]);
    fs::write(directory.join(OWNER), "{\"pi").unwrap();
    assert_eq!(abandoned(parent.path()), [directory.as_path()]);
    fs::write(directory.join("seats"), "").unwrap();
    assert!(abandoned(parent.path()).is_empty(), "it may hold something");
}
