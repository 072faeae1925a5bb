//! A plan for other hosts than those of the job: the mapper solves it anew during `MPI_Init`, and
//! has little time for that.

use super::{compile, library, sorted};
use crate::fact::{Fact, Need, fact};
use anyhow::{Result, ensure};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::process::{self, Finished};
use rankfold_tests::rankfold::build_directory;
use std::fs;

const HOSTS: &str = "fake:3";
/// A graph in which ranks 0 and 2 exchange many bytes, as do ranks 1 and 3.
const HEAVY: &str =
    "%%MatrixMarket matrix coordinate integer general\n4 4 3\n1 3 1000\n2 4 1000\n1 2 1\n";
/// A plan with three ranks on one host and one rank on another. The job has two ranks on each of
/// two hosts.
const ELSEWHERE: &str = "rankfold-plan 1 4\nhost 0 a\nhost 1 b\nrank 0 0 - -\nrank 1 0 - -\nrank 2 0 - -\nrank 3 1 - -\n";

pub(super) fn facts() -> Vec<Fact> {
    let mpis = [Mpi::Mpich, Mpi::Mpich5];
    let anew = mpis.map(|mpi| {
        let name = format!(
            "world::a_plan_for_other_hosts_is_solved_anew_under_{}",
            mpi.name()
        );
        fact(name, &[Need::Mpi(mpi), Need::Cluster(HOSTS)], move || {
            check(mpi)
        })
    });
    anew.into()
}

fn check(mpi: Mpi) -> Result<()> {
    let job = Job {
        cluster: Cluster::up(HOSTS)?,
        mpi,
    };
    let launched = ["0 0", "1 1", "2 2", "3 3"];
    let swapped = ["0 0", "1 2", "2 1", "3 3"];

    let solved = job.run("20")?;
    ensure!(sorted(&solved) == swapped, "{solved:?}");
    ensure!(
        solved.stderr.contains("the mapper has made another"),
        "{solved:?}"
    );

    let hurried = job.run("0")?;
    ensure!(sorted(&hurried) == launched, "{hurried:?}");
    let number = hurried.stderr.matches("rankfold:").count();
    ensure!(
        number == 1
            && hurried
                .stderr
                .contains("the mapper had no answer within 0 s"),
        "told {number} times: {hurried:?}"
    );
    Ok(())
}

struct Job {
    cluster: Cluster,
    mpi: Mpi,
}

impl Job {
    /// Runs two ranks on each of the last two hosts. The mapper may take `budget` seconds.
    fn run(&self, budget: &str) -> Result<Finished> {
        let path = |name: &str| self.cluster.path(name).display().to_string();
        let hosts = self.cluster.hosts()?;
        fs::write(path("matrix.mtx"), HEAVY)?;
        fs::write(path("plan"), ELSEWHERE)?;
        let map = build_directory().join("rankfold-map");
        let words = [
            &map.display().to_string(),
            "map",
            &path("matrix.mtx"),
            "--machine",
            "torus:3",
        ];
        fs::write(
            path("solver"),
            format!("{}\n\n{}\n", words.join("\n"), hosts.join("\n")),
        )?;
        let variables = [
            ("LD_PRELOAD", library().display().to_string()),
            ("RANKFOLD_WORLD", path("plan")),
            ("RANKFOLD_SOLVE", path("solver")),
            ("RANKFOLD_BUDGET", budget.to_owned()),
            // On several hosts about one in a hundred receives from any source never completes in
            // MPICH 5.0.2, without rankfold as well.
            ("SOURCES_NAMED", "1".to_owned()),
        ];
        let list = format!("{}:2,{}:2", hosts[1], hosts[2]);
        let mut words = vec![self.mpi.launcher()];
        words.extend(["-n", "4", "-ppn", "2", "-hosts", &list].map(str::to_owned));
        for (name, value) in variables {
            words.extend(["-genv".into(), name.into(), value]);
        }
        words.push(compile(self.mpi, "numbers")?.display().to_string());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        process::run(&mut self.cluster.command(&words), "")?.success()
    }
}
