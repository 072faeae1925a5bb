//! What a report says besides its figures: what nobody told of the machine, what other hosts would
//! change, and the command lines, versions and seed that reproduce it.

use crate::cli::assumed::AssumedCapacities;
use crate::cli::options::SearchArgs;
use crate::cli::other_hosts::OtherHosts;
use rankfold_assess::Saving;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_machine::Machine;
use rankfold_report::data::Report;
use std::path::Path;

/// What nobody told of the machine, and what other hosts would change for the second of two
/// placements: one sentence each, as `map` prints them.
pub(super) fn what_to_know(
    graph: &CommGraph,
    machine: &Machine,
    both: [&Placement; 2],
) -> Vec<String> {
    let saving = Saving::assumed(graph, machine, both);
    let assumed = saving.map(|it| AssumedCapacities::of(&it, it.as_taken).to_string());
    let placement = both[1];
    let other = OtherHosts::of(graph, machine, placement).map(|it| it.to_string());
    let lines = assumed.into_iter().chain(other);
    lines
        .flat_map(|lines| lines.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// Adds commands and facts to a report. `search` holds the options of the search, if there was one.
pub(super) fn add(report: &mut Report, search: &SearchArgs, input: &Path, is_profile: bool) {
    if !is_profile {
        let ending = input.extension().unwrap_or_default();
        report.run.format = format!(".{} file", ending.to_string_lossy());
    }
    let words = std::env::args_os()
        .enumerate()
        .map(|(place, word)| match place {
            0 => "rankfold".to_owned(),
            _ => {
                let word = word.to_string_lossy();
                shlex::try_quote(&word)
                    .map_or_else(|_| word.to_string(), |quoted| quoted.to_string())
            }
        });
    let command = words.collect::<Vec<_>>().join(" ");
    report.reproduce.commands.extend(report.run.command.clone());
    report.reproduce.commands.push(command);
    let mut fact = |name: &str, value: Option<String>| {
        let value = value.filter(|value| !value.is_empty());
        report
            .reproduce
            .facts
            .extend(value.map(|value| [name.to_owned(), value]));
    };
    let run = &report.run;
    fact("Program", run.program.clone());
    fact("User", run.user.clone());
    fact("MPI", run.mpi.clone());
    fact("Input", Some(format!("{}, {}", report.title, run.format)));
    fact("Date", run.date.clone());
    fact("Hosts", run.hosts.map(|hosts| hosts.to_string()));
    fact("rankfold", Some(report.version.clone()));
    if let Some(machine) = &report.machine {
        let built = match machine.switches {
            0 => format!(
                "{}: {} nodes, {} links",
                machine.spec, machine.nodes, machine.links
            ),
            switches => format!(
                "{}: {} nodes, {switches} switches, {} links",
                machine.spec, machine.nodes, machine.links
            ),
        };
        fact("Machine", Some(built));
        fact("Routing", Some(machine.routing.clone()));
    }
    if report.candidates.is_some() {
        let request = search.request();
        let effort = format!("{:?}", request.effort).to_lowercase();
        fact("Seed, effort", Some(format!("{}, {effort}", request.seed)));
    }
}
