//! Files of users are found, believed as far as they go, and summed up.

use super::files::{Found, below};
use super::usage::Basis;
use super::*;
use rankfold_cache::now;
use rankfold_cache::samples::measured;
use rankfold_cache::{Cache, Entry, Predicted, Promise, RankMap, Solution, State};
use rankfold_wire::{CallClass, Manifest, Peer, Row, Time};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// An entry of a program that ran once in the order as launched and once with the map, on two
/// hosts for 9 seconds each, and was promised to run in 6.
fn entry(state: fn(Solution, RankMap) -> State) -> Entry {
    let predicted = Predicted {
        launched: 4.0,
        mapped: 2.0,
        unit: "seconds".into(),
        promised: Some(Promise {
            gain: 2.0,
            run: Some([9.0, 6.0]),
            ..Promise::default()
        }),
        ..Predicted::default()
    };
    let solution = Solution {
        machine: "torus:2".into(),
        machine_digest: String::new(),
        heuristic: "gray".into(),
        predicted,
    };
    let map = RankMap {
        hosts: vec!["n1".into(), "n0".into()],
        cores: Default::default(),
    };
    Entry {
        name: "ring-2-ba41d8a0".into(),
        key: serde_json::Value::Null,
        launch: "mpirun -n 2 ring".into(),
        ranks: 2,
        allocation: None,
        fullest: 1,
        state: state(solution, map),
        measured: vec![measured(false, "x", 4.0), measured(true, "x", 2.0)],
        made: now(),
        used: now(),
    }
}

/// A run of 16 ranks on 4 hosts for 900 seconds, of which 450 inside MPI.
fn profile() -> Profile {
    let time = |class, seconds: u64| Time {
        class,
        nanoseconds: seconds * 1_000_000_000,
        calls: 1,
    };
    let row = |rank: u32| {
        let peer = Peer {
            rank: (rank + 1) % 16,
            bytes: 40_000_000_000,
            messages: 1000,
        };
        Row::of(vec![peer])
    };
    Profile {
        manifest: Manifest {
            program: "/opt/bin/<b>solver -n 4".into(),
            hosts: (0..16).map(|rank| format!("n{}", rank % 4)).collect(),
            ..Manifest::default()
        },
        rows: (0..16).map(row).collect(),
        times: vec![vec![time(CallClass::Wait, 450), time(CallClass::Run, 900)]; 16],
        user: "ada".into(),
        ..Profile::default()
    }
}

fn fleet_of(directory: &Path, machine: Option<&str>) -> Fleet {
    let args = Args {
        directories: vec![directory.to_owned()],
        machine: machine.map(str::to_owned),
        days: None,
        most: 20,
        output: None,
        json: None,
        task_prolog: false,
    };
    Fleet::gather(&args).unwrap()
}

#[test]
fn caches_and_profiles_of_a_program_are_summed_up_by_user() {
    let scratch = tempfile::tempdir().unwrap();
    let cache = Cache::at(&scratch.path().join("ada/cache"), 1 << 20).unwrap();
    cache.keep(&entry(State::Mapped), &profile()).unwrap();
    for name in ["7.0.rfp", "8.0.rfp"] {
        profile().write(&scratch.path().join(name)).unwrap();
    }
    fs::write(scratch.path().join("torn.rfp"), "RFP").unwrap();
    let fleet = fleet_of(scratch.path(), None);
    let [first, second] = &fleet.programs[..] else {
        panic!("{:?}", fleet.programs);
    };
    assert_eq!((&*first.program, first.runs, first.hosts), ("ring-2", 2, 2));
    assert_eq!(first.basis, Basis::Promised, "one run each is too few");
    let hours = 9.0 * 2.0 / 3600.0;
    assert!((first.node_hours - 2.0 * hours).abs() < 1e-9);
    assert!((first.to_gain - hours / 3.0).abs() < 1e-9);
    assert!((first.gained - hours / 2.0).abs() < 1e-9);
    assert_eq!((&*second.program, second.runs), ("<b>solver", 2));
    assert!((second.node_hours - 2.0).abs() < 1e-9);
    assert_eq!((second.saving, second.to_gain), (None, 0.0));
    let mut script = profile();
    script.manifest.program = "python3 -u /opt/sim.py 10".into();
    script.write(&scratch.path().join("9.0.rfp")).unwrap();
    let scripts = fleet_of(scratch.path(), None).programs;
    assert!(scripts.iter().any(|usage| usage.program == "sim.py"));
    let text = fleet.text();
    let squeezed = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(squeezed.contains("2.00 50 % not known"), "{text}");
    assert!(text.lines().all(|line| line.len() < 100), "{text}");
    assert_eq!(fleet.left_out.len(), 1);
    assert!(
        fleet.left_out[0].contains("torn.rfp"),
        "{:?}",
        fleet.left_out
    );
    let page = page::html(&fleet);
    assert!(page.contains("<td>&lt;b&gt;solver"), "{page}");
    assert!(page.contains(">1 file left out<"), "{page}");
}

