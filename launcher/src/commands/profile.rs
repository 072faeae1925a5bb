//! `rankfold profile`: runs the user's launch, and every rank counts what it sends.

use super::counting_args::CountingArgs;
use super::older_profile::OlderProfile;
use super::partial_profile::{Provisional, recovered};
use super::profile_watch::ProfileWatch;
use super::summary;
use super::unchanged;
use crate::harvest::{self, Gathered};
use crate::session::{CountingOptions, Session};
use crate::{job, other_hosts, user_name};
use rankfold_console::{outln, output, output::OutputError, terminal};
use rankfold_launch::error::{LaunchError, is_of_system};
use rankfold_launch::launch::{self, Launch};
use rankfold_launch::placement::unplanned;
use rankfold_launch::{diagnosis, launchers};
use rankfold_mapper::cli::heat;
use rankfold_wire::{LaunchRecord, Outcome, Profile, Verification, WorldTimes};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// `rankfold profile`.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Examples:\n  rankfold profile -- mpirun -n 64 ./app args              writes app.rfp\n  \
                         rankfold profile --time -o app.rfp -- mpirun -n 64 ./app args    and the time inside MPI",
    after_help = "The program can tell parts of its run apart: MPI_Pcontrol(2, \"name\"), or a number above 2, begins a \
                        phase, a negative number ends it, 0 stops counting and 1 goes on."
)]
pub(super) struct Args {
    /// Where to write the profile [default: PROGRAM.rfp]
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Print the command that would run, and do not run it
    #[arg(long)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) counting: CountingArgs,
    /// The launch: mpirun -n 64 ./app args; or a script with launches in it: bash job.sh
    #[arg(last = true, required = true, value_name = "LAUNCH")]
    pub(super) launch: Vec<OsString>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<u8> {
    let launch = match launchers::understand(&args.launch) {
        Err(error) if unchanged::starts_nothing(&args.launch, &error) => {
            return unchanged::as_given(&args.launch, args.dry_run);
        }
        understood => understood?,
    };
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| named_after(launch.name()));
    if args.dry_run {
        outln!("{}", dry(&launch, &output, args.counting.options())?);
        return Ok(0);
    }
    let profiled = profile(&launch, &output, args.counting.options())?;
    if let Some(profile) = &profiled.profile {
        tell(profile, &output);
    }
    Ok(profiled.status)
}

/// Prints the summary of a profile, and the path to which it was written.
pub(super) fn tell(profile: &Profile, output: &Path) {
    show(profile);
    let partial = match profile.manifest.outcome {
        Outcome::Finalized => "",
        Outcome::Recovered { .. } => "the partial profile ",
    };
    terminal::good(format_args!("wrote {partial}{}", output.display()));
}

/// Prints the summary and the heat map of a profile.
pub(super) fn show(profile: &Profile) {
    for line in summary::lines(profile) {
        terminal::note(line);
    }
    heat::show(profile.rows.len(), &|sink| {
        for (from, row) in profile.rows.iter().enumerate() {
            for peer in &row.peers {
                sink(from, peer.rank as usize, peer.bytes);
            }
        }
    });
}

/// The result of a run with the profiler.
pub(super) struct Profiled {
    /// The program's exit status.
    pub(super) status: u8,
    /// The time from the start of the launch to its end.
    pub(super) elapsed: Duration,
    /// The profile; `None` if there is none, and the reason has been printed.
    pub(super) profile: Option<Profile>,
    /// What collectives take on a renumbered world, if the ranks were to find out and have done so.
    pub(super) world_times: Option<WorldTimes>,
}

/// Runs `launch` with the profiler and writes its profile to `output`.
pub(super) fn profile(
    launch: &Launch,
    output: &Path,
    counted: CountingOptions,
) -> anyhow::Result<Profiled> {
    watched(launch, Some(output), counted, |_| (), |_| false)
}

/// Runs `launch` with the profiler, with a sample of the ranks measuring the time inside MPI. The
/// profile goes to `watch` while the job runs and is not written to a file. If a signal asks for
/// the end after the job has ended, while `watch` still works, `interrupted` is called with the
/// job's exit status. If it returns true, all files of the run are removed and this process ends.
/// `world_times` says whether the ranks time collectives on a renumbered world as well; ranks of
/// which only the first part is counted do not.
pub(super) fn profile_and(
    launch: &Launch,
    mut watch: ProfileWatch,
    world_times: bool,
    interrupted: impl FnMut(u8) -> bool,
) -> anyhow::Result<Profiled> {
    let counted = CountingOptions {
        until: watch.after,
        // The time that this takes is not taken from the first part of a run.
        world_times: world_times && watch.after.is_none(),
        ..CountingOptions::SAMPLED
    };
    let look = |session: &Session| watch.look(session, launch);
    watched(launch, None, counted, look, interrupted)
}

