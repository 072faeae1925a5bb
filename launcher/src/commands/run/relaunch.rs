//! Runs the user's launch with a placement. The processes themselves report where they run, and the
//! report is compared with the plan.

use super::verdict::{Verdict, numbers};
use crate::commands::profile::{named_after, sweep_hosts, tell_verification};
use crate::rank_mapper::RankMapper;
use crate::session::{CountingOptions, Session};
use crate::torchrun_nodes::{self, TorchrunNodes};
use crate::{job, other_hosts, seats};
use anyhow::Context;
use rankfold_console::{output, terminal};
use rankfold_graph::CommError;
use rankfold_launch::diagnosis;
use rankfold_launch::error::LaunchError;
use rankfold_launch::launch::{self, Launch, PlacementFiles};
use rankfold_launch::placement::{LaunchedSeats, PlacementPlan};
use rankfold_launch::placing_method::{
    self, BareLaunch, LostSeat, MethodChoice, PlacingMethod, seated,
};
use rankfold_mapfile::han_is_right;
use rankfold_mapper::error::Error;
use rankfold_wire::{Profile, Verification, env};
use rustix::process::Pid;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The exit status if the program succeeds and ranks do not run where they are planned.
const MISPLACED: u8 = 1;

/// A launch with a plan for its ranks.
pub(in crate::commands) struct Relaunch<'a> {
    pub(super) launch: &'a Launch,
    pub(super) plan: &'a PlacementPlan,
    /// The name of the plan in messages.
    pub(super) map: &'a str,
    /// The method that the user asks for, by `--how`.
    pub(super) how: Option<PlacingMethod>,
    /// The mapper that answers topology functions in place of MPI, if that is asked for.
    pub(super) topologies: Option<RankMapper>,
    /// The mapper that makes another plan inside `MPI_Init` if the job has other hosts than the
    /// plan.
    pub(super) solver: Option<RankMapper>,
    /// What follows where the launcher does not keep a seat.
    pub(super) lost_seat: LostSeat,
    /// Why the ranks are not to be renumbered on this machine, if they are not.
    pub(in crate::commands) slower: Option<String>,
    /// What is known of the launch as the user has given it. It is asked for once.
    pub(super) bare: OnceLock<BareLaunch>,
}

/// The result of a launch with a plan.
pub(super) struct Placed {
    /// The program's exit status.
    pub(super) program: u8,
    /// How the ranks were placed, or that they ran as launched.
    pub(super) how: PlacingMethod,
    /// The time from the start of the launch to its end.
    pub(super) elapsed: Duration,
    /// Whether all ranks ran where they were planned; `None` if the ranks did not report it.
    pub(super) verification: Option<Verification>,
    /// The profile, if the ranks were to count and have ended regularly.
    pub(super) profile: Option<Profile>,
}

impl Placed {
    /// The exit status: the program's own, or [`MISPLACED`] if that is 0, the user has `wanted`
    /// this placement and a rank ran elsewhere.
    pub(super) fn status(&self, wanted: bool) -> u8 {
        match self.program {
            0 if wanted && self.is_misplaced() => MISPLACED,
            status => status,
        }
    }

    /// Whether a rank is known to have run elsewhere than planned.
    pub(super) fn is_misplaced(&self) -> bool {
        let verification = self.verification.as_ref();
        verification.is_some_and(|verification| !verification.as_planned)
    }
}

impl<'a> Relaunch<'a> {
    /// A launch with a plan, without mappers for the ranks.
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
            lost_seat: LostSeat::default(),
            slower: None,
            bare: OnceLock::new(),
        }
    }

    /// This launch, whose seats are known to be `launched` if they are given.
    pub(super) fn with_seats(self, launched: Option<LaunchedSeats>) -> Self {
        if let Some(seats) = launched {
            let bare = BareLaunch {
                seats: Some(seats),
                ..BareLaunch::default()
            };
            // Nothing has asked the launch yet.
            let _ = self.bare.set(bare);
        }
        self
    }
}

