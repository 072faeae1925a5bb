//! Compares the seats of a run with its plan, and with the seats that the launch makes by itself.

use crate::commands::profile::tell_verification;
use rankfold_console::terminal;
use rankfold_launch::placement::{LaunchedSeats, Mismatch, PlacementPlan, accept};
use rankfold_launch::placing_method::{LostSeat, MethodChoice, PlacingMethod};
use rankfold_wire::{Numbers, Seat, Verification, read_seats};
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;

/// What a run is compared with.
pub(super) struct Verdict<'a> {
    pub(super) plan: &'a PlacementPlan,
    /// The seats of the launch as the user has given it, where they are known.
    pub(super) launched: Option<&'a LaunchedSeats>,
    pub(super) choice: &'a MethodChoice,
    /// What follows where the launcher does not keep a seat.
    pub(super) lost_seat: LostSeat,
}

impl Verdict<'_> {
    /// Compares the seats record with the plan and with the seats of the launch as the user has
    /// given it, and prints and returns the verdict.
    pub(super) fn report(&self, seats: &Path) -> Verification {
        let judged = read_seats(seats)
            .map_err(|error| error.to_string())
            .and_then(|seated| self.judge(&seated, PlacementPlan::solved_anew(seats)));
        let verification = match judged {
            Ok(line) => Verification {
                as_planned: true,
                line,
            },
            Err(problem) => Verification {
                as_planned: false,
                line: format!("placement not as planned: {problem}"),
            },
        };
        tell_verification(&verification);
        verification
    }

    /// Ends the job of this launcher if it was told to place ranks and does not keep a seat, unless
    /// the user only wants to know. Returns whether it did.
    pub(super) fn stops(&self, seats: &Path, launcher: Option<&Pid>) -> bool {
        let is_told = self.choice.how == PlacingMethod::Native && self.lost_seat == LostSeat::Stop;
        let kept = read_seats(seats).ok().and_then(|seats| self.kept(&seats));
        let Some(launcher) = launcher.filter(|_| is_told && kept.is_some_and(|(all, _)| !all))
        else {
            return false;
        };
        terminal::warning("the job is ended before it computes: --lost-seat warn lets it go on");
        kill_process(*launcher, Signal::TERM).is_ok()
    }

    /// Compares the seats of all ranks with the plan. Returns the words for the user on placement
    /// and cores. If the ranks have solved the plan anew, their hosts are those of `anew`.
    ///
    /// # Errors
    /// A rank runs elsewhere, or the launcher was told to place ranks and gives one another seat
    /// than the launch by itself; the error is a text for the user.
    fn judge(&self, seats: &[Seat], anew: Option<Vec<String>>) -> Result<String, String> {
        let is_native = self.choice.how == PlacingMethod::Native;
        let kept = self.kept(seats);
        if self.choice.how == PlacingMethod::AsLaunched {
            let text = [Some("not placed".into()), kept.map(|(_, words)| words)];
            return Ok(text.into_iter().flatten().collect::<Vec<_>>().join("; "));
        }
        let words = |mismatch: Mismatch| mismatch.to_string();
        let hosts = anew.as_ref().unwrap_or(&self.plan.hosts);
        let remarks = accept(hosts, seats, !is_native).map_err(words)?;
        let cores = match anew {
            None => self.plan.check_cores(seats, is_native).map_err(words)?,
            // A plan that ranks have made names hosts only.
            Some(_) => Vec::new(),
        };
        if let Some((false, words)) = &kept
            && is_native
            && self.lost_seat == LostSeat::Stop
        {
            return Err(words.clone());
        }
        let ranks = hosts.len();
        let text = [
            vec![format!("placement verified {ranks}/{ranks}")],
            kept.map(|(_, words)| words).into_iter().collect(),
            anew.map(|_| "of a map solved anew for these hosts".into())
                .into_iter()
                .collect(),
            remarks,
            cores,
        ];
        Ok(text.concat().join("; "))
    }

    /// Whether all seats are those of the launch as the user has given it, and how many are, in
    /// words. `None` where these are not known, or a rankfile of the user takes their place.
    fn kept(&self, seats: &[Seat]) -> Option<(bool, String)> {
        let launched = self.launched?;
        let kept = launched.compare(seats);
        Some((kept.first_lost.is_none(), kept.words(seats)))
    }
}

/// The launcher's rank numbers and shared-memory groups of all ranks, from the seats record; empty
/// where the record is not of this number of ranks.
pub(super) fn numbers(seats: &Path, ranks: usize) -> Vec<Numbers> {
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
