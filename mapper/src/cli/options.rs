//! Command-line flags that several commands share.

use super::constraints::ConstraintArgs;
use super::exchange::ExchangeArgs;
use super::named_values::{AUTO, HeuristicParser, names};
use super::{search_key::SearchKey, terminal};
use crate::error::Error;
use crate::members::{IMPORTERS, PORTFOLIO};
use crate::parallel::{FileCopies, MachineFiles};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use rankfold_importers::{self as import, Source};
use rankfold_machine::{Hardware, HostList, Insides, Machine, Oversubscription, file_of};
use rankfold_mapfile::FORMATS;
use rankfold_problem::heuristic::Effort;
use rankfold_problem::objective::{self, OBJECTIVES, Objective};
use rankfold_search::select::Request;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The flags that describe the machine.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Machine")]
pub struct MachineArgs {
    /// The machine, e.g. torus:4x4, mesh:8x8, tree:20x16x8, xgft:16,16:1,8 (all: rankfold help
    /// machines), or a machine file
    #[arg(long, value_name = "SPEC|FILE")]
    pub machine: String,
    #[command(flatten)]
    nodes: NodeArgs,
}

/// The flags that say which nodes and slots a job may use.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Machine")]
pub struct NodeArgs {
    /// Number of ranks that fit on a node [default: 1, or the number in the machine file]
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u32).range(1..))]
    pub cores: Option<u32>,
    /// The inside of every node: the XML of `lstopo --of xml`; ranks are then placed on cores, too
    #[arg(long, value_name = "FILE")]
    pub node: Option<PathBuf>,
    /// Host names in node order: a file with one `name [slots=K]` a line, or the host list of any
    /// launcher or batch system; or a list a,b,n[1-4]; - stands for a node that the job cannot use
    #[arg(long, value_name = "FILE|LIST", value_parser = hosts, allow_hyphen_values = true)]
    pub hosts: Option<String>,
    /// Bandwidth into switches from below to bandwidth upwards, from the leaf switches up: 1:1,2:1.
    /// For machines that are trees of switches [default: as the machine's file tells, else 1:1]
    #[arg(long, value_name = "RATIOS")]
    pub oversubscription: Option<Oversubscription>,
}

impl MachineArgs {
    /// The machine these flags describe.
    ///
    /// # Errors
    /// [`Error::Machine`], naming the flag.
    pub fn build(&self) -> Result<Machine, Error> {
        self.nodes.build(&self.machine)
    }

    /// The files that are read.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.nodes.files(&self.machine)
    }
}

impl MachineFiles for MachineArgs {
    fn copies(&self) -> Result<FileCopies, Error> {
        let mut copies = FileCopies::default();
        let machine = Path::new(self.machine.trim_start_matches(GRAPH_FILE));
        if machine.is_file() {
            copies.add("--machine", machine)?;
        }
        if let Some(file) = &self.nodes.node {
            copies.add("--node", file)?;
        }
        let hosts = self.nodes.hosts.as_deref().map(Path::new);
        if let Some(file) = hosts.filter(|given| given.is_file()) {
            copies.add("--hosts", file)?;
        }
        Ok(copies)
    }

    fn build_from(&self, copies: &FileCopies, directory: &Path) -> anyhow::Result<Machine> {
        let mut copied = self.clone();
        for (flag, name, content) in &copies.files {
            let below = directory.join(flag);
            std::fs::create_dir(&below)?;
            let path = below.join(name);
            std::fs::write(&path, content)?;
            let text = path.to_string_lossy().into_owned();
            match flag.as_str() {
                "--node" => copied.nodes.node = Some(path),
                "--hosts" => copied.nodes.hosts = Some(text),
                _ if self.machine.starts_with(GRAPH_FILE) => {
                    copied.machine = format!("{GRAPH_FILE}{text}");
                }
                _ => copied.machine = text,
            }
        }
        Ok(copied.build()?)
    }
}

impl NodeArgs {
    /// The files that are read for the machine of `spec`.
    pub(super) fn files<'a>(&'a self, spec: &'a str) -> impl Iterator<Item = &'a Path> {
        let machine = Path::new(file_of(spec.trim_start_matches(GRAPH_FILE)));
        let hosts = self.hosts.as_deref().map(Path::new);
        let files = [Some(machine), hosts, self.node.as_deref()];
        files.into_iter().flatten().filter(|path| path.is_file())
    }

