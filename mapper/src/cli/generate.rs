//! `rankfold generate`: writes the communication of a well-known program, by formula.

use super::named_values::names;
use super::{output, terminal};
use crate::error::Error;
use clap::builder::TypedValueParser;
use rankfold_formats::mtx;
use rankfold_graph::WriteError;
use rankfold_graph::generate::{GENERATORS, Generator};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rankfold generate npb-bt 256 -o bt.mtx
  rankfold generate sweep3d 1024 > sweep3d.mtx";

/// `rankfold generate`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, after_help = kinds())]
pub struct Args {
    /// The program
    #[arg(value_name = "KIND", value_parser = generators(), hide_possible_values = true)]
    kind: &'static Generator,
    /// The number of ranks
    #[arg(value_name = "RANKS")]
    ranks: usize,
    /// The file to write; its ending selects the format [default: standard output, as .mtx]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let writer = match &args.output {
        Some(path) => {
            let writer = rankfold_formats::writer(path).map_err(Error::from)?;
            output::check(path)?;
            Some((path, writer))
        }
        None => None,
    };
    let traffic = args
        .kind
        .traffic(args.ranks)
        .map_err(|problem| Error::Flag {
            flag: "RANKS",
            value: args.ranks.to_string(),
            problem: format!("{}: {problem}", args.kind.name),
        })?;
    let about = format!("{}: {}", args.kind.name, args.kind.about);
    let Some((path, writer)) = writer else {
        let mut out = BufWriter::new(std::io::stdout().lock());
        return match mtx::write_with_comment(&traffic, &about, &mut out) {
            Ok(()) => Ok(out.flush()?),
            // As its own type, which tells that the reader of standard output has ended.
            Err(WriteError::Io(source)) => Err(source.into()),
            Err(WriteError::Refused(problem)) => unreachable!("any traffic fits: {problem}"),
        };
    };
    let written = output::write_with(path, |out| match writer.ending {
        mtx::ENDING => mtx::write_with_comment(&traffic, &about, out),
        _ => (writer.write)(&traffic, out),
    });
    if writer.ending != mtx::ENDING {
        terminal::note(about);
    }
    Ok(written.map_err(|error| match error {
        WriteError::Io(source) => output::unwritable(path, source).into(),
        WriteError::Refused(problem) => Error::Flag {
            flag: "--output",
            value: path.display().to_string(),
            problem,
        },
    })?)
}

/// Parses the name of a generator.
fn generators() -> impl TypedValueParser<Value = &'static Generator> {
    names(GENERATORS.iter().map(|one| (one.name, one.about))).map(|name| {
        let mut all = GENERATORS.iter();
        all.find(|one| one.name == name)
            .expect("the parser lets known names through")
    })
}

fn kinds() -> String {
    let longest = GENERATORS.iter().map(|one| one.name.len()).max();
    let wide = longest.unwrap_or(0) + 2;
    let kinds: Vec<_> = GENERATORS
        .iter()
        .map(|one| format!("  {:<wide$}{}", one.name, one.about))
        .collect();
    format!("Kinds:\n{}", kinds.join("\n"))
}