fn watched(
    launch: &Launch,
    output: Option<&Path>,
    counted: CountingOptions,
    mut watch: impl FnMut(&Session) + Send,
    mut interrupted: impl FnMut(u8) -> bool,
) -> anyhow::Result<Profiled> {
    if let Some(output) = output {
        check(output)?;
    }
    // `rankfold recover` writes the profile to this path if this process ends before the run.
    let recovered = output.map_or_else(|| named_after(launch.name()), Path::to_owned);
    let session = Session::beside(&recovered)?;
    // The record cannot be written if a word of the launch is no UTF-8. `rankfold recover` then
    // needs the launch on its command line.
    let _ = session.record(&recovered, launch);
    let older = output.and_then(OlderProfile::find);
    let mut provisional = Provisional::default();
    let (date, clock) = (SystemTime::now(), Instant::now());
    let watch = |ending| {
        watch(&session);
        provisional.look(ending, &session.traces, output)
    };
    let interrupted = |status, signal| {
        if interrupted(status) {
            session.remove();
            std::process::exit(if status == 0 {
                128 + signal
            } else {
                status.into()
            });
        }
    };
    let status = job::run_until(&command(&session, launch, counted)?, watch, interrupted)?;
    let elapsed = clock.elapsed();
    let since_1970 = date.duration_since(UNIX_EPOCH).unwrap_or_default();
    let record = LaunchRecord {
        command: launch::quoted(&launch.words()),
        started: since_1970.as_secs(),
        nanoseconds: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
        version: env!("CARGO_PKG_VERSION").into(),
    };
    let world_times = session.world_times();
    let has_run = has_run(&session, status);
    let profile = collect(session, (launch, status), output, record).unwrap_or_else(|error| {
        terminal::warning(format_args!("no profile was written: {error:#}"));
        None
    });
    if let (Some(older), None, true) = (older, &profile, has_run) {
        older.set_aside();
    }
    Ok(Profiled {
        status,
        elapsed,
        profile,
        world_times,
    })
}

/// Whether the launch came as far as the program: it ended well, or a rank called `MPI_Init`.
fn has_run(session: &Session, status: u8) -> bool {
    status == 0 || session.has_begun()
}

/// Checks that `output` names a file. One that cannot be written now passes, as on a full file
/// system: the program runs in any case, and then its profile is kept where there is space.
fn check(output: &Path) -> Result<(), OutputError> {
    match output::check(output) {
        Err(OutputError::Unwritable { source, .. }) if is_of_system(&source) => Ok(()),
        checked => checked,
    }
}

/// The command that runs the launch with the profiler.
fn command(
    session: &Session,
    launch: &Launch,
    counted: CountingOptions,
) -> Result<Vec<OsString>, LaunchError> {
    let mut launch = launch.clone();
    session.profiling(&mut launch, counted)?;
    Ok(launch.words())
}

/// The command that runs the launch with the profiler, as text. The temporary directory in it is
/// removed before this returns.
pub(super) fn dry(
    launch: &Launch,
    output: &Path,
    counted: CountingOptions,
) -> anyhow::Result<String> {
    output::check(output)?;
    let session = Session::beside(output)?;
    Ok(launch::quoted(&command(&session, launch, counted)?))
}

