//! `rankfold man`: writes the manual pages, from the definition of the command line. The command is
//! hidden, as only packaging runs it.

use super::help;
use super::output;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::path::PathBuf;

/// `rankfold man`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory to write the pages to; it must exist
    directory: PathBuf,
}

pub(super) fn run(args: &Args, mut whole: Command) -> anyhow::Result<()> {
    whole.build();
    for (name, page) in pages(&whole)? {
        output::write(&args.directory.join(name), &page)?;
    }
    Ok(())
}

/// The pages of a command and of all commands below it, with their file names.
fn pages(command: &Command) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut pages = vec![page(command)?];
    for below in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        pages.extend(self::pages(below)?);
    }
    Ok(pages)
}

fn page(command: &Command) -> std::io::Result<(String, Vec<u8>)> {
    let man = Man::new(command.clone()).manual("rankfold");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if let Some(examples) = command.get_before_help() {
        let examples = examples.to_string();
        let lines = examples.trim_start_matches("Examples:\n");
        as_it_stands("EXAMPLES", lines).to_writer(&mut text)?;
    }
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    if let Some(notes) = command.get_after_help() {
        as_it_stands("NOTES", &notes.to_string()).to_writer(&mut text)?;
    }
    for (title, topic) in [
        ("EXIT STATUS", &help::STATUS),
        ("ENVIRONMENT", &help::ENVIRONMENT),
    ] {
        as_it_stands(title, &(topic.text)()).to_writer(&mut text)?;
    }
    Ok((man.get_filename(), text))
}

/// A section whose line breaks are kept.
fn as_it_stands(title: &str, text: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    roff.control("nf", []);
    for line in text.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff
}
