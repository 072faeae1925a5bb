//! Commands that rankfold itself starts, as ranks, on other hosts or beside a launch. The command
//! line of users does not have them: they are in no help, no completion and no suggestion.

use super::{doctor, host_task, probe, script};
use crate::{other_hosts, seats, signal_observer};
use anyhow::Context;
use clap::Parser;
use rankfold_console::terminal;

/// A command line whose first word is the name of an internal command.
#[derive(Debug, clap::Parser)]
pub(super) struct Internal {
    #[command(flatten)]
    terminal: terminal::Args,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Be a rank that measures
    #[command(name = probe::RANK)]
    ProbeRank(probe::RankArgs),
    /// Be a rank of a launch that is examined
    #[command(name = doctor::RANK)]
    DoctorRank(doctor::RankArgs),
    /// Tell the seat of this process
    #[command(name = seats::COMMAND)]
    SeatRank,
    /// Fetch or remove what a run has left on this host
    #[command(name = other_hosts::COMMAND)]
    HostTask(host_task::Args),
    /// Profile or run one launch of a script
    #[command(name = script::COMMAND)]
    Step(script::Args),
    /// Tell what signals arrive, for the process that started this one
    #[command(name = signal_observer::COMMAND)]
    ObserveSignals,
}

impl Internal {
    /// The internal command of this process, if its first word names one.
    pub(super) fn asked_for() -> Option<Self> {
        let first = std::env::args_os().nth(1)?;
        first
            .to_str()
            .is_some_and(<Command as clap::Subcommand>::has_subcommand)
            .then(Self::parse)
    }

    /// Runs the command; returns the exit status.
    pub(super) fn run(self) -> anyhow::Result<u8> {
        self.terminal.apply();
        match self.command {
            Command::ProbeRank(args) => probe::rank(&args),
            Command::DoctorRank(args) => doctor::rank(&args),
            Command::SeatRank => {
                seats::tell_own();
                Ok(0)
            }
            Command::HostTask(args) => host_task::run(&args),
            Command::Step(args) => script::step(&args),
            Command::ObserveSignals => signal_observer::observe()
                .map(|()| 0)
                .context("cannot catch signals"),
        }
    }
}
