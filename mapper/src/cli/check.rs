//! `rankfold check`: verifies a certificate in exact integer arithmetic.

use super::verdict;
use crate::error::Error;
use rankfold_model::certificate::{self, Proved};
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rankfold map app.rfp --machine torus:4x4x4 --certificate app.proof -o app.map
  rankfold check app.proof";

const WHAT: &str = "\
A certificate holds the bytes between ranks, the hops between slots, a placement and a proof that no placement has fewer
hop-bytes than its bound. The checker trusts nothing that the search or the bounds have computed. It does not know which
program and which machine the bytes and hops belong to. Bounds by branch and bound, bounds on congestion and bounds on
time are in no certificate. A certificate that is damaged or not true is refused with its line, and exit status 2.";

/// `rankfold check`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, after_help = WHAT)]
pub struct Args {
    /// A file that map --certificate has written
    #[arg(value_name = "CERTIFICATE")]
    certificate: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let text = std::fs::read(&args.certificate).map_err(|source| Error::Flag {
        flag: "CERTIFICATE",
        value: args.certificate.display().to_string(),
        problem: source.to_string(),
    })?;
    // A byte that is no text damages the statement in its line only.
    let checked = certificate::check(&String::from_utf8_lossy(&text));
    let proved = checked.map_err(|refused| Error::Certificate {
        path: args.certificate.clone(),
        refused,
    })?;
    let Proved {
        ranks,
        slots,
        hop_bytes,
        bound,
    } = proved;
    let still = verdict::still(hop_bytes as f64, bound as f64);
    let mut out = std::io::stdout();
    writeln!(
        out,
        "a placement of {ranks} ranks on {slots} slots with {hop_bytes} hop-bytes (verified)"
    )?;
    writeln!(
        out,
        "no placement has fewer than {bound} hop-bytes (verified); {still}"
    )?;
    Ok(())
}