    /// Builds the machine of `spec` with the nodes that these flags describe.
    ///
    /// # Errors
    /// [`Error::Machine`], naming the flag.
    pub fn build(&self, spec: &str) -> Result<Machine, Error> {
        self.build_for_job(spec, &[])
    }

    /// As [`build`](Self::build), for a job on `job` hosts where these flags list none.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_for_job(&self, spec: &str, job: &[String]) -> Result<Machine, Error> {
        let hosts = self.hosts.as_deref().map(HostList::parse).transpose()?;
        let listed = hosts.as_ref().map(|list| list.names().map(str::to_owned));
        let job = listed.map_or_else(|| job.to_vec(), Iterator::collect);
        let mut site = match &job[..] {
            [] => IMPORTERS.load(spec)?,
            job => IMPORTERS.load_for_job(spec, job)?,
        };
        self.furnish(&mut site, |_| Insides::default())?;
        self.oversubscribe(&mut site)?;
        let machine = Machine::new(site, self.cores, hosts)?;
        machine.notes().iter().for_each(terminal::note);
        Ok(machine)
    }

    /// Tells what is inside of nodes: what these flags say, else what the machine says, else what
    /// was `seen`.
    ///
    /// # Errors
    /// The file cannot be read, or does not fit.
    pub fn furnish(
        &self,
        site: &mut Hardware,
        seen: impl FnOnce(&Hardware) -> Insides,
    ) -> Result<(), Error> {
        let insides = match &self.node {
            Some(file) => import::inside(&Source::read(file)?)?,
            None if site.insides.is_empty() => seen(site),
            None => return Ok(()),
        };
        site.furnish(insides).map_err(|problem| Error::Flag {
            flag: "node",
            value: self
                .node
                .as_ref()
                .map_or_else(String::new, |it| it.display().to_string()),
            problem,
        })
    }

    /// Sets the capacities of the machine's links between switches, where these flags tell some.
    ///
    /// # Errors
    /// The machine is no tree of switches with so many levels.
    pub fn oversubscribe(&self, site: &mut Hardware) -> Result<(), Error> {
        let Some(by) = &self.oversubscription else {
            return Ok(());
        };
        site.oversubscribe(by.clone())
            .map_err(|problem| Error::Flag {
                flag: "oversubscription",
                value: by.to_string(),
                problem,
            })
    }
}

/// Prefix of machine specs that name a graph file.
const GRAPH_FILE: &str = "file:";

/// Largest value of `--threads`, which catches mistyped numbers. Chosen by hand: more than any node
/// has cores.
const MOST_THREADS: i64 = 1024;

/// Above this number of ranks, `rankfold run` searches with effort fast unless `--effort` is given.
/// Chosen by hand; not measured.
const MANY_RANKS: usize = 1 << 14;

/// Largest value of `--time` in seconds: a month of 30 days.
const LONGEST: f64 = 2_592_000.0;

/// The flags that say how to search for a placement.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// One heuristic by name, with options where it takes any, as in ptram:k=3 (all: rankfold help
    /// heuristics), or auto to take the best placement of all of them
    #[arg(long, value_name = "NAME", value_parser = HeuristicParser, hide_possible_values = true, default_value = AUTO)]
    heuristic: String,
    /// Keep placements as the heuristics make them, without refinement: the result of a published
    /// algorithm alone
    #[arg(long)]
    no_refine: bool,
    /// Number of repetitions in algorithms whose papers leave it to the user: ohtma's exchanges,
    /// ptram's rounds of refinement [default: as in the paper]
    #[arg(long, value_name = "N")]
    loops: Option<u64>,
    /// What to minimise
    #[arg(long, value_name = "OBJECTIVE", value_parser = objectives(), default_value = OBJECTIVES[0].name())]
    objective: &'static dyn Objective,
    /// The flag that says how the program exchanges messages.
    #[command(flatten)]
    pub exchange: ExchangeArgs,
    /// The flags that say what every placement keeps.
    #[command(flatten)]
    pub constraints: ConstraintArgs,
    /// How long to search: hurried is for programs that wait for the map, fast stops at the first
    /// good placement, balanced anneals that placement, best tries every heuristic and anneals
    /// longer [default: balanced; fast if rankfold run has over 16384 ranks]
    #[arg(long, value_enum, value_name = "EFFORT")]
    effort: Option<EffortArg>,
    /// Seconds to search; the result then depends on the speed of this computer [default: a fixed
    /// amount of work]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Number of threads; the result does not depend on it [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    threads: Option<u16>,
}

