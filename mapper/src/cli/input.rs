//! The communication that a command works on, as the command line names it.

use super::{named_values, terminal};
use crate::error::Error;
use crate::members::READERS;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{ArgMatches, FromArgMatches};
use rankfold_collectives::{MODELS, model};
use rankfold_formats::{Collectives, Reading, RunPart};
use rankfold_graph::{CommError, CommGraph, Traffic};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The value of `--collectives` that leaves collectives out.
const NONE: &str = "none";
/// The value of `--collectives` that adds them as the MPI library sent them.
const MEASURED: &str = "measured";

/// The arguments with which `map`, `analyze`, `eval` and `convert` name their input.
#[derive(Clone, Debug)]
pub struct InputArgs {
    input: Vec<PathBuf>,
    phase: Option<String>,
    phases: bool,
    collectives: Option<String>,
    settings: Vec<(String, String)>,
}

/// A run as it was read.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunInput {
    /// The communication.
    pub graph: CommGraph,
    /// The host of every rank when the run was profiled; empty where the input does not tell.
    pub hosts: Vec<String>,
}

/// The same arguments as clap sees them. Here `--collectives app.rfp` still takes the input file
/// for the name of a model; [`InputArgs`] puts it right.
#[derive(Debug, clap::Args)]
struct Typed {
    /// The communication: .rfp, .mtx, .csv, .mat, .graph, .grf, or .prof files of Open MPI's
    /// monitoring component (all of them, their directory, or the name before .R.prof); or the
    /// record of a GPU job, recognised by its content (all files of it, or their directory)
    #[arg(value_name = "INPUT")]
    input: Vec<PathBuf>,
    /// Use only the phase that the program named NAME with MPI_Pcontrol
    #[arg(long, value_name = "NAME")]
    phase: Option<String>,
    /// Predict the time of each phase, and of the communication between phases, and add the times
    /// up. The only value is all
    #[arg(long, value_name = "WHICH", value_parser = ["all"], conflicts_with = "phase")]
    phases: Option<String>,
    #[arg(long, value_name = "MODEL", help = collectives_help(), num_args = 0..=1, default_missing_value = MODELS[0].name())]
    collectives: Option<String>,
    /// The value of a variable or option that the script of a launch leaves open: NNODES=8,
    /// --seq-length=2048
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting, allow_hyphen_values = true)]
    settings: Vec<(String, String)>,
}

/// Reads `NAME=VALUE`.
fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=VALUE is needed")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl clap::Args for InputArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        Typed::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Typed::augment_args_for_update(command)
    }
}

impl FromArgMatches for InputArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::try_from(Typed::from_arg_matches(matches)?)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl TryFrom<Typed> for InputArgs {
    type Error = clap::Error;

    fn try_from(typed: Typed) -> Result<Self, clap::Error> {
        let mut args = Self {
            input: typed.input,
            phase: typed.phase,
            phases: typed.phases.is_some(),
            collectives: typed.collectives,
            settings: typed.settings,
        };
        let is_model = |name: &str| [NONE, MEASURED].contains(&name) || model(name).is_some();
        if let Some(name) = args.collectives.as_mut().filter(|name| !is_model(name)) {
            if !args.input.is_empty() && !Path::new(name).exists() {
                let known = models()
                    .map(|(name, _)| name)
                    .collect::<Vec<_>>()
                    .join(", ");
                return Err(refused(&format!(
                    "--collectives {name}: neither a model nor a file; models are {known}"
                )));
            }
            let file = std::mem::replace(name, MODELS[0].name().to_owned());
            args.input.insert(0, file.into());
        }
        if args.input.is_empty() {
            Err(refused("INPUT is missing: name a profile or a matrix"))
        } else {
            Ok(args)
        }
    }
}

/// The communication, which may be left out: the command says what is missing then.
#[derive(Debug)]
pub(super) struct OptionalInput(pub(super) Option<InputArgs>);

