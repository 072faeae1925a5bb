//! The plugin as NCCL sees it: recorded events of whole jobs are replayed through its tables in C
//! by `tests/programs/nccl_replay.c`, which has the layouts of all versions of the interface on its
//! own, and the profile made of the journals is compared with what the jobs have sent.

mod faults;
mod job;
mod launch;

use job::Job;
use launch::{Launch, pairs};
use rankfold_wire::{Collective, NcclLoss, Operation, Outcome, Profile};
use std::process::Command;

/// All versions of the interface.
const VERSIONS: std::ops::RangeInclusive<u32> = 1..=6;

fn nothing(_: u32, _: &mut Command) {}

/// The collectives on all ranks.
fn of_world(profile: &Profile) -> Vec<Collective> {
    let nccl = profile.nccl.as_ref().expect("counted");
    let calls = nccl.collectives.iter();
    let is_of_world = |call: &&Collective| {
        nccl.communicators[call.comm as usize].members.len() == profile.rows.len()
    };
    calls.filter(is_of_world).copied().collect()
}

#[test]
fn every_version_counts_what_rings_and_trees_send() {
    for version in VERSIONS {
        let mut job = Job::new(4, 2);
        job.ring(8 << 20, 4);
        job.tree(3 << 20);
        job.ring(1 << 20, 2);
        job.end(0);
        let launch = Launch::new(version);
        launch.run_well(&job, nothing);
        let profile = launch.profile();
        let nccl = profile.nccl.as_ref().expect("counted");
        assert_eq!(pairs(&nccl.network), job.network, "version {version}");
        assert_eq!(nccl.record.interfaces, [version]);
        assert_eq!(profile.manifest.outcome, Outcome::Finalized);
        assert!(nccl.sent.is_empty() && nccl.record.notes.is_empty());
        assert!(nccl.record.lost.iter().all(|lost| lost.events == 0));
        let calls = of_world(&profile);
        assert_eq!(calls.iter().map(|call| call.calls).sum::<u64>(), 3);
        assert_eq!(calls.iter().map(|call| call.bytes).sum::<u64>(), 12 << 20);
    }
}

#[test]
fn splits_are_joined_and_numbered_by_the_largest_communicator() {
    for version in VERSIONS {
        let mut job = Job::new(2, 2);
        // Two columns, the second one in reverse order.
        for (number, id, members) in [(1, 0xaa, [0, 2]), (2, 0xbb, [3, 1])] {
            job.communicator(number, id, &members);
            job.call(number, &members, "ReduceScatter 100 ncclFloat16 0");
            job.call(number, &members, "Broadcast 50 ncclInt8 1");
            job.send(number, (members[0], 0), (members[1], 1), 300_000);
        }
        // Versions 1 to 3 tell ranks and identifiers with calls only.
        job.call(0, &[0, 1, 2, 3], "AllGather 8 ncclInt64 0");
        job.send(0, (0, 0), (1, 1), 40);
        job.end(2);
        let launch = Launch::new(version);
        launch.run_well(&job, nothing);
        let profile = launch.profile();
        let nccl = profile.nccl.as_ref().expect("counted");
        assert_eq!(pairs(&nccl.network), job.network, "version {version}");
        assert_eq!(pairs(&nccl.sent), job.sent, "version {version}");
        let members = |comm: u32| {
            let members = nccl.communicators[comm as usize].members.iter();
            members.flatten().collect::<Vec<u32>>()
        };
        let call = |of: &[u32], op| {
            let mut calls = nccl.collectives.iter();
            let found = calls.find(|call| members(call.comm) == of && call.op == op);
            found.map(|call| (call.root, call.bytes, call.calls))
        };
        for column in [[0, 2], [3, 1]] {
            let scattered = call(&column, Operation::ReduceScatterBlock);
            assert_eq!(scattered, Some((None, 400, 1)), "the whole vector");
            assert_eq!(call(&column, Operation::Bcast), Some((Some(1), 50, 1)));
        }
        assert_eq!(
            call(&[0, 1, 2, 3], Operation::Allgather),
            Some((None, 64, 1))
        );
    }
}

#[test]
fn the_launcher_numbers_the_processes_where_it_has_set_both_variables() {
    let mut job = Job::new(2, 1);
    job.send(0, (0, 0), (1, 1), 1000);
    job.end(0);
    let launch = Launch::new(5);
    launch.run_well(&job, |rank, command| {
        command
            .env("RANK", (1 - rank).to_string())
            .env("WORLD_SIZE", "2");
        command.env("SLURM_PROCID", "0").env("SLURM_NTASKS", "1");
    });
    let profile = launch.profile();
    let nccl = profile.nccl.as_ref().expect("counted");
    assert_eq!(pairs(&nccl.sent), [((1, 0), 1000)].into());
    assert_eq!(pairs(&nccl.network), [((1, 0), 1000)].into());
}

#[test]
fn what_a_proxy_sends_for_another_process_counts_for_that_process() {
    for version in VERSIONS {
        let mut job = Job::new(2, 2);
        job.call(0, &[0, 1, 2, 3], "AllReduce 10 ncclFloat64 0");
        if version < 4 {
            // The context of the other process holds no identifier of the communicator.
            job.send_by(0, 1, 2, 70_000);
            job.network.clear();
        } else {
            job.send_by(0, 1, 2, 70_000);
        }
        job.end(0);
        let launch = Launch::new(version);
        launch.run_well(&job, nothing);
        let profile = launch.profile();
        let nccl = profile.nccl.as_ref().expect("counted");
        assert_eq!(pairs(&nccl.network), job.network, "version {version}");
        let unknown = nccl.record.lost.iter();
        let unknown = unknown.filter(|lost| lost.loss == NcclLoss::UnknownCommunicator);
        let events: u64 = unknown.map(|lost| lost.events).sum();
        assert_eq!(events, u64::from(version < 4), "version {version}");
    }
}

#[test]
fn one_node_has_calls_and_no_network() {
    for version in VERSIONS {
        let mut job = Job::new(1, 4);
        job.call(0, &[0, 1, 2, 3], "AllReduce 1000 ncclFloat32 0");
        job.send(0, (2, 2), (3, 3), 64);
        job.end(0);
        let launch = Launch::new(version);
        launch.run_well(&job, nothing);
        let profile = launch.profile();
        let nccl = profile.nccl.as_ref().expect("counted");
        assert!(nccl.network.is_empty());
        assert_eq!(pairs(&nccl.sent), [((2, 3), 64)].into());
        assert_eq!(of_world(&profile)[0].bytes, 4000);
    }
}