impl Relaunch<'_> {
    /// Runs the launch. The exit status is the program's own, or [`MISPLACED`] if that is 0 and a
    /// rank is known to have run elsewhere than planned.
    pub(super) fn run(&self) -> anyhow::Result<u8> {
        let session = Session::beside(Path::new("seats"))?;
        Ok(self.watched(&session, Vec::new())?.status(true))
    }

    /// Runs the launch, and a sample of the ranks measures the time inside MPI.
    pub(super) fn measured(&self) -> anyhow::Result<Placed> {
        let session = Session::beside(Path::new("seats"))?;
        // Without a directory for journals, the ranks are placed and nothing is measured.
        if !session.has_journals() {
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

    /// Runs the launch and verifies it. The ranks see the variables `more`, too.
    fn watched(
        &self,
        session: &Session,
        more: Vec<(&'static str, OsString)>,
    ) -> anyhow::Result<Placed> {
        if let Some(nodes) = torchrun_nodes::of(self.launch, self.plan, session.directory())? {
            std::fs::create_dir_all(&nodes.notes).context("a directory for the names of nodes")?;
            return self
                .by_nodes(&nodes)
                .placed(session, more, Some(&nodes.notes));
        }
        self.placed(session, more, None)
    }

    /// This launch with the order of nodes in place of that of ranks.
    fn by_nodes<'a>(&'a self, nodes: &'a TorchrunNodes) -> Relaunch<'a> {
        Relaunch::new(&nodes.launch, &nodes.plan, self.map, self.how)
    }

    /// As [`Relaunch::watched`]. Nodes of `torchrun` note their names in the directory `notes`.
    fn placed(
        &self,
        session: &Session,
        more: Vec<(&'static str, OsString)>,
        notes: Option<&Path>,
    ) -> anyhow::Result<Placed> {
        let choice = self.choice(false)?;
        if choice.how == PlacingMethod::AsLaunched {
            terminal::warning(&choice);
        }
        let words = self.words(session, choice.how, more)?;
        // Without this record `rankfold clean` still finds the files by their directory if this
        // process is killed.
        let _ = session.record(&named_after(self.launch.name()), self.launch);
        let seats = session.seats();
        let mut verified = None;
        let clock = Instant::now();
        let verdict = Verdict {
            plan: self.plan,
            launched: self.bare().seats.as_ref(),
            choice: &choice,
            lost_seat: self.lost_seat,
        };
        let launcher = OnceLock::new();
        let mut is_stopped = false;
        let mut program = job::run_with(
            Command::new(&words[0]).args(&words[1..]),
            job::Ranks::Program,
            |child| {
                // Nothing else sets it.
                let _ = launcher.set(Pid::from_child(child));
            },
            |_| {
                // The record is renamed into place, so a record that exists is complete.
                if verified.is_none() && seats.exists() {
                    verified = Some(verdict.report(&seats));
                    is_stopped = verdict.stops(&seats, launcher.get());
                }
                verified.is_some()
            },
            |_, _| (),
        )?;
        if is_stopped {
            program = MISPLACED;
        }
        let elapsed = clock.elapsed();
        if verified.is_none() && seats.exists() {
            verified = Some(verdict.report(&seats));
        }
        if verified.is_none() {
            verified = notes.and_then(|notes| torchrun_nodes::verification(self.plan, notes));
            verified.iter().for_each(tell_verification);
        }
        if verified.is_none() {
            terminal::warning(diagnosis::silence(
                self.launch.ended(program),
                session.has_begun(),
                "placement not verified",
            ));
        }
        Ok(Placed {
            program,
            how: choice.how,
            elapsed,
            verification: verified,
            profile: None,
        })
    }

    /// The command that would run, and the method with the reason for its choice. The temporary
    /// directory in the command is removed before this returns.
    pub(super) fn dry(&self, measured: bool) -> anyhow::Result<(String, MethodChoice)> {
        let session = Session::beside(Path::new("seats"))?;
        let nodes = torchrun_nodes::of(self.launch, self.plan, session.directory())?;
        if let Some(nodes) = nodes {
            return self.by_nodes(&nodes).dry_in(&session, measured);
        }
        self.dry_in(&session, measured)
    }

    /// As [`Relaunch::dry`], with the files of `session`.
    fn dry_in(&self, session: &Session, measured: bool) -> anyhow::Result<(String, MethodChoice)> {
        let choice = self.choice(true)?;
        let more = if measured {
            session.counting(CountingOptions::SAMPLED)
        } else {
            Vec::new()
        };
        let words = self.words(session, choice.how, more)?;
        Ok((launch::quoted(&words), choice))
    }

    /// The method by which ranks are placed. In a dry run nothing is started to find out more about
    /// the launch, unless a mapfile has to be written for it.
    pub(in crate::commands) fn choice(&self, dry: bool) -> anyhow::Result<MethodChoice> {
        let knows_enough = self.plan.rankfile.is_some()
            || self.plan.hosts_are_open
            || dry && self.how != Some(PlacingMethod::Native);
        if self.bare.get().is_none() && !knows_enough {
            // Nothing else sets it meanwhile.
            let _ = self.bare.set(seats::ask(self.launch, self.plan)?);
        }
        Ok(placing_method::choose(
            self.launch,
            self.plan,
            self.how,
            self.slower.as_deref(),
            self.bare(),
        )?)
    }

    fn bare(&self) -> &BareLaunch {
        static NOTHING: BareLaunch = BareLaunch {
            seats: None,
            starts_nothing: false,
        };
        self.bare.get().unwrap_or(&NOTHING)
    }

    /// The command line of [`Relaunch::prepared`].
    fn words(
        &self,
        session: &Session,
        how: PlacingMethod,
        more: Vec<(&'static str, OsString)>,
    ) -> anyhow::Result<Vec<OsString>> {
        Ok(self.prepared(session, how, more)?.words())
    }

    /// The launch with the options and variables that place and verify its ranks. The ranks see the
    /// variables `more`, too. The files that the launcher reads are written.
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
        let launcher = launch.launcher;
        self.check_count()?;
        let placing = match how {
            PlacingMethod::AsLaunched => {
                session.seating(&mut launch, variables)?;
                return Ok(launch);
            }
            PlacingMethod::Native => {
                self.count(&mut launch)?;
                session.seating(&mut launch, variables)?;
                let plan = seated(self.plan, self.bare());
                launcher.place(&mut launch.apps, &plan, &session.file("hosts"))?
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
                PlacementFiles::default()
            }
        };
        launcher.guard(&mut launch.apps, self.plan);
        for (path, text) in &placing.files {
            output::write(path, text.as_bytes())?;
        }
        if !placing.replaced.is_empty() {
            let replaced = placing.replaced.join(" ");
            terminal::note(format_args!("the placement replaces your {replaced}"));
        }
        Ok(launch)
    }

    /// The variable that ranks of Open MPI need if another launcher starts them: the collectives of
    /// `coll/han` return wrong data for most placements.
    fn variables(&self) -> Vec<(&'static str, OsString)> {
        const COLLECTIVES: &str = "OMPI_MCA_coll";
        let affected = self.launch.launcher.chooses_hosts()
            && launch::library(&self.launch.apps) == Some(launch::Library::OpenMpi)
            && !han_is_right(&self.plan.hosts);
        if affected && std::env::var_os(COLLECTIVES).is_none() {
            vec![(COLLECTIVES, "^han".into())]
        } else {
            Vec::new()
        }
    }

    /// # Errors
    /// The user gives another number of ranks than the plan has.
    fn check_count(&self) -> Result<(), LaunchError> {
        let placed = self.plan.hosts.len();
        match self.launch.ranks()? {
            Some((ranks, option)) if ranks != placed => Err(LaunchError::WrongRanks {
                map: self.map.into(),
                placed,
                ranks,
                option,
            }),
            _ => Ok(()),
        }
    }

    /// Inserts `-n RANKS` where the user gives no number of ranks.
    fn count(&self, launch: &mut Launch) -> Result<(), LaunchError> {
        let is_open = launch.ranks()?.is_none();
        if let ([app], Some(option)) = (&mut launch.apps[..], launch.launcher.counts())
            && is_open
        {
            let ranks = self.plan.hosts.len().to_string();
            app.inserted.extend([option.into(), ranks.into()]);
        }
        Ok(())
    }
}
