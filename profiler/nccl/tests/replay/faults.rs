//! What goes wrong: ranks that die, pointers that are null, journals that do not fit together.

use crate::job::Job;
use crate::launch::{Launch, RUN, pairs};
use crate::{VERSIONS, nothing};
use rankfold_wire::{NcclLoss, Outcome};
use std::fs;
use std::path::PathBuf;

/// A job of two nodes with two GPUs each that sends over the network.
fn job() -> Job {
    let mut job = Job::new(2, 2);
    job.ring(1 << 20, 2);
    job.send(0, (0, 0), (3, 3), 5000);
    job.end(0);
    job
}

/// The journals of a launch in the order of their names.
fn files(launch: &Launch) -> Vec<PathBuf> {
    let entries = fs::read_dir(launch.journals()).expect("a directory");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

#[test]
fn a_killed_rank_leaves_what_it_counted_and_is_named() {
    for version in VERSIONS {
        let mut job = job();
        // Rank 2 is killed by its second proxy, when the first file and that thread have counted.
        let killed = &mut job.events[2];
        let ended = killed.threads[1].replace("end 0\n", "");
        killed.first.push_str(&ended);
        killed.first.push_str(&killed.threads[0]);
        killed.first.push_str(&killed.threads[2]);
        killed.first.push_str("kill\n");
        killed.threads = Default::default();
        let launch = Launch::new(version);
        let ends = launch.run(&job, nothing);
        assert!(!ends[2].0.success());
        let profile = launch.profile();
        let missing = vec![];
        assert_eq!(profile.manifest.outcome, Outcome::Recovered { missing });
        let nccl = profile.nccl.as_ref().expect("counted");
        assert_eq!(nccl.record.unfinished, [2], "version {version}");
        assert_eq!(pairs(&nccl.network), job.network, "version {version}");
    }
}

/// The accesses to a truncated file end in SIGBUS, which would end the program.
#[test]
fn a_truncated_journal_ends_no_process_and_is_told() {
    let mut job = job();
    let first = &mut job.events[1].first;
    first.push_str("truncate\ncall 0 AllReduce 7 ncclInt8 0\ninit 1 99 1 2 0\n");
    let launch = Launch::new(5);
    let ends = launch.run(&job, nothing);
    for (rank, (status, said)) in ends.iter().enumerate() {
        assert!(status.success(), "rank {rank}: {status}\n{said}");
        assert_eq!(said.lines().count(), usize::from(rank == 1), "{said}");
    }
    assert!(ends[1].1.contains("was truncated by another process"));
    let message = launch.recover().expect_err("refused").to_string();
    assert!(message.contains(".rfj"), "{message}");
}

#[test]
fn a_process_that_exits_without_ending_its_communicators_is_finished() {
    let mut job = job();
    for events in &mut job.events {
        events.threads[1] = events.threads[1].replace("end 0\n", "");
    }
    let launch = Launch::new(6);
    launch.run_well(&job, nothing);
    assert_eq!(launch.profile().manifest.outcome, Outcome::Finalized);
}

#[test]
fn a_rank_without_a_journal_is_missing_and_its_receivers_tell_what_it_sent() {
    let job = job();
    let launch = Launch::new(5);
    let number = |rank: u32, command: &mut std::process::Command| {
        command.env("RANK", rank.to_string()).env("WORLD_SIZE", "4");
    };
    launch.run_well(&job, |rank, command| {
        number(rank, command);
        if rank == 0 {
            command.env("RANKFOLD_RUN", "another");
        }
    });
    let profile = launch.profile();
    let missing = vec![0];
    assert_eq!(profile.manifest.outcome, Outcome::Recovered { missing });
    let nccl = profile.nccl.as_ref().expect("counted");
    assert_eq!(pairs(&nccl.network), job.network);
    let left_out = nccl.record.notes.join("\n");
    assert!(
        nccl.collectives.is_empty() == left_out.contains("left out"),
        "{left_out}"
    );
}

#[test]
fn null_pointers_unknown_types_and_unknown_names_change_nothing() {
    for version in VERSIONS {
        let mut job = job();
        let first = &mut job.events[0].first;
        first
            .push_str("null\nodd 0\ncall 0 AllDance 7 ncclInt8 0\ncall 0 AllReduce 7 ncclInt3 0\n");
        first.push_str("send 0 Send 7 ncclInt8 -1\ncall 0 Broadcast 7 ncclInt8 -5\n");
        first.push_str("op 9 0 0 -1 1 1\nstep 9 9\nmoved 9 7\nstop 9\ndone 9\n");
        let launch = Launch::new(version);
        launch.run_well(&job, nothing);
        let profile = launch.profile();
        let nccl = profile.nccl.as_ref().expect("counted");
        assert_eq!(pairs(&nccl.network), job.network, "version {version}");
        assert_eq!(pairs(&nccl.sent), job.sent, "version {version}");
        let lost = nccl.record.lost.iter();
        let lost = lost.filter(|lost| lost.loss == NcclLoss::NotUnderstood);
        assert_eq!(lost.map(|lost| lost.events).sum::<u64>(), 6);
    }
}

#[test]
fn more_communicators_than_have_room_are_lost_and_said() {
    let mut job = Job::new(1, 2);
    for events in &mut job.events {
        for number in 1..4096 {
            events.first.push_str(&format!("init 1 {number:x} 1 2 0\n"));
        }
        events.first.push_str("init 1 ffff 1 2 0\n");
    }
    let launch = Launch::new(4);
    // Both ranks are rank 0 of the communicators made above: one process is enough.
    let status = launch.process(&job, 0).status().expect("ended");
    assert!(status.success());
    let number = launch.recover().expect("a profile");
    let nccl = number.profile.nccl.expect("counted");
    let lost = nccl
        .record
        .lost
        .iter()
        .find(|lost| lost.loss == NcclLoss::NoRoom);
    assert_eq!(lost.map(|lost| lost.events), Some(1));
    assert_eq!(nccl.record.unfinished, [0], "its journal lacks something");
}

#[test]
fn without_a_place_for_journals_the_job_runs_and_one_line_says_so() {
    let job = job();
    let launch = Launch::new(6);
    let run = format!("{RUN}-{}", std::process::id());
    let ends = launch.run(&job, |_, command| {
        command
            .env("RANKFOLD_JOURNALS", "/nowhere")
            .env("RANKFOLD_RUN", &run);
    });
    let said: Vec<&str> = ends
        .iter()
        .map(|(_, said)| said.as_str())
        .filter(|s| !s.is_empty())
        .collect();
    assert!(ends.iter().all(|(status, _)| status.success()));
    assert!(said.concat().contains("/nowhere"), "{said:?}");
    assert!(
        said.iter().all(|said| said.lines().count() == 1),
        "{said:?}"
    );
    let ends = launch.run(&job, |_, command| {
        command
            .env_remove("RANKFOLD_JOURNALS")
            .env_remove("RANKFOLD_RUN");
    });
    assert!(
        ends.iter()
            .all(|(status, said)| status.success() && said.lines().count() == 1)
    );
    assert!(files(&launch).is_empty());
}

#[test]
fn half_written_journals_are_named() {
    let launch = Launch::new(5);
    launch.run_well(&job(), nothing);
    let file = &files(&launch)[1];
    let whole = fs::read(file).expect("a journal");
    for length in [0, 8, 100, 4096, 4096 + 64, 5000, whole.len() - 32] {
        fs::write(file, &whole[..length]).expect("written");
        let message = launch.recover().expect_err("refused").to_string();
        assert!(
            message.contains(&file.display().to_string()),
            "{length}: {message}"
        );
    }
}

#[test]
fn journals_of_two_jobs_are_named() {
    let launch = Launch::new(5);
    launch.run_well(&job(), nothing);
    launch.run_well(&job(), nothing);
    let message = launch.recover().expect_err("refused").to_string();
    assert!(
        message.contains("is in ") && message.contains("two jobs"),
        "{message}"
    );
}

#[test]
fn processes_outside_the_largest_communicator_need_a_launcher_that_numbers_them() {
    let mut job = Job::new(2, 2);
    for (rank, events) in job.events.iter_mut().enumerate() {
        events.first = format!("init 0 {:x} 1 2 {}\n", 5 + rank / 2, rank % 2);
    }
    let launch = Launch::new(5);
    launch.run_well(&job, nothing);
    let message = launch.recover().expect_err("refused").to_string();
    assert!(
        message.contains("no member of the largest communicator"),
        "{message}"
    );
}

#[test]
fn one_process_for_all_gpus_has_the_ranks_of_its_only_communicator() {
    let mut job = Job::new(1, 1);
    let events = &mut job.events[0];
    events.first = "init 0 7 1 2 0\ninit 1 7 1 2 1\n".to_owned();
    events.threads[0] = "send 0 Send 9 ncclInt8 1\nsend 1 Recv 9 ncclInt8 0\n".to_owned();
    let launch = Launch::new(4);
    launch.run_well(&job, |_, command| {
        command.env("RANK", "0").env("WORLD_SIZE", "1");
    });
    let profile = launch.profile();
    assert_eq!(profile.rows.len(), 2);
    assert_eq!(
        pairs(&profile.nccl.expect("counted").sent),
        [((0, 1), 9)].into()
    );
    job.events[0].first.push_str("init 2 8 1 2 0\n");
    let launch = Launch::new(4);
    launch.run_well(&job, nothing);
    let message = launch.recover().expect_err("refused").to_string();
    assert!(
        message.contains("several ranks of one communicator"),
        "{message}"
    );
}
