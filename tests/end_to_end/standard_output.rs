//! Who reads standard output may stop, as `head` does, and that is no error. A disk that is full is
//! one.

use crate::fact::{Fact, fact};
use anyhow::{Result, ensure};
use rankfold_tests::rankfold;
use std::fs::OpenOptions;
use std::process::Stdio;

/// Commands that print without a launch.
const COMMANDS: &[&[&str]] = &[
    &["doctor"],
    &["config"],
    &["machine", "torus:4x4"],
    &["help", "machines"],
];

pub(crate) fn facts() -> Vec<Fact> {
    vec![
        fact("standard_output::may_be_closed_by_its_reader", &[], closed),
        fact("standard_output::that_is_full_is_an_error", &[], full),
    ]
}

fn closed() -> Result<()> {
    for words in COMMANDS {
        let (reader, writer) = std::io::pipe()?;
        drop(reader);
        let (status, text) = run(words, writer.into())?;
        ensure!(status != Some(101), "{words:?} panics: {text}");
        ensure!(!text.contains("roken pipe"), "{words:?}: {text}");
    }
    Ok(())
}

fn full() -> Result<()> {
    for words in COMMANDS {
        let device = OpenOptions::new().write(true).open("/dev/full")?;
        let (status, text) = run(words, device.into())?;
        ensure!(status == Some(1), "{words:?}: {status:?}: {text}");
        ensure!(text.contains("No space left"), "{words:?}: {text}");
    }
    Ok(())
}

/// The exit status, and what is told on standard error.
fn run(words: &[&str], stdout: Stdio) -> Result<(Option<i32>, String)> {
    let ran = rankfold::command(words)
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()?
        .wait_with_output()?;
    let text = String::from_utf8_lossy(&ran.stderr).into_owned();
    Ok((ran.status.code(), text))
}
