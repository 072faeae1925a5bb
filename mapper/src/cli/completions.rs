//! `rankfold completions`: writes a shell script that completes our command line.

use super::document::DocumentKind;
use super::{help, schema};
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

/// Prints the script. `documents` are those that `schema` knows.
pub(super) fn run(
    args: &Args,
    whole: clap::Command,
    documents: &[&[DocumentKind]],
) -> anyhow::Result<()> {
    // Written in one go: `generate` would panic if a pipe was closed early.
    Ok(std::io::stdout().write_all(script(args.shell, whole, documents).as_bytes())?)
}

/// The script for a shell.
fn script(shell: Shell, whole: clap::Command, documents: &[&[DocumentKind]]) -> String {
    let whole = help::with_known_words(whole);
    let mut whole = schema::with_known_names(whole, documents);
    let name = whole.get_name().to_owned();
    let mut text = Vec::new();
    generate(shell, &mut whole, &name, &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    match shell {
        Shell::Bash => with_launches(&text, &name),
        _ => text,
    }
}

/// Has bash complete file names behind `--`, where the user's own launch stands: the script that
/// clap writes offers rankfold's options there.
fn with_launches(script: &str, name: &str) -> String {
    let function = format!("_{name}() {{\n");
    let behind = "    local word\n    \
                  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n        \
                  if [[ $word == -- ]]; then\n            \
                  COMPREPLY=($(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\"))\n            \
                  return 0\n        fi\n    done\n";
    script.replacen(&function, &format!("{function}{behind}"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, Command};

    /// The words that bash offers for the last word of a command line.
    fn offered(words: &[&str]) -> String {
        let launch = Arg::new("launch").last(true).num_args(1..);
        let run = Command::new("run")
            .arg(Arg::new("once").long("once"))
            .arg(launch);
        let help = Command::new("help").arg(Arg::new("words").num_args(0..));
        let schemas = Command::new("schema").arg(Arg::new("name"));
        let whole = Command::new("fold")
            .disable_help_subcommand(true)
            .subcommands([run, help, schemas]);
        let line = words.join(" ");
        let ask = format!(
            "{}\nCOMP_WORDS=({line} '')\nCOMP_CWORD={}\n_fold fold '' {}\necho \"${{COMPREPLY[@]}}\"",
            script(Shell::Bash, whole, &[schema::DOCUMENTS]),
            words.len(),
            words[words.len() - 1],
        );
        let done = std::process::Command::new("bash")
            .args(["-c", &ask])
            .output();
        String::from_utf8(done.unwrap().stdout).unwrap()
    }

    #[test]
    fn bash_offers_options_before_the_launch_and_files_in_it() {
        assert!(offered(&["fold", "run"]).contains("--once"));
        let behind = offered(&["fold", "run", "--"]);
        assert!(
            !behind.contains("--once") && behind.contains("Cargo.toml"),
            "{behind}"
        );
    }

    #[test]
    fn bash_offers_documents_behind_schema() {
        let words = offered(&["fold", "schema"]);
        for kind in schema::DOCUMENTS {
            assert!(words.contains(kind.name), "{}: {words}", kind.name);
        }
    }

    #[test]
    fn bash_offers_topics_and_commands_behind_help() {
        let words = offered(&["fold", "help"]);
        for word in ["environment", "mapfiles", "run"] {
            assert!(words.contains(word), "{word}: {words}");
        }
    }
}
