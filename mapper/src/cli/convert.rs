//! `rankfold convert`: writes communication in another format.

use super::input::OptionalInput;
use super::{output, terminal};
use crate::error::Error;
use crate::members::READERS;
use rankfold_graph::WriteError;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rankfold convert app.rfp app.mtx
  rankfold convert monitoring/ app.csv";

/// `rankfold convert`.
#[derive(Debug, clap::Args)]
// INPUT may be the value of --collectives, so that OUT is the only positional argument.
#[command(before_help = EXAMPLES, after_help = formats(), allow_missing_positional = true)]
pub struct Args {
    #[command(flatten)]
    input: OptionalInput,
    /// The file to write; its ending selects the format
    #[arg(value_name = "OUT")]
    output: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let Some(input) = &args.input.0 else {
        let given = args.output.display();
        return Err(Error::Flag {
            flag: "OUT",
            value: "is missing".into(),
            problem: format!("rankfold convert {given} app.mtx"),
        }
        .into());
    };
    let writer = rankfold_formats::writer(&args.output).map_err(Error::from)?;
    output::check_all([&args.output], input.files())?;
    let traffic = input.traffic()?;
    let losses = writer.losses(&traffic);
    if !losses.is_empty() {
        let ending = writer.ending;
        terminal::note(format_args!(
            "a .{ending} file does not hold {}",
            losses.join("; ")
        ));
    }
    let written = output::write_with(&args.output, |out| (writer.write)(&traffic, out));
    Ok(written.map_err(|error| match error {
        WriteError::Io(source) => output::unwritable(&args.output, source).into(),
        WriteError::Refused(problem) => Error::Flag {
            flag: "OUT",
            value: args.output.display().to_string(),
            problem,
        },
    })?)
}

/// The formats that can be read and written, for `--help`.
fn formats() -> String {
    let lines = |of: &mut dyn Iterator<Item = (String, &'static str)>| {
        of.map(|(name, summary)| format!("  {name:<7} {summary}\n"))
            .collect::<String>()
    };
    format!(
        "Read:\n{}\nWritten:\n{}",
        lines(&mut READERS.iter().map(|r| (r.name(), r.summary))),
        lines(
            &mut rankfold_formats::WRITERS
                .iter()
                .map(|w| (format!(".{}", w.ending), w.summary))
        )
    )
}
