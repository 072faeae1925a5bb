//! `rankfold profile`: the user's launch, with every rank counting what it sends.

use super::summary;
use crate::error::LaunchError;
use crate::launch::{self, Launch};
use crate::session::Session;
use crate::{diagnosis, job, launchers};
use rankfold_mapper::cli::output;
use rankfold_mapper::error::Error;
use rankfold_model::comm::CommError;
use rankfold_profile::{Outcome, Profile};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// `rankfold profile`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The program can tell parts of its run apart: MPI_Pcontrol(2, \"name\"), or a number above 2, begins a \
                        phase, a negative number ends it, 0 stops counting and 1 goes on."
)]
pub(super) struct Args {
    /// Where to write the profile [default: PROGRAM.rfp]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the command that would run, and do not run it
    #[arg(long)]
    dry_run: bool,
    /// Measure the time inside MPI too, by rank and kind of call
    #[arg(long)]
    time: bool,
    /// The launch: mpirun -n 64 ./app args
    #[arg(last = true, required = true, value_name = "LAUNCH")]
    launch: Vec<OsString>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<u8> {
    let launch = launchers::understand(&args.launch)?;
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| default_output(&launch));
    if args.dry_run {
        println!("{}", dry(&launch, &output, args.time)?);
        return Ok(0);
    }
    let profiled = profile(&launch, &output, args.time)?;
    if let Some(profile) = &profiled.profile {
        for line in summary::lines(profile) {
            eprintln!("rankfold: {line}");
        }
        eprintln!("rankfold: wrote {}", output.display());
    }
    Ok(profiled.status)
}

/// A run under the profiler.
pub(super) struct Profiled {
    /// The program's exit status.
    pub(super) status: u8,
    /// What was counted; `None` if the program failed and left nothing.
    pub(super) profile: Option<Profile>,
}

/// Runs `launch` under the profiler and writes its profile to `output`; `time` adds the time inside MPI.
pub(super) fn profile(launch: &Launch, output: &Path, time: bool) -> anyhow::Result<Profiled> {
    output::check(output)?;
    let session = Session::beside(output)?;
    let ranks = launch.ranks()?.map_or(1, |(ranks, _)| ranks);
    session.check_journals(ranks)?;
    let status = job::run(&command(&session, launch, time), || true)?;
    let profile = collect(&session, output);
    session.sweep();
    let profile = profile?;
    if profile.is_none() {
        let silent = LaunchError::NoProfile(diagnosis::silence(&launch.program[0]));
        if status == 0 {
            return Err(silent.into());
        }
        eprintln!("rankfold: {silent}");
    }
    Ok(Profiled { status, profile })
}

fn command(session: &Session, launch: &Launch, time: bool) -> Vec<OsString> {
    let mut launch = launch.clone();
    let inserted = session.profiling(&mut launch, time);
    launch.words(&inserted)
}

/// The command [`profile`] would run; its temporary directory is gone when this returns.
pub(super) fn dry(launch: &Launch, output: &Path, time: bool) -> anyhow::Result<String> {
    output::check(output)?;
    let session = Session::beside(output)?;
    Ok(launch::quoted(&command(&session, launch, time)))
}

/// Puts the profile in place: the one rank 0 wrote, or what the journals still hold.
fn collect(session: &Session, output: &Path) -> anyhow::Result<Option<Profile>> {
    if let Ok(bytes) = std::fs::read(session.profile()) {
        let profile = Profile::read(&session.profile())?;
        output::write(output, &bytes)?;
        return Ok(Some(profile));
    }
    let Some(recovery) = session.recover()? else {
        return Ok(None);
    };
    let written = recovery.profile.write(output);
    written.map_err(|error| Error::from(CommError::from(error)))?;
    // A program that uses MPI through sessions only never ends all its ranks together, so rank 0 writes no profile.
    // Its journals are complete then, and there is nothing to warn of.
    if recovery.profile.manifest.outcome != Outcome::Finalized {
        let told = recovered(&recovery.profile.manifest.outcome);
        eprintln!("rankfold: {told}");
    }
    Ok(Some(recovery.profile))
}

/// The message about a profile put together from journals: which ranks it lacks.
fn recovered(outcome: &Outcome) -> String {
    let all = "the program did not reach MPI_Finalize; recovered from the journals";
    match outcome {
        Outcome::Recovered { missing } if !missing.is_empty() => {
            const NAMED: usize = 8;
            let mut ranks: Vec<String> = missing.iter().take(NAMED).map(u32::to_string).collect();
            if missing.len() > NAMED {
                ranks.push(format!("{} more", missing.len() - NAMED));
            }
            let noun = if missing.len() == 1 { "rank" } else { "ranks" };
            format!(
                "{all}, without {noun} {}: no journal on this host (other hosts keep theirs; a rank may also have died before the end of MPI_Init)",
                ranks.join(", ")
            )
        }
        _ => format!("{all} of all ranks"),
    }
}

/// `app.rfp` in the current directory for `/some/where/app`.
fn default_output(launch: &Launch) -> PathBuf {
    let program = Path::new(&launch.program[0]);
    let mut name = program
        .file_name()
        .unwrap_or(program.as_os_str())
        .to_owned();
    name.push(".rfp");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_ranks_are_named_and_many_are_counted() {
        let told = recovered(&Outcome::Recovered {
            missing: vec![3, 5],
        });
        assert!(told.contains("without ranks 3, 5:"), "{told}");
        let told = recovered(&Outcome::Recovered {
            missing: (0..20).collect(),
        });
        assert!(told.contains("7, 12 more:"), "{told}");
        let told = recovered(&Outcome::Recovered { missing: vec![] });
        assert!(told.ends_with("of all ranks"), "{told}");
    }
}
