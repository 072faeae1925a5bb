//! `rankfold completions`: writes a shell script that completes our command line.

use clap_complete::{Shell, generate};
use std::io::Write;

const EXAMPLES: &str = "\
Examples:
  rankfold completions bash > ~/.local/share/bash-completion/completions/rankfold
  rankfold completions zsh > ~/.zfunc/_rankfold
  rankfold completions fish > ~/.config/fish/completions/rankfold.fish";

/// `rankfold completions`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    /// The shell to complete for
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &Args, mut whole: clap::Command) -> anyhow::Result<()> {
    let name = whole.get_name().to_owned();
    // Written in one go: `generate` would panic if a pipe was closed early.
    let mut text = Vec::new();
    generate(args.shell, &mut whole, name, &mut text);
    Ok(std::io::stdout().write_all(&text)?)
}
