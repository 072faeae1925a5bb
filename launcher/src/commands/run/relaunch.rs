//! The user's launch with a placement, verified from inside the processes.

use crate::commands::profile::{named_after, sweep_hosts, tell_verification};
use crate::error::LaunchError;
use crate::launch::{self, Launch};
use crate::placement::{Mismatch, PlacementPlan, accept};
use crate::placing_method::{self, MethodChoice, PlacingMethod};
use crate::rank_mapper::RankMapper;
use crate::session::{CountingOptions, Session};
use crate::{diagnosis, job, other_hosts};
use rankfold_mapper::cli::{output, terminal};
use rankfold_mapper::error::Error;
use rankfold_model::comm::CommError;
use rankfold_model::mapfile::han_is_right;
use rankfold_profile::{Numbers, Profile, Seat, Verification, env, read_seats};
use std::ffi::OsString;
use std::path::Path;

/// Exit status when the program succeeded on the wrong places.
const MISPLACED: u8 = 1;

/// A launch, and where its ranks shall be.
pub(in crate::commands) struct Relaunch<'a> {
    pub(super) launch: &'a Launch,
    pub(super) plan: &'a PlacementPlan,
    /// What messages call the plan.
    pub(super) map: &'a str,
    /// How the user wants it to take effect.
    pub(super) how: Option<PlacingMethod>,
    /// Who answers topologies that MPI may reorder, if not MPI.
    pub(super) topologies: Option<RankMapper>,
    /// Who makes another plan where the hosts turn out to be others.
    pub(super) solver: Option<RankMapper>,
}

/// What came of a launch with a plan.
pub(super) struct Placed {
    /// The program's exit status.
    pub(super) program: u8,
    /// Whether all ranks were where they were planned; `None` if nobody told.
    pub(super) verification: Option<Verification>,
    /// What the ranks counted, if they were asked to and have ended well.
    pub(super) profile: Option<Profile>,
}

impl Placed {
    /// The exit status: the program's own, or 1 where that is 0 and ranks that the user wants
    /// placed are elsewhere.
    pub(super) fn status(&self, wanted: bool) -> u8 {
        match self.program {
            0 if wanted && self.is_misplaced() => MISPLACED,
            status => status,
        }
    }

    /// Whether a rank was not where it was planned.
    pub(super) fn is_misplaced(&self) -> bool {
        let verification = self.verification.as_ref();
        verification.is_some_and(|verification| !verification.as_planned)
    }
}

impl<'a> Relaunch<'a> {
    /// With a plan and nothing else.
    pub(in crate::commands) fn new(
        launch: &'a Launch,
        plan: &'a PlacementPlan,
        map: &'a str,
        how: Option<PlacingMethod>,
    ) -> Self {
        Self {
            launch,
            plan,
            map,
            how,
            topologies: None,
            solver: None,
        }
    }
}

