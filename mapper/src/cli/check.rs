//! `rankfold check`: verifies a certificate in exact integer arithmetic.

use super::verdict;
use crate::error::Error;
use rankfold_certificate::{self as certificate, Proved};
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rankfold map app.rfp --machine torus:4x4x4 --certificate app.proof -o app.map
  rankfold map app.rfp --machine torus:4x4x4 --certificate app.proof --certificate-of busiest-link -o app.map
  rankfold check app.proof";

const WHAT: &str = "\
A certificate holds the bytes between ranks, the hops between slots, a placement and a proof that no placement has fewer
hop-bytes than its bound. A certificate of the busiest link proves how many bytes leave groups of nodes in every
placement, and thereby how busy the links around these groups are. The checker trusts nothing that the search or the
bounds have computed. It does not know which program and which machine the bytes, the hops and the bandwidth belong to.
Bounds by branch and bound, and other bounds on congestion and on time, are in no certificate. A certificate that is
damaged or not true is refused with its line, and exit status 2.";

/// `rankfold check`.
#[derive(Debug, clap::Args)]
#[command(before_help = EXAMPLES, after_help = WHAT)]
pub struct Args {
    /// A file that map --certificate has written
    #[arg(value_name = "CERTIFICATE")]
    certificate: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let text = rankfold_base::files::read(&args.certificate).map_err(|source| Error::Flag {
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
    std::io::stdout().write_all(in_words(&proved).as_bytes())?;
    Ok(())
}

/// What a certificate proves, in words.
fn in_words(proved: &Proved) -> String {
    let Proved {
        ranks,
        slots,
        hop_bytes,
        bound,
        bandwidth,
    } = proved;
    let placement = format!("a placement of {ranks} ranks on {slots} slots");
    let Some(bandwidth) = bandwidth else {
        let still = verdict::still(*hop_bytes as f64, *bound as f64);
        return format!(
            "{placement} with {hop_bytes} hop-bytes (verified)\n\
             no placement has fewer than {bound} hop-bytes (verified); {still}\n"
        );
    };
    format!(
        "{placement} with {hop_bytes} bytes between groups of nodes (verified)\n\
         no placement has fewer than {bound} bytes between these groups (verified)\n\
         links with a bandwidth of {bandwidth} leave the groups: the busiest of them has a congestion of at least {}\n",
        *bound as f64 / bandwidth
    )
}
