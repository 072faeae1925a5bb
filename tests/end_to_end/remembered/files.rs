//! Files of schedulers and clouds as the source of the machine, for the hosts of one job.

use super::*;
use std::path::Path;

pub(super) fn facts() -> Vec<Fact> {
    vec![
        fact(
            "remembered::files_of_slurm_describe_the_part_that_the_hosts_of_the_job_are_in",
            &[],
            slurm_files,
        ),
        fact(
            "remembered::instances_of_a_cloud_are_found_by_their_addresses",
            &[],
            cloud_addresses,
        ),
    ]
}

/// `rankfold machine show --hosts HOSTS` with files that the variable names.
fn shown(files: &str, hosts: &str) -> Result<Finished> {
    let scratch = tempfile::tempdir()?;
    let mut command = rankfold::command(&["machine", "show", "--hosts", hosts]);
    command.env("RANKFOLD_TOPOLOGY", files);
    command.env("XDG_CACHE_HOME", scratch.path());
    process::run(&mut command, "")
}

fn slurm_files() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let shown_of = |name: &str, text: &str, hosts: &str| -> Result<Finished> {
        let path = scratch.path().join(name);
        fs::write(&path, text)?;
        shown(&path.display().to_string(), hosts)
    };
    // The topology that is no default has the hosts.
    let yaml = "- topology: cpu\n  cluster_default: true\n  tree:\n    switches:\n      - switch: s\n        nodes: c[0-3]\n\
                - topology: gpu\n  block:\n    blocks:\n      - block: b0\n        nodes: g[0-1]\n      - block: b1\n        nodes: g[2-3]\n";
    let of_yaml = shown_of("topology.yaml", yaml, "g0,g1,g3")?.success()?;
    must_say(&of_yaml, &["topology.yaml", ": 4 hosts"])?;
    ensure!(of_yaml.stdout.contains("diameter   4 hops"), "{of_yaml:?}");
    let addresses = "leaf0.n0\nleaf0.n1\nleaf1.n4\n";
    let of_addresses = shown_of("addresses", addresses, "n0,n1,n4")?.success()?;
    must_say(&of_addresses, &["addresses", ": 3 hosts"])?;
    ensure!(
        of_addresses.stdout.contains("diameter   4 hops"),
        "{of_addresses:?}"
    );
    let racks =
        "SwitchName=r0 Nodes=n[0-3]\nSwitchName=r1 Nodes=n[4-7]\nSwitchName=top Switches=r[0-1]\n";
    fs::write(scratch.path().join("racks.conf"), racks)?;
    let lacking = shown_of("topology.conf", "include racks.conf\n", "n0,n4,new")?.success()?;
    must_say(
        &lacking,
        &[
            "(without new, which counts as below the top switch)",
            ": 9 hosts",
        ],
    )
}

fn cloud_addresses() -> Result<()> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../mapper/model/importers/tests/fixtures/clouds");
    let files = ["aws-topology.json", "aws-instances.json"];
    let files = files.map(|name| samples.join(name).display().to_string());
    let found = shown(&files.join(":"), "10.0.0.2,10.0.0.3")?.success()?;
    must_say(&found, &["aws-topology.json", ": 4 hosts"])?;
    ensure!(found.stdout.contains("10.0.0.3"), "{found:?}");
    Ok(())
}
