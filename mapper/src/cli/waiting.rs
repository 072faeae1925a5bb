//! Who waits for whom in a replayed placement, in words.

use rankfold_base::words::counted;
use rankfold_base::{ChannelId, NodeId};
use rankfold_machine::{Machine, Structure, hosts};
use rankfold_metric::replay::{ExchangeWay, Replay, Wait};
use rankfold_problem::objective::printed_time;
use std::fmt::Write;

/// The most messages of a critical path that are told one by one.
const TOLD: usize = 5;

/// The rank that waits longest in the longest exchange, and the messages that it waits for through
/// others, one line each. Empty if nobody waits.
pub(super) fn in_words(replay: &Replay, machine: &Machine) -> String {
    let mut text = String::new();
    let Some(exchange) = replay.longest() else {
        return text;
    };
    let Some((last, before)) = exchange.critical_path.split_first() else {
        return text;
    };
    let (total, way) = (printed(exchange.total, machine), way_in_words(exchange.way));
    let (rank, partner, over) = (last.rank, last.partner(), over(last, machine));
    // Writing to a string does not fail.
    let _ = writeln!(text, "  an exchange {way} takes {total}");
    let _ = writeln!(
        text,
        "  rank {rank} waits longest, for rank {partner}{over}"
    );
    for wait in before.iter().take(TOLD) {
        let (rank, partner) = (wait.rank, wait.partner());
        let (over, arrived) = (self::over(wait, machine), printed(wait.arrived, machine));
        let _ = writeln!(
            text,
            "    before that, rank {rank} waits for rank {partner}{over}, until {arrived}"
        );
    }
    if before.len() > TOLD {
        let more = counted(before.len() - TOLD, "earlier message");
        let _ = writeln!(text, "    and so on, {more}");
    }
    text
}

fn printed(time: f64, machine: &Machine) -> String {
    printed_time(time, machine.topology().unit())
}

fn way_in_words(way: ExchangeWay) -> String {
    match way {
        ExchangeWay::AllAtOnce | ExchangeWay::InTurns(..=1) => "with all partners at once".into(),
        ExchangeWay::PartnerByPartner => "partner by partner".into(),
        ExchangeWay::InTurns(turns) => format!("in {turns} turns"),
    }
}

/// The link that a message waits for: ` over link (3,1)-(4,1)`.
fn over(wait: &Wait, machine: &Machine) -> String {
    match wait.limit {
        Some(channel) => format!(" over link {}", link(channel, machine)),
        None => " inside their node".into(),
    }
}

fn link(channel: ChannelId, machine: &Machine) -> String {
    match machine.topology().ends().get(channel.index()) {
        Some(&Some((from, to))) => format!("{}-{}", vertex(from, machine), vertex(to, machine)),
        _ => channel.to_string(),
    }
}

fn vertex(vertex: u32, machine: &Machine) -> String {
    match (vertex as usize).checked_sub(machine.topology().nodes()) {
        None => node(NodeId(vertex), machine),
        Some(switch) => format!("switch {switch}"),
    }
}

/// The host name of a node, else its coordinates, else its number.
fn node(node: NodeId, machine: &Machine) -> String {
    let name = machine.hosts().map(|names| &names[node.index()]);
    if let Some(name) = name.filter(|name| *name != hosts::UNUSABLE) {
        return name.clone();
    }
    let Structure::Grid(grid) = machine.topology().structure() else {
        return format!("node {node}");
    };
    let at = grid.coordinates(node);
    let at: Vec<String> = at.iter().map(ToString::to_string).collect();
    format!("({})", at.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_base::Placement;
    use rankfold_graph::exchange::PAIRWISE;
    use rankfold_graph::samples::{graph, message};
    use rankfold_machine::samples::machine;
    use rankfold_metric::replay::ReplayModel;

    #[test]
    fn the_rank_that_waits_longest_and_those_it_waits_for_are_named_with_their_links() {
        let bytes = 1 << 20;
        let graph = graph(3, vec![message(0, 1, bytes), message(1, 2, bytes)]);
        let graph = graph.with_exchange(PAIRWISE);
        let machine = machine("mesh:3x1", 1);
        let model = ReplayModel::new(&graph, &machine).unwrap();
        let replay = model.replay(&Placement::block(3), u64::MAX).unwrap();
        let expected = "  an exchange partner by partner takes 2.097MB\n\
                        \x20 rank 1 waits longest, for rank 2 over link (1,0)-(2,0)\n\
                        \x20   before that, rank 1 waits for rank 0 over link (0,0)-(1,0), until 1.049MB\n";
        assert_eq!(in_words(&replay, &machine), expected);
    }
}
