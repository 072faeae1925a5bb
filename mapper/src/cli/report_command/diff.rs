//! `rankfold report --diff A B`: compares two runs, or two placements of one run.

use super::super::mapfile as maps;
use super::{Args, facts, read, title};
use crate::cli::input::{InputArgs, graph_of};
use crate::cli::launched::profile;
use crate::cli::terminal;
use crate::error::Error;
use rankfold_base::Placement;
use rankfold_formats::{Collectives, Reading};
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_report::data::{Measured, Report};
use rankfold_report::gather::{NamedPlacement, ReportInput, gather};
use rankfold_wire::{CallClass, Profile, Time};
use std::path::{Path, PathBuf};

/// Reports on two placements of the input.
pub(super) fn placements(
    args: &Args,
    input: &InputArgs,
    maps: [&Path; 2],
) -> anyhow::Result<Report> {
    let Some(spec) = &args.machine else {
        return Err(refused(
            maps,
            "two placements are compared on a machine: add --machine",
        )
        .into());
    };
    let machine = args.nodes.build(spec)?;
    let graph = args.search.exchange.of(input.graph()?);
    machine.check_fits(graph.ranks()).map_err(Error::from)?;
    let from = maps::from(args.from.as_deref())?;
    let [a, b] = maps.map(|map| read(map, from, &machine, graph.ranks()));
    let (a, b) = (a?, b?);
    let profile = profile(input.path())?;
    let (called, [first, second]) = (title(input.path()), maps.map(title));
    let mut scene = ReportInput::new(&called, &graph);
    if let Some(profile) = &profile {
        scene = scene.with_profile(profile);
    }
    let sides = [
        NamedPlacement::new(&first, &a),
        NamedPlacement::new(&second, &b),
    ];
    let mut report = gather(&scene.on(&machine, sides));
    facts::add(&mut report, &args.search, input.path(), profile.is_some());
    Ok(report)
}

/// Reports on two runs. If a machine is given, both are drawn in block order.
pub(super) fn runs(args: &Args, files: [&PathBuf; 2]) -> anyhow::Result<Report> {
    let read = |file: &PathBuf| InputArgs::of(file.clone()).reading(Collectives::IfTheyCanMatter);
    let (a, b) = (read(files[0])?, read(files[1])?);
    let ranks = [&a, &b].map(|reading| reading.traffic.ranks());
    if ranks[0] != ranks[1] {
        let [a, b] = ranks;
        let problem = format!(
            "the runs are of {a} and {b} ranks: rank by rank there is nothing to compare; report on each alone"
        );
        return Err(refused(files.map(PathBuf::as_path), &problem).into());
    }
    a.notes.iter().chain(&b.notes).for_each(terminal::note);
    let graph = |reading: Reading, file: &Path| -> Result<CommGraph, Error> {
        Ok(args.search.exchange.of(graph_of(reading, file)?))
    };
    let (a, b) = (graph(a, files[0])?, graph(b, files[1])?);
    let machine = args.machine.as_deref().map(|spec| args.nodes.build(spec));
    let machine: Option<Machine> = machine.transpose()?;
    if let Some(machine) = &machine {
        machine.check_fits(b.ranks()).map_err(Error::from)?;
    }
    let (profile_of_a, profile) = (profile(files[0])?, profile(files[1])?);
    let (blocks, names) = (
        [&a, &b].map(|graph| match &machine {
            Some(machine) => machine.block_order(graph.ranks()),
            None => Placement::block(graph.ranks()),
        }),
        files.map(|file| title(file)),
    );
    let sides = [
        NamedPlacement::new(&names[0], &blocks[0]).of(&a),
        NamedPlacement::new(&names[1], &blocks[1]).of(&b),
    ];
    let called = names.join(" and ");
    let mut scene = ReportInput::new(&called, &b);
    if let Some(profile) = &profile {
        scene = scene.with_profile(profile);
    }
    let mut report = gather(&match &machine {
        Some(machine) => scene.on(machine, sides),
        None => scene.beside(sides),
    });
    facts::add(&mut report, &args.search, files[1], profile.is_some());
    report.run.remarks.push(format!(
        "Calls and the facts of the job are those of {}.",
        names[1]
    ));
    let [before, after] = [profile_of_a, profile].map(|profile| profile.as_ref().and_then(in_mpi));
    if let (Some(before), Some(after)) = (before, after) {
        report.measured = Some(Measured {
            before: Some(before),
            after: Some(after),
            ..Measured::default()
        });
    }
    Ok(report)
}

/// Seconds inside MPI, as the mean over the ranks; `None` where the profile has no times.
fn in_mpi(profile: &Profile) -> Option<f64> {
    let ranks = profile.times.len();
    let inside = profile.times.iter().flatten();
    let inside = inside.filter(|time| time.class != CallClass::Run);
    let seconds: f64 = inside.map(Time::seconds).sum();
    (ranks > 0 && seconds > 0.0).then(|| seconds / ranks as f64)
}

fn refused(files: [&Path; 2], problem: &str) -> Error {
    Error::Flag {
        flag: "--diff",
        value: files
            .map(|file| file.to_string_lossy().into_owned())
            .join(" "),
        problem: problem.into(),
    }
}
