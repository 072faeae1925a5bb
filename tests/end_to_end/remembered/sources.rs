//! Sources from which rankfold learns the machine when the user does not name it.

use super::*;

/// A script sets the variables that Slurm sets for every task. They describe two leaf switches of
/// six hosts each.
pub(super) fn slurm_addresses() -> Result<()> {
    let job = Job::new()?;
    let wrapper = job.path("task");
    let inner = job.program.display();
    let text = format!(
        "#!/bin/sh\nhost=$(hostname)\nSLURM_TOPOLOGY_ADDR=spine.leaf$((1${{host#n}} % 1000 / 6)).$host\n\
         export SLURM_TOPOLOGY_ADDR\nexec {inner} \"$@\"\n"
    );
    fs::write(&wrapper, text)?;
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))?;
    let job = Job {
        program: wrapper.into(),
        ..job
    };
    let first = job.run_with(&[], &[])?.success()?;
    must_say(
        &first,
        &[
            "told by SLURM_TOPOLOGY_ADDR of the ranks, just now: 8 hosts",
            // Slurm tells no bandwidths, and up-links are taken for non-blocking.
            "the launcher's order stays: no other order",
        ],
    )?;
    let binary = rankfold::binary().display().to_string();
    let words = [&*binary, "machine", "show", "--hosts", "n000,n005,n010"];
    let mut command = job.cluster.command(&words);
    command.env("RANKFOLD_CLUSTER", CLUSTER);
    let shown = process::run(&mut command, "")?.success()?;
    must_say(
        &shown,
        &[
            "told by the cached machine file of n# (SLURM_TOPOLOGY_ADDR of the ranks)",
            "n000 n005 n010",
        ],
    )?;
    ensure!(
        shown.stdout.contains("diameter   4 hops"),
        "{}",
        shown.stdout
    );
    Ok(())
}

pub(super) fn controller() -> Result<()> {
    let job = Job::new()?;
    let tools = job.cluster.path("tools");
    fs::create_dir(&tools)?;
    let scontrol = tools.join("scontrol");
    let text = "#!/bin/sh\n[ \"$*\" = 'show topology' ] || exit 9\necho 'SwitchName=l0 Level=0 LinkSpeed=1 Nodes=n[000-005]'\n\
                echo 'SwitchName=l1 Level=0 LinkSpeed=1 Nodes=n[006-011]'\n\
                echo 'SwitchName=s Level=1 LinkSpeed=1 Nodes=n[000-011] Switches=l[0-1]'\n";
    fs::write(&scontrol, text)?;
    fs::set_permissions(&scontrol, fs::Permissions::from_mode(0o755))?;
    let path = format!("{}:{}", tools.display(), std::env::var("PATH")?);
    let first = job.run_with(&[("PATH", &path)], &[])?.success()?;
    must_say(
        &first,
        &["told by scontrol show topology, just now: 12 hosts"],
    )?;
    // A configuration file of Slurm that places the hosts elsewhere contradicts the variables.
    let conf = job.cluster.path("conf");
    fs::create_dir(&conf)?;
    let other = "SwitchName=a Nodes=n[000-011:2]\n"
        .replace("n[000-011:2]", "n000,n002,n004,n006,n008,n010")
        + "SwitchName=b Nodes=n001,n003,n005,n007,n009,n011\nSwitchName=s Switches=a,b\n";
    fs::write(conf.join("topology.conf"), other)?;
    let configured = conf.join("slurm.conf").display().to_string();
    let variables = [("PATH", path.as_str()), ("SLURM_CONF", configured.as_str())];
    let again = job.run_with(&variables, &["--once"])?.success()?;
    must_say(
        &again,
        &[
            "told by scontrol show topology",
            "contradict each other",
            "scontrol show topology counts",
        ],
    )
}

pub(super) fn no_source() -> Result<()> {
    let job = Job::new()?;
    let first = job.run_with(&[], &[])?.success()?;
    must_say(
        &first,
        &["no source knows the network", "the launcher's order stays"],
    )?;
    let second = job.run_with(&[], &[])?.success()?;
    must_say(&second, &["the order as launched is used"])?;
    ensure!(
        second.stdout.starts_with("stencil2d ranks=8"),
        "{}",
        second.stdout
    );
    Ok(())
}

pub(super) fn unknown_host() -> Result<()> {
    let job = Job::new()?;
    let site = job.path("small.toml");
    fs::write(
        &site,
        "network = \"torus:8\"\nhosts = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\"]\n",
    )?;
    let refused = job.run(&["--machine", &site])?;
    ensure!(refused.status == 2, "{refused:?}");
    must_say(&refused, &["small.toml", "has no host n000"])?;
    ensure!(refused.stdout.is_empty(), "nothing ran: {}", refused.stdout);
    Ok(())
}