#[test]
fn a_program_that_no_cache_knows_is_mapped_on_the_machine() {
    let scratch = tempfile::tempdir().unwrap();
    profile().write(&scratch.path().join("7.0.rfp")).unwrap();
    let fleet = fleet_of(scratch.path(), Some("tree:2x2@1GB/s+1us"));
    let [only] = &fleet.programs[..] else {
        panic!("{:?}", fleet.programs);
    };
    // Neighbours in a ring are dealt out to the hosts, and a map gathers them.
    assert_eq!(only.basis, Basis::Promised, "{:?}", fleet.left_out);
    assert!(fleet.to_gain > 0.0 && fleet.to_gain <= 0.5 * fleet.node_hours);
    let other = fleet_of(scratch.path(), Some("tree:1x2@1GB/s"));
    assert_eq!(other.programs[0].saving, None);
    assert_eq!(other.programs[0].cells()[8], "-", "nothing is claimed");
    let unknown = "what maps would save is not known";
    assert!(other.summary().ends_with(unknown), "{}", other.summary());
    assert!(
        other.left_out[0].contains("7.0.rfp"),
        "{:?}",
        other.left_out
    );
}

#[test]
fn a_map_that_does_not_gain_has_nothing_to_gain() {
    for state in [
        (|solution, _| State::Launched(solution)) as fn(_, _) -> _,
        |solution, map| State::Dropped {
            solution,
            map,
            reason: "it lost".into(),
            when: 1,
        },
    ] {
        let mut usage = Usage::of_entry(&entry(state));
        usage.sum_up();
        assert_eq!((usage.saving, usage.to_gain), (Some(0.0), 0.0));
    }
    let mut open = Usage::of_entry(&entry(|_, _| State::Profiled { part: false }));
    open.sum_up();
    assert_eq!((open.saving, open.basis), (None, Basis::Unknown));
}

#[test]
fn links_and_pipes_of_users_are_not_followed_or_waited_for() {
    let scratch = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    profile().write(&elsewhere.path().join("a.rfp")).unwrap();
    symlink(elsewhere.path(), scratch.path().join("directory")).unwrap();
    let link = scratch.path().join("link.rfp");
    symlink(elsewhere.path().join("a.rfp"), &link).unwrap();
    let pipe = scratch.path().join("pipe.rfp");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert_eq!(below(scratch.path(), SystemTime::UNIX_EPOCH).unwrap(), []);
    for path in [link, pipe] {
        let swapped = Found {
            path,
            is_entry: false,
        };
        assert!(swapped.open().is_err(), "it was a file when it was found");
    }
}

#[test]
fn what_a_file_says_of_its_owner_counts_only_where_root_has_put_it() {
    let opened = |owner| files::Opened {
        file: fs::File::open("/dev/null").unwrap(),
        owner,
    };
    let name = |number: u32| format!("user {number}");
    assert_eq!(usage::owner(&opened(1000), "root", name), "user 1000");
    assert_eq!(usage::owner(&opened(0), "ada", name), "ada");
    assert_eq!(usage::owner(&opened(0), "", name), "user 0");
}