impl Relaunch<'_> {
    /// Runs the launch. The exit status is the program's own; if that is 0 and the placement is not
    /// as planned, it is 1. Ranks that left no record of where they ran change nothing.
    pub(super) fn run(&self) -> anyhow::Result<u8> {
        let session = Session::beside(Path::new("seats"))?;
        Ok(self.watched(&session, Vec::new())?.status(true))
    }

    /// The same, with the time inside MPI kept by a sample of the ranks.
    pub(super) fn measured(&self) -> anyhow::Result<Placed> {
        let session = Session::beside(Path::new("seats"))?;
        // Where journals have no room, the ranks are placed and not measured.
        if session.check_journals(self.plan.hosts.len()).is_err() {
            return self.watched(&session, Vec::new());
        }
        let mut placed = self.watched(&session, session.counting(CountingOptions::SAMPLED))?;
        placed.profile = Profile::read(&session.profile()).ok();
        if let Some(profile) = &mut placed.profile {
            profile.verification.clone_from(&placed.verification);
            profile.numbers = numbers(&session.seats(), profile.rows.len());
        } else {
            session.traces.sweep();
            if other_hosts::leaves_this_host(self.launch) {
                sweep_hosts(session, self.launch)?;
            }
        }
        Ok(placed)
    }

    /// Runs the launch, whose ranks see `more` variables, too.
    fn watched(
        &self,
        session: &Session,
        more: Vec<(&'static str, OsString)>,
    ) -> anyhow::Result<Placed> {
        let choice = placing_method::choose(self.launch, self.plan, self.how)?;
        let words = self.words(session, choice.how, more)?;
        // Without it, what is left if this process is killed is cleaned all the same.
        let _ = session.record(&named_after(self.launch.program()), self.launch);
        let seats = session.seats();
        let mut verified = None;
        let program = job::run(&words, |_| {
            // The record appears in one step, so what can be read is complete.
            if verified.is_none() && seats.exists() {
                verified = Some(report(self.plan, &seats, &choice));
            }
            verified.is_some()
        })?;
        if verified.is_none() && seats.exists() {
            verified = Some(report(self.plan, &seats, &choice));
        }
        if verified.is_none() {
            let why = diagnosis::silence(self.launch.program(), session.has_begun());
            terminal::warning(format_args!("placement not verified: {why}"));
        }
        Ok(Placed {
            program,
            verification: verified,
            profile: None,
        })
    }

    /// The command that would run, `measured` or not, and why that; its temporary directory is gone
    /// when this returns.
    pub(super) fn dry(&self, measured: bool) -> anyhow::Result<(String, MethodChoice)> {
        let session = Session::beside(Path::new("seats"))?;
        let choice = placing_method::choose(self.launch, self.plan, self.how)?;
        let more = match measured {
            true => session.counting(CountingOptions::SAMPLED),
            false => Vec::new(),
        };
        let words = self.words(&session, choice.how, more)?;
        Ok((launch::quoted(&words), choice))
    }

    /// The words of [`Relaunch::prepared`].
    fn words(
        &self,
        session: &Session,
        how: PlacingMethod,
        more: Vec<(&'static str, OsString)>,
    ) -> anyhow::Result<Vec<OsString>> {
        Ok(self.prepared(session, how, more)?.words())
    }

    /// The launch with what its launcher needs to place and to verify the ranks, which see `more`
    /// variables, too; writes the files it will read.
    pub(in crate::commands) fn prepared(
        &self,
        session: &Session,
        how: PlacingMethod,
        more: Vec<(&'static str, OsString)>,
    ) -> anyhow::Result<Launch> {
        let mut variables = [self.variables(), more].concat();
        if let Some(mapper) = &self.topologies {
            let file = session.file("topologies");
            mapper.write(&file)?;
            variables.push((env::REORDER, file.into()));
        }
        let mut launch = self.launch.clone();
        self.count(&mut launch)?;
        let launcher = launch.launcher;
        let file = session.file("hosts");
        let placing = match how {
            PlacingMethod::Native => {
                session.seating(&mut launch, variables)?;
                launcher.place(&mut launch.apps, self.plan, &file)?
            }
            PlacingMethod::Renumber => {
                let plan = session.file("plan");
                let order = self.plan.renumbering().map_err(LaunchError::from)?;
                order
                    .write(&plan)
                    .map_err(|error| Error::from(CommError::from(error)))?;
                if let Some(mapper) = &self.solver {
                    let file = session.file("solver");
                    mapper.write(&file)?;
                    variables.push((env::SOLVE, file.into()));
                }
                session.renumbering(&mut launch, &plan, variables)?;
                launcher.shape(&mut launch.apps, self.plan, &file)?
            }
        };
        for (path, text) in &placing.files {
            output::write(path, text.as_bytes())?;
        }
        if !placing.replaced.is_empty() {
            let replaced = placing.replaced.join(" ");
            terminal::note(format_args!("the placement replaces your {replaced}"));
        }
        Ok(launch)
    }

    /// What the ranks of Open MPI have to see where another launcher than its own starts them: some
    /// of its collectives return wrong data for most placements.
    fn variables(&self) -> Vec<(&'static str, OsString)> {
        const COLLECTIVES: &str = "OMPI_MCA_coll";
        let affected = self.launch.launcher.chooses_hosts()
            && launch::library(&self.launch.apps) == Some(launch::Library::OpenMpi)
            && !han_is_right(&self.plan.hosts);
        match affected && std::env::var_os(COLLECTIVES).is_none() {
            true => vec![(COLLECTIVES, "^han".into())],
            false => Vec::new(),
        }
    }

    /// Inserts `-n RANKS` where the user gave no number of ranks. One that was given must be the
    /// plan's.
    fn count(&self, launch: &mut Launch) -> Result<(), LaunchError> {
        let placed = self.plan.hosts.len();
        match launch.ranks()? {
            None => {
                if let ([app], Some(option)) = (&mut launch.apps[..], launch.launcher.counts()) {
                    app.inserted
                        .extend([option.into(), placed.to_string().into()]);
                }
                Ok(())
            }
            Some((ranks, _)) if ranks == placed => Ok(()),
            Some((ranks, option)) => Err(LaunchError::WrongRanks {
                map: self.map.into(),
                placed,
                ranks,
                option,
            }),
        }
    }
}

/// Prints one line about the placement, and returns it.
fn report(plan: &PlacementPlan, seats: &Path, choice: &MethodChoice) -> Verification {
    let verification = compare(plan, seats, choice);
    tell_verification(&verification);
    verification
}

/// Whether the ranks are as planned by the seats record, in one line.
fn compare(plan: &PlacementPlan, seats: &Path, choice: &MethodChoice) -> Verification {
    let anew = PlacementPlan::solved_anew(seats);
    match remarks(plan, anew.as_deref(), seats, choice) {
        Ok(remarks) => {
            let ranks = plan.hosts.len();
            let solved = anew.map(|_| "of a map solved anew for these hosts".into());
            let verified = [
                vec![format!("placement verified {ranks}/{ranks}")],
                solved.into_iter().collect(),
                remarks,
            ];
            Verification {
                as_planned: true,
                line: verified.concat().join("; "),
            }
        }
        Err(problem) => Verification {
            as_planned: false,
            line: format!("placement not as planned: {problem}"),
        },
    }
}

/// What there is to say of ranks that are where `plan`, or the hosts of one made `anew`, has them.
///
/// # Errors
/// They are elsewhere, or the record cannot be read; in words.
fn remarks(
    plan: &PlacementPlan,
    anew: Option<&[String]>,
    seats: &Path,
    choice: &MethodChoice,
) -> Result<Vec<String>, String> {
    let seats = read_seats(seats).map_err(|error| error.to_string())?;
    let renumbered = choice.how == PlacingMethod::Renumber;
    let words = |mismatch: Mismatch| mismatch.to_string();
    let hosts = accept(anew.unwrap_or(&plan.hosts), &seats, renumbered).map_err(words)?;
    let cores = match anew {
        None => plan.check_cores(&seats, choice.binds).map_err(words)?,
        // That plan is of hosts alone.
        Some(_) => Vec::new(),
    };
    Ok([hosts, cores].concat())
}

/// What the seats record tells of all `ranks` besides their hosts and cores; nothing where it is
/// not of as many.
fn numbers(seats: &Path, ranks: usize) -> Vec<Numbers> {
    let seats = read_seats(seats).unwrap_or_default();
    let seats = if seats.len() == ranks {
        seats
    } else {
        Vec::new()
    };
    let of = |seat: Seat| Numbers {
        launcher_rank: seat.launcher_rank,
        shared_with: seat.shared_with,
    };
    seats.into_iter().map(of).collect()
}