impl SearchArgs {
    /// The request that [`select`](rankfold_search::select::select) takes.
    #[must_use]
    pub fn request(&self) -> Request {
        Request {
            heuristic: (self.heuristic != AUTO).then(|| self.heuristic.clone()),
            objective: self.objective,
            effort: self.effort.unwrap_or_default().into(),
            seed: self.seed,
            time: self.time,
            loops: self.loops,
            refine: !self.no_refine,
            portfolio: PORTFOLIO,
        }
    }

    /// The request for a search between two runs of a job. With many ranks its default effort is
    /// fast, since the job waits.
    #[must_use]
    pub fn request_between_runs(&self, ranks: usize) -> Request {
        let request = self.request();
        match self.effort {
            None if ranks > MANY_RANKS => Request {
                effort: Effort::Fast,
                ..request
            },
            _ => request,
        }
    }

    /// The request for a search that a launch waits for. Its default effort is fast.
    #[must_use]
    pub fn request_before_launch(&self) -> Request {
        let request = self.request();
        match self.effort {
            None => Request {
                effort: Effort::Fast,
                ..request
            },
            Some(_) => request,
        }
    }

    /// The options that the placement depends on. An option that is added to [`SearchArgs`] has to
    /// be named here: it is either part of the key or, as `--threads`, without influence on the
    /// placement.
    #[must_use]
    pub fn key(&self) -> SearchKey {
        let Self {
            heuristic,
            no_refine,
            loops,
            objective,
            exchange,
            constraints,
            effort,
            time,
            seed,
            threads: _,
        } = self;
        SearchKey {
            heuristic: heuristic.clone(),
            refine: !no_refine,
            loops: *loops,
            objective: objective.name().to_owned(),
            exchange: typed(&exchange.exchange),
            constraints: constraints.key(),
            effort: effort.as_ref().map(typed),
            time: *time,
            seed: *seed,
        }
    }

    /// Runs `work` on the number of threads asked for, and passes that number to it.
    ///
    /// # Errors
    /// The system refuses to start the threads.
    pub fn on_threads<T: Send>(
        &self,
        work: impl FnOnce(usize) -> T + Send,
    ) -> Result<T, rayon::ThreadPoolBuildError> {
        // 0 threads mean one thread per core to rayon.
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.unwrap_or(0).into())
            .build()?;
        Ok(pool.install(|| work(rayon::current_num_threads())))
    }
}

/// A value of an option as the user types it.
fn typed(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Reads the value of `--hosts`. The first node of a list may be `-`; any other word with a hyphen
/// in front is the next flag.
fn hosts(text: &str) -> Result<String, String> {
    let first = text.split(',').next();
    if text.starts_with('-') && first != Some("-") {
        return Err("is a flag, and no file or list of hosts".into());
    }
    Ok(text.into())
}

/// Parses `--time`: a number of seconds above 0.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    if seconds > 0.0 && seconds <= LONGEST {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!("must be above 0 and at most {LONGEST}"))
    }
}

/// Parses `--objective`: a name from the list.
fn objectives() -> impl TypedValueParser<Value = &'static dyn Objective> {
    names(OBJECTIVES.iter().map(|one| (one.name(), one.summary())))
        .map(|name| objective::objective(&name).expect("the parser lets known names through"))
}

/// Parses `--to` and `--from`: the name of a mapfile format.
#[must_use]
pub fn mapfile_formats() -> PossibleValuesParser {
    names(FORMATS.iter().map(|one| (one.name(), one.summary())))
}

/// `--effort`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum EffortArg {
    Hurried,
    Fast,
    #[default]
    Balanced,
    Best,
}

impl From<EffortArg> for Effort {
    fn from(arg: EffortArg) -> Self {
        match arg {
            EffortArg::Hurried => Self::Hurried,
            EffortArg::Fast => Self::Fast,
            EffortArg::Balanced => Self::Balanced,
            EffortArg::Best => Self::Best,
        }
    }
}
