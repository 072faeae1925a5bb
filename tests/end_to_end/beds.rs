//! The clusters on which other tests launch: what happens in one of them disturbs no other.

use crate::fact::{Fact, Need, fact};
use anyhow::{Result, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::process;

const HOSTS: &str = "fake:2";

pub(crate) fn facts() -> Vec<Fact> {
    vec![fact(
        "beds::clusters_share_no_shared_memory",
        &[Need::Cluster(HOSTS)],
        share_no_memory,
    )]
}

/// Open MPI names its segments in `/dev/shm` after the host and the process number of the launcher.
/// Hosts of two clusters have the same names, and processes of both are counted from 1. Launches
/// that shared a segment have hung or have ended by a segmentation fault.
fn share_no_memory() -> Result<()> {
    let [one, other] = [Cluster::up(HOSTS)?, Cluster::up(HOSTS)?];
    let run = |cluster: &Cluster, line: &str| {
        process::run(&mut cluster.command(&["sh", "-c", line]), "")?.success()
    };
    let agent = one.path("agent").display().to_string();
    run(&one, &format!("{agent} n000 touch /dev/shm/segment"))?;
    run(&one, &format!("{agent} n001 test -e /dev/shm/segment"))?;
    let seen = run(&other, "ls /dev/shm")?.stdout;
    ensure!(!seen.contains("segment"), "the other cluster sees {seen}");
    Ok(())
}