/// Collects the profile of a run that has ended with `status`, and writes it to `output` if that is
/// given. The files of the run are removed afterwards, unless some hosts could not be reached. If
/// there is no profile, the possible reasons are printed.
fn collect(
    session: Session,
    (launch, status): (&Launch, u8),
    output: Option<&Path>,
    record: LaunchRecord,
) -> anyhow::Result<Option<Profile>> {
    let (traces, at) = (&session.traces, Path::new("."));
    let Gathered {
        harvest,
        trouble,
        asked_hosts,
    } = harvest::gather(
        traces,
        &session.profile(),
        Some((launch, at)),
        session.directory(),
    )?;
    let Some(mut harvest) = harvest else {
        let has_run = has_run(&session, status);
        let consequence = match output.filter(|output| !has_run && output.is_file()) {
            Some(older) => format!(
                "no profile was written; {} is of an earlier run",
                older.display()
            ),
            None => "no profile was written".to_owned(),
        };
        let (ended, begun) = (launch.ended(status), session.has_begun());
        terminal::warning(diagnosis::silence(ended, begun, &consequence));
        // A launch that failed before any rank called MPI_Init has left nothing on other hosts.
        if has_run {
            leave(session, trouble);
        }
        return Ok(None);
    };
    harvest.profile.launch = Some(record);
    harvest.profile.user = user_name::of_launch();
    harvest.profile.verification = unplanned(&harvest.profile);
    if let Some(output) = output
        && let Err(error) = harvest.profile.write(output)
    {
        let files = session.directory().display();
        terminal::warning(format_args!(
            "{error}: the profile is kept for now, and rankfold recover {files} -o FILE writes it elsewhere"
        ));
        session.keep();
        return Ok(None);
    }
    // A program that uses MPI through sessions only never ends all its ranks together, so rank 0
    // writes no profile. The journals of such a program are complete, and no warning is needed.
    let outcome = &harvest.profile.manifest.outcome;
    if !harvest.finished && *outcome != Outcome::Finalized {
        terminal::warning(recovered(&harvest.profile, harvest.finalized));
    }
    match &harvest.profile.verification {
        Some(found) if found.as_planned => terminal::note(&found.line),
        Some(found) => terminal::warning(&found.line),
        None => {}
    }
    if let Some(problem) = alone(launch, &harvest.profile) {
        terminal::warning(problem);
    }
    traces.sweep();
    if asked_hosts && trouble.is_none() {
        sweep_hosts(session, launch)?;
    } else {
        leave(session, trouble);
    }
    Ok(Some(harvest.profile))
}

/// Prints the line that says whether the ranks run where they should.
pub(super) fn tell_verification(verification: &Verification) {
    if verification.as_planned && !terminal::shows_notes() {
        terminal::good(cut(&verification.line));
    } else if verification.as_planned {
        terminal::good(&verification.line);
    } else {
        terminal::warning(&verification.line);
    }
}

/// The first parts of a line that `--verbose` prints whole, as many as a line has room for.
fn cut(line: &str) -> &str {
    /// Letters of a line behind the name of the program.
    const ROOM: usize = 88;
    let ends = line
        .match_indices("; ")
        .map(|(at, _)| at)
        .chain([line.len()]);
    let last = ends.filter(|end| *end <= ROOM).last();
    last.map_or(line, |end| &line[..end])
}

/// The problem if the launch was of many ranks and the profile is of one rank.
fn alone(launch: &Launch, profile: &Profile) -> Option<String> {
    let (asked, option) = launch.ranks().ok()??;
    (asked > 1 && profile.rows.len() == 1).then(|| {
        let why = launch.launcher.why_alone(&launch.apps).map_or_else(
            || {
                format!(
                    "the launcher is {}'s, and the program was linked with another MPI library",
                    launch.launcher.name()
                )
            },
            str::to_owned,
        );
        format!(
            "{option} asks for {asked} ranks, and each process was a world of its own; the profile is of one of them: {why}"
        )
    })
}

/// Ends a session. If hosts were out of reach, its files stay, and the user is told how to try
/// again.
fn leave(session: Session, trouble: Option<String>) {
    if let Some(trouble) = trouble {
        let run = session.traces.run.clone();
        terminal::warning(format_args!(
            "not all hosts were reached: {trouble}; to try again: rankfold recover {run}"
        ));
        session.keep();
    }
}

/// Ends a session, and removes the files of its run on the hosts of `launch`. If they cannot be
/// removed, the files of the session stay: `rankfold clean` finds the hosts by the record among
/// them.
///
/// # Errors
/// The directory of the session cannot be written to.
pub(super) fn sweep_hosts(session: Session, launch: &Launch) -> anyhow::Result<()> {
    let at = Path::new(".");
    if !other_hosts::sweep(launch, &session.traces, at, session.directory())? {
        session.keep();
    }
    Ok(())
}

/// `app.rfp` in the current directory for `/some/where/app`.
pub(super) fn named_after(program: &OsStr) -> PathBuf {
    let name = Path::new(program).file_name().unwrap_or(program);
    let mut name = name.to_owned();
    name.push(".rfp");
    name.into()
}