impl clap::Args for OptionalInput {
    fn augment_args(command: clap::Command) -> clap::Command {
        let command = InputArgs::augment_args(command);
        command.mut_arg("input", |input| input.required(false))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OptionalInput {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        // `--collectives app.rfp` names the input, too.
        let given = matches.contains_id("input") || matches.contains_id("collectives");
        let input = given.then(|| InputArgs::from_arg_matches(matches));
        Ok(Self(input.transpose()?))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn refused(problem: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::InvalidValue, format!("{problem}\n"))
}

impl InputArgs {
    /// The files that are read.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.input.iter().map(PathBuf::as_path)
    }

    /// Reads the whole input, messages included, and prints the reader's notes on standard error.
    /// # Errors
    /// [`Error::Comm`], naming the file; [`Error::Flag`].
    pub fn traffic(&self) -> Result<Traffic, Error> {
        Ok(self.read(Collectives::LeftOutWithNote)?.traffic)
    }

    /// Reads the input as a communication graph for the mapper.
    ///
    /// # Errors
    /// As [`InputArgs::traffic`].
    pub fn graph(&self) -> Result<CommGraph, Error> {
        Ok(self.run()?.graph)
    }

    /// Reads the input as a communication graph for the mapper, and where its ranks ran.
    ///
    /// # Errors
    /// As [`InputArgs::traffic`].
    pub fn run(&self) -> Result<RunInput, Error> {
        let mut reading = self.read(Collectives::IfTheyCanMatter)?;
        let hosts = std::mem::take(&mut reading.hosts);
        let graph = self.graph_of(reading)?;
        let graph = if self.phases {
            graph.in_phases(self.graphs_of_phases()?)
        } else {
            graph
        };
        Ok(RunInput { graph, hosts })
    }

    fn graph_of(&self, reading: Reading) -> Result<CommGraph, Error> {
        graph_of(reading, &self.input[0])
    }

    /// Reads one graph for each phase. Notes of the reader are not printed again.
    fn graphs_of_phases(&self) -> Result<Vec<CommGraph>, Error> {
        let names = READERS.phases(&self.input)?;
        if names.is_empty() {
            return Err(Error::Flag {
                flag: "--phases",
                value: "all".into(),
                problem: format!(
                    "{} has no phases: the program names them with MPI_Pcontrol",
                    self.input[0].display()
                ),
            });
        }
        let collectives = self.collectives(Collectives::IfTheyCanMatter);
        let graphs = names.iter().map(|name| {
            let phase = Some(name.as_str());
            let part = self.part(phase, collectives);
            self.graph_of(READERS.read(&self.input, &part)?)
        });
        graphs.collect()
    }

    fn part<'a>(&'a self, phase: Option<&'a str>, collectives: Collectives) -> RunPart<'a> {
        RunPart {
            phase,
            collectives,
            settings: &self.settings,
        }
    }

    fn collectives(&self, by_default: Collectives) -> Collectives {
        named(self.collectives.as_deref(), by_default)
    }

    /// The input that consists of one file, with the default of every option.
    #[must_use]
    pub fn of(file: PathBuf) -> Self {
        Self {
            input: vec![file],
            phase: None,
            phases: false,
            collectives: None,
            settings: Vec::new(),
        }
    }

    /// The first file. The input is named after it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.input[0]
    }

    /// Reads the input, and prints nothing.
    pub(super) fn reading(&self, by_default: Collectives) -> Result<Reading, Error> {
        let collectives = self.collectives(by_default);
        let phase = self.phase.as_deref();
        Ok(READERS.read(&self.input, &self.part(phase, collectives))?)
    }

    fn read(&self, by_default: Collectives) -> Result<Reading, Error> {
        let reading = self.reading(by_default)?;
        for note in &reading.notes {
            terminal::note(note);
        }
        Ok(reading)
    }
}

/// The communication graph of what was read from the file `path`.
///
/// # Errors
/// [`Error::Comm`], naming the file.
pub fn graph_of(reading: Reading, path: &Path) -> Result<CommGraph, Error> {
    let graph = reading.traffic.into_graph();
    let graph = graph.map_err(|error| CommError::refused(path, &error))?;
    Ok(graph.with_declared(reading.declared))
}

/// The collectives to use when mapping, from the value of a `--collectives` whose value is always a
/// name, never a file.
#[must_use]
pub fn collectives(name: Option<&str>) -> Collectives {
    named(name, Collectives::IfTheyCanMatter)
}

pub(super) fn named(name: Option<&str>, by_default: Collectives) -> Collectives {
    match name {
        None => by_default,
        Some(MEASURED) => Collectives::AsSent,
        Some(name) => model(name).map_or(Collectives::LeftOut, Collectives::By),
    }
}

/// The names that `--collectives` takes.
#[must_use]
pub fn collectives_models() -> PossibleValuesParser {
    named_values::names(models())
}

/// The names of the models with what each does.
pub(super) fn models() -> impl Iterator<Item = (&'static str, &'static str)> {
    let known = MODELS.iter().map(|model| (model.name(), model.summary()));
    let without_model = [
        (NONE, "leave them out"),
        (
            MEASURED,
            "as the MPI library sent them, if the profile holds that",
        ),
    ];
    without_model.into_iter().chain(known)
}

fn collectives_help() -> String {
    let known: Vec<String> = models()
        .map(|(name, does)| format!("{name}: {does}"))
        .collect();
    format!(
        "Add collectives, as one of the models would carry them out [without the option: where a \
         placement can shorten them; without a name: {}; models: {}]",
        MODELS[0].name(),
        known.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        input: InputArgs,
    }

    fn read(words: &[&str]) -> Result<(Vec<PathBuf>, Option<String>), String> {
        let line = Line::try_parse_from([&["map"], words].concat());
        let line = line.map_err(|error| error.to_string())?;
        Ok((line.input.input, line.input.collectives))
    }

    #[test]
    fn a_file_after_collectives_is_the_input() {
        let file = vec![PathBuf::from("app.rfp")];
        let auto = Some(MODELS[0].name().to_owned());
        for words in [["--collectives", "app.rfp"], ["app.rfp", "--collectives"]] {
            assert_eq!(read(&words), Ok((file.clone(), auto.clone())), "{words:?}");
        }
        let ring = Ok((file, Some("ring".to_owned())));
        assert_eq!(read(&["--collectives", "ring", "app.rfp"]), ring);
        for unknown in ["rign", "mvapich", "mvapich2"] {
            let wrong = read(&["app.rfp", "--collectives", unknown]).unwrap_err();
            assert!(wrong.contains(unknown) && wrong.contains("ring"), "{wrong}");
        }
        let missing = read(&["--collectives", "ring"]).unwrap_err();
        assert!(missing.contains("INPUT"), "{missing}");
    }
}
