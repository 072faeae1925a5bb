//! `rankfold report --diff A B`: compares two runs, or two placements of one run.

use super::super::mapfile as maps;
use super::{Args, facts, read, title};
use crate::cli::as_launched::profile;
use crate::cli::input::InputArgs;
use crate::error::Error;
use rankfold_model::machine::Machine;
use rankfold_model::{CommGraph, Placement};
use rankfold_report::data::Report;
use rankfold_report::gather::{NamedPlacement, ReportInput, gather};
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
    let graph = |file: &PathBuf| -> Result<CommGraph, Error> {
        Ok(args
            .search
            .exchange
            .of(InputArgs::of(file.clone()).graph()?))
    };
    let (a, b) = (graph(files[0])?, graph(files[1])?);
    let machine = args.machine.as_deref().map(|spec| args.nodes.build(spec));
    let machine: Option<Machine> = machine.transpose()?;
    if let Some(machine) = &machine {
        let most = a.ranks().max(b.ranks());
        machine.check_fits(most).map_err(Error::from)?;
    }
    let profile = profile(files[1])?;
    let (blocks, names) = (
        [&a, &b].map(|graph| Placement::block(graph.ranks())),
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
    Ok(report)
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
