//! On clusters that Slurm places by blocks, ranks are renumbered: Slurm refuses arbitrary
//! distributions there.

use crate::fact::{Fact, fact};
use anyhow::{Result, ensure};
use rankfold_tests::{process, rankfold};
use std::fs;
use std::os::unix::fs::PermissionsExt;

pub(crate) fn facts() -> Vec<Fact> {
    vec![fact(
        "blocks::srun_gets_no_arbitrary_distribution_on_a_cluster_of_blocks",
        &[],
        no_arbitrary_distribution,
    )]
}

fn no_arbitrary_distribution() -> Result<()> {
    let blocks = "BlockName=b0 BlockIndex=0 Nodes=n[0-1] BlockSize=2";
    let switches = "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-1]";
    // A topology.yaml makes blocks, too, and the plugin's name is then another.
    for (plugin, topology, is_refused) in [
        ("topology/block", blocks, true),
        ("topology/flat", blocks, true),
        ("topology/tree", switches, false),
    ] {
        let how = if is_refused {
            "SLURM_PROCID uses the launcher's rank before MPI_Init; Slurm refuses arbitrary"
        } else {
            "by the launcher itself"
        };
        let scratch = tempfile::tempdir()?;
        // The controller's answers, in the form of Slurm 26.05.
        let script = format!(
            "#!/bin/sh\n[ \"$2\" = topology ] && echo '{topology}' || echo 'TopologyPlugin          = {plugin}'\n"
        );
        let scontrol = scratch.path().join("scontrol");
        fs::write(&scontrol, script)?;
        fs::set_permissions(&scontrol, fs::Permissions::from_mode(0o755))?;
        let map = scratch.path().join("seq.map");
        fs::write(&map, "n1\nn0\n")?;
        let mut command = rankfold::command(&["run", "--dry-run", "--from", "seq", "--map"]);
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .arg(&map)
            // What needs the launcher's own ranks is placed by the launcher, if at all.
            .args(["--", "srun", "-n", "2", "sh", "-c", "echo $SLURM_PROCID"])
            .env("PATH", format!("{}:{path}", scratch.path().display()));
        let run = process::run(&mut command, "")?.success()?;
        ensure!(run.stderr.contains(how), "{plugin}: {}", run.stderr);
        let arbitrary = run.stdout.contains("--distribution=arbitrary");
        ensure!(arbitrary != is_refused, "{}", run.stdout);
    }
    Ok(())
}
