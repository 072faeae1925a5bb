//! A job of eight ranks on four hosts, and the command that starts the ranks.

use super::HOSTS;
use anyhow::{Result, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::{self, Finished};
use rankfold_tests::{program, rankfold};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// The command that starts the ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Starter {
    /// The MPI library's own launcher.
    Own,
    Srun,
}

impl Starter {
    pub(super) const ALL: [Self; 2] = [Self::Own, Self::Srun];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Own => "mpirun",
            Self::Srun => "srun",
        }
    }
}

pub(super) struct Job {
    pub(super) cluster: Cluster,
    pub(super) starter: Starter,
    pub(super) mpi: Mpi,
    pub(super) program: PathBuf,
    /// Rows and columns of the grid of ranks.
    pub(super) grid: &'static str,
}

impl Job {
    pub(super) fn new(starter: Starter, mpi: Mpi) -> Result<Self> {
        Self::on(HOSTS, starter, mpi)
    }

    /// The job on another kind of cluster.
    pub(super) fn on(hosts: &str, starter: Starter, mpi: Mpi) -> Result<Self> {
        Ok(Self {
            cluster: Cluster::shared(hosts)?,
            starter,
            mpi,
            program: program::compile(mpi, "stencil2d")?,
            grid: "2 4",
        })
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.cluster.path(name).display().to_string()
    }

    /// The words of the launch of eight ranks, with more `options` of the launcher.
    fn launch(&self, options: &str) -> Vec<String> {
        let program = self.program.display().to_string();
        let head = match self.starter {
            Starter::Srun => {
                let pmi = if self.mpi.is_open_mpi() {
                    "pmix"
                } else {
                    "pmi2"
                };
                format!("srun --quiet --mpi={pmi} -N 4 --ntasks-per-node=2 -n 8")
            }
            Starter::Own => {
                let launcher = self.mpi.launcher();
                let (agent, hosts) = (self.path("agent"), self.path("hosts"));
                match self.mpi {
                    Mpi::OpenMpi | Mpi::OpenMpi5 => {
                        format!("{launcher} --hostfile {hosts} -n 8")
                    }
                    Mpi::Intel => format!(
                        "{launcher} -launcher ssh -launcher-exec {agent} -iface launch0 -f {hosts} -ppn 2 -n 8"
                    ),
                    _ => format!("{launcher} -f {hosts} -ppn 2 -n 8"),
                }
            }
        };
        let line = format!("{head} {options} {program} {} 1000 3", self.grid);
        line.split_whitespace().map(str::to_owned).collect()
    }

    /// `rankfold ARGS -- LAUNCH` on the login node.
    pub(super) fn rankfold(&self, args: &[&str]) -> Result<Finished> {
        self.rankfold_in(&["env"], args, "")
    }

    /// The same command within `around`, a command that sets variables, and with more `options` of
    /// the launcher.
    pub(super) fn rankfold_in(
        &self,
        around: &[&str],
        args: &[&str],
        options: &str,
    ) -> Result<Finished> {
        let launch = self.launch(options);
        let agent = format!("PRTE_MCA_plm_ssh_agent={}", self.path("agent"));
        let binary = rankfold::binary().display().to_string();
        let mut words = around.to_vec();
        words.extend([
            &*agent,
            "PRTE_MCA_plm=ssh",
            "PRTE_MCA_plm_ssh_no_tree_spawn=1",
            &binary,
        ]);
        words.extend(args);
        words.push("--");
        words.extend(launch.iter().map(String::as_str));
        process::run(&mut self.cluster.command(&words), "")
    }

    /// Writes a file with the host of every rank. Returns its path.
    pub(super) fn map(&self, name: &str, layout: &[usize]) -> Result<String> {
        let hosts = self.cluster.hosts()?;
        let lines = layout.iter().fold(String::new(), |mut lines, &host| {
            let _ = writeln!(lines, "{}", hosts[host]);
            lines
        });
        let path = self.path(name);
        fs::write(&path, lines)?;
        Ok(path)
    }

    /// Profiles this job and maps it. Returns the path of the map.
    pub(super) fn own_map(&self) -> Result<String> {
        let (profile, map, hosts) = (self.path("job.rfp"), self.path("own"), self.path("hosts"));
        let run = self.rankfold(&["profile", "-o", &profile])?.success()?;
        ensure!(run.stderr.contains("8 ranks on 4 hosts"), "{}", run.stderr);
        let machine = ["--machine", "torus:2x2", "--cores", "2", "--hosts", &hosts];
        let to = ["map", &profile, "--to", "seq", "-o", &map];
        rankfold::run(&[&to[..], &machine].concat())?.success()?;
        Ok(map)
    }
}
