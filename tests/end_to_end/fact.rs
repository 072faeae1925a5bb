//! Tests whose names state a fact, and what they need of the machine.

use libtest_mimic::{Arguments, Failed, Trial};
use rankfold_tests::cluster::Cluster;
use rankfold_tests::mpi::Mpi;
use rankfold_tests::{process, rankfold};
use std::path::PathBuf;

/// A requirement of a test.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    /// An MPI library.
    Mpi(Mpi),
    /// A program in `PATH`.
    Tool(&'static str),
    /// The right to make clusters of this kind.
    Cluster(&'static str),
    /// The rights of root, for mounting.
    Root,
    /// The command that loads module files, by the name of its Debian package.
    Modules(&'static str),
    /// What builds the documentation site.
    SiteTools,
    /// The Python packages that the Python module works with.
    PythonPackages,
    /// PyTorch of Debian, with Gloo.
    Torch,
    /// Packages that start on old systems. `scripts/test packages` builds them in some minutes.
    Portable,
    /// The same for 64-bit Arm.
    Arm,
}

impl Need {
    /// Why this machine does not meet the requirement; `None` if it does.
    fn missing(self) -> Option<String> {
        match self {
            Self::Mpi(mpi) => mpi.missing(),
            Self::Tool(name) => {
                (!process::on_path(name)).then(|| format!("{name} is not installed"))
            }
            Self::Cluster(spec) => Cluster::missing(spec),
            Self::SiteTools => (!site_tools().exists())
                .then(|| "MkDocs is not installed: run scripts/docs --tools".to_owned()),
            Self::Portable => unbuilt("_amd64.deb"),
            Self::Arm => unbuilt("_arm64.deb"),
            Self::Torch => crate::c10d::torch_missing(),
            Self::PythonPackages => crate::python::packages_missing(),
            Self::Modules(kind) => crate::packages::module_command_missing(kind),
            Self::Root => (!rankfold_tests::process::is_root()).then(|| "not root".to_owned()),
        }
    }
}

/// Why there is no package whose name ends like this.
fn unbuilt(ending: &str) -> Option<String> {
    let built = crate::packages::portable_package(ending);
    built
        .is_none()
        .then(|| "no packages are built: scripts/test packages does".to_owned())
}

/// A cell of the table of tests in the profiler's documentation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub(crate) language: &'static str,
    pub(crate) feature: &'static str,
    pub(crate) mpi: Mpi,
}

/// A test that has not been handed to the test runner yet.
pub(crate) struct Fact {
    name: String,
    needs: Vec<Need>,
    pub(crate) cell: Option<Cell>,
    check: Box<dyn FnOnce() -> anyhow::Result<()> + Send>,
}

/// The file that `scripts/docs --tools` makes when it has installed MkDocs.
fn site_tools() -> PathBuf {
    let target = rankfold::build_directory().join("..");
    target.join("docs-tools/.installed")
}

/// A test of the fact `name`. It is ignored where a need is not met.
pub(crate) fn fact(
    name: impl Into<String>,
    needs: &[Need],
    check: impl FnOnce() -> anyhow::Result<()> + Send + 'static,
) -> Fact {
    Fact {
        name: name.into(),
        needs: needs.to_vec(),
        cell: None,
        check: Box::new(check),
    }
}

/// One test `NAME_under_MPI` for every MPI library in `mpis`. Each fills the cell of that library
/// in the row `feature`.
pub(crate) fn under(
    mpis: &[Mpi],
    (language, feature): (&'static str, &'static str),
    name: &str,
    check: impl Fn(Mpi) -> anyhow::Result<()> + Copy + Send + 'static,
) -> Vec<Fact> {
    let one = |&mpi: &Mpi| {
        let name = format!("{name}_under_{}", mpi.name());
        let mut fact = fact(name, &[Need::Mpi(mpi)], move || check(mpi));
        fact.cell = Some(Cell {
            language,
            feature,
            mpi,
        });
        fact
    };
    mpis.iter().map(one).collect()
}

impl Fact {
    /// The same, with one more need.
    pub(crate) fn needing(mut self, need: Need) -> Self {
        self.needs.push(need);
        self
    }

    /// Makes the test for the runner. The needs are checked only for tests that the arguments
    /// select: a check may take seconds, and the runner starts one process for each test.
    pub(crate) fn into_trial(self, arguments: &Arguments) -> Trial {
        let Self {
            name, needs, check, ..
        } = self;
        let missing = needs
            .iter()
            .filter(|_| asked_for(&name, arguments))
            .find_map(|need| need.missing());
        if let Some(reason) = &missing {
            eprintln!("NOT TESTED HERE: {name}: {reason}");
        }
        let run = move || {
            if let Some(problem) = rankfold_tests::rankfold::missing() {
                return Err(Failed::from(problem));
            }
            check().map_err(|error| Failed::from(format!("{error:#}")))
        };
        Trial::test(name, run).with_ignored_flag(missing.is_some())
    }
}

fn asked_for(name: &str, arguments: &Arguments) -> bool {
    arguments.list
        || match &arguments.filter {
            None => true,
            Some(filter) if arguments.exact => name == filter,
            Some(filter) => name.contains(filter),
        }
}
