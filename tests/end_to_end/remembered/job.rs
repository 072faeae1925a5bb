//! The job that the tests run several times.

use super::*;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

/// A job of 2 x 4 ranks on a cluster. The site's machine file says that the network is a torus of 4
/// x 3.
pub(super) struct Job {
    pub(super) cluster: Cluster,
    pub(super) program: PathBuf,
    /// Arguments of the program.
    pub(super) arguments: Vec<String>,
}

impl Job {
    pub(super) fn new() -> Result<Self> {
        let cluster = Cluster::up(HOSTS)?;
        let hosts = cluster.hosts()?;
        let site = format!("network = \"torus:4x3\"\nhosts = {hosts:?}\n");
        fs::write(cluster.path("site.toml"), site)?;
        let job = Self {
            cluster,
            program: program::compile(Mpi::OpenMpi, "stencil2d")?,
            arguments: ["2", "4", "100000", "3"].map(str::to_owned).into(),
        };
        job.allocate(0, 8)?;
        Ok(job)
    }

    /// Allocates `number` hosts to the job, in a scattered order that starts with host `first`.
    pub(super) fn allocate(&self, first: usize, number: usize) -> Result<()> {
        let hosts = self.cluster.hosts()?;
        let lines =
            (0..number).map(|r| format!("{} slots=1\n", hosts[(first + r * STEP) % hosts.len()]));
        Ok(fs::write(
            self.cluster.path("allocation"),
            lines.collect::<String>(),
        )?)
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.cluster.path(name).display().to_string()
    }

    pub(super) fn launch(&self) -> Vec<String> {
        let words = ["mpirun.openmpi", "-n", "8", "--hostfile"].map(str::to_owned);
        let program = [self.path("allocation"), self.program.display().to_string()];
        [&words[..], &program, &self.arguments].concat()
    }

    /// `rankfold run OPTIONS -- LAUNCH` with the machine file of the site, not started yet.
    pub(super) fn command(&self, options: &[&str]) -> Command {
        self.command_with(&[("RANKFOLD_TOPOLOGY", &self.path("site.toml"))], options)
    }

    fn command_with(&self, variables: &[(&str, &str)], options: &[&str]) -> Command {
        let binary = rankfold::binary().display().to_string();
        let launch = self.launch();
        let mut words = vec![binary.as_str(), "run"];
        words.extend(options);
        words.push("--");
        words.extend(launch.iter().map(String::as_str));
        let mut command = self.cluster.command(&words);
        command.env("RANKFOLD_CLUSTER", CLUSTER);
        command.envs(variables.iter().copied());
        command
    }

    /// `rankfold run OPTIONS -- LAUNCH`, with variables set.
    pub(super) fn run_with(
        &self,
        variables: &[(&str, &str)],
        options: &[&str],
    ) -> Result<Finished> {
        process::run(&mut self.command_with(variables, options), "")
    }

    /// Runs `rankfold run OPTIONS -- LAUNCH` with the machine file of the site.
    pub(super) fn run(&self, options: &[&str]) -> Result<Finished> {
        process::run(&mut self.command(options), "")
    }

    /// The cache entry of the only program that was run: its file and its content.
    pub(super) fn entry(&self) -> Result<(PathBuf, Value)> {
        let maps = fs::read_dir(self.cluster.path("cache/rankfold/2/maps"))?;
        let directories: Vec<PathBuf> =
            maps.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        let path = finished(directories).context("no map is remembered")?;
        let path = path.join("entry.json");
        let value = serde_json::from_slice(&fs::read(&path)?)?;
        Ok((path, value))
    }
}

/// The first of the directories that holds a finished entry of the cache. The cache gives the
/// directory of an entry a hidden name until all files of the entry are written.
fn finished(directories: Vec<PathBuf>) -> Option<PathBuf> {
    let is_hidden = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.as_bytes().starts_with(b"."))
    };
    directories.into_iter().find(|path| !is_hidden(path))
}

/// The hidden directory of an entry that is being written is not taken for the entry.
pub(super) fn unfinished_entry() -> Result<()> {
    let (new, renamed) = (PathBuf::from("maps/.new-a1"), PathBuf::from("maps/wait.0"));
    let seen = finished(vec![new.clone()]);
    ensure!(seen.is_none(), "{seen:?}");
    let seen = finished(vec![new, renamed.clone()]);
    ensure!(seen.as_ref() == Some(&renamed), "{seen:?}");
    Ok(())
}
