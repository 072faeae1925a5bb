//! Constraints where whole hosts are moved: each host's ranks are one.

use super::{Constraints, Demand, Infeasible, Rule, Seat, Start};
use crate::hosts::HostCase;
use rankfold_base::{NodeId, Placement, Rank};
use rankfold_machine::Machine;

impl Constraints {
    /// The constraints of hosts with `each` ranks in a row, which are those of `hosts`, from the
    /// constraints of ranks on `machine`.
    ///
    /// # Errors
    /// [`Infeasible`]: ranks of one host are to be apart, ranks of two hosts together, or a rank
    /// elsewhere on its host than in its order.
    pub fn of_hosts(
        &self,
        hosts: &HostCase,
        machine: &Machine,
        each: usize,
    ) -> Result<Self, Infeasible> {
        if !self.sizes.are_one() {
            return Err(Infeasible::BreaksHosts {
                origin: self.sizes.origin().to_owned(),
                each,
            });
        }
        let ranks = hosts.graph.ranks();
        let host = |rank: &Rank| Rank::at(rank.index() / each);
        let breaks = |origin: &str| Infeasible::BreaksHosts {
            origin: origin.to_owned(),
            each,
        };
        let mut rules = Vec::new();
        for rule in &self.rules {
            let hosts_of = |members: &[Rank]| members.iter().map(host).collect::<Vec<Rank>>();
            let demand = match &rule.demand {
                Demand::Stay(rank, seat) => {
                    let node = match seat {
                        Seat::Node(node) => *node,
                        Seat::Slot(slot) => {
                            let node = machine.slots().node_of(*slot);
                            let place = machine.slots().on(node).position(|it| it == *slot);
                            if place != Some(rank.index() % each) {
                                return Err(breaks(&rule.origin));
                            }
                            node
                        }
                    };
                    Demand::Stay(host(rank), Seat::Node(node))
                }
                Demand::Together(members) => {
                    let all = hosts_of(members);
                    if all.iter().any(|it| *it != all[0]) {
                        return Err(breaks(&rule.origin));
                    }
                    continue;
                }
                Demand::AtMost(..) => return Err(breaks(&rule.origin)),
                Demand::Apart(members) => {
                    let mut all = hosts_of(members);
                    all.sort_unstable();
                    if all.windows(2).any(|pair| pair[0] == pair[1]) {
                        return Err(breaks(&rule.origin));
                    }
                    continue;
                }
            };
            rules.push(Rule {
                demand,
                origin: rule.origin.clone(),
            });
        }
        let start = self.budget.as_ref().map(|budget| {
            let given = &budget.start.placement;
            let nodes = given.nodes(machine.slots());
            let nodes: Vec<NodeId> = nodes.into_iter().step_by(each).collect();
            let placement = Placement::from_nodes(&nodes, hosts.machine.slots());
            let whole = placement.filter(|whole| hosts.of_ranks(whole, machine) == *given);
            let origin = budget.start.origin.clone();
            let moves = budget.start.moves / each;
            whole
                .map(|placement| Start {
                    placement,
                    moves,
                    origin: origin.clone(),
                })
                .ok_or_else(|| breaks(&origin))
        });
        Self::new(ranks, &hosts.machine, rules, start.transpose()?)
    }
}
