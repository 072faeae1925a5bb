//! The bound by triples of ranks: what three ranks that talk to each other cannot all have.
//!
//! Hop-bytes are the bytes beyond 0 hops, and those beyond 1 hop, and so on, and each of these sums
//! has bounds of its own. What is within h hops is restricted by more than the room there: below a
//! switch or on a node, whoever is near a partner is near all those whom that one is near; on a
//! torus or mesh without rings of three, no three ranks are all neighbours. The most bytes that
//! keep these rules are [relaxed to a linear program](super::relaxation). Where it leaves less
//! beyond h hops than the [star bound](super::star) does, that one counts.

use super::nearness::{Near, near};
use super::neighbourhood::neighbourhood;
use super::relaxation::{Relaxation, Rule};
use super::{Bound, star};
use crate::comm::Affinity;
use crate::machine::Machine;

/// Larger neighbourhoods are left out.
const MOST_TRIPLES: usize = 1 << 20;

/// Triples looked at in all rounds together, some tenths of a second.
const MOST_STEPS: usize = 40_000_000;

/// After so many rounds the value hardly moves.
const MOST_ROUNDS: usize = 600;

pub(super) struct Triples;

impl Bound for Triples {
    fn name(&self) -> &'static str {
        "triples"
    }

    fn is_quick(&self) -> bool {
        false
    }

    fn hop_bytes(&self, affinity: &Affinity, machine: &Machine) -> Option<u128> {
        let seats = star::seats(machine);
        let pairs = machine.topology().distance_profile().pairs;
        let (mut twice, mut room, mut last) = (0, 0, None);
        for (hops, star) in star::twice_beyond(affinity, &seats).into_iter().enumerate() {
            room += seats[hops];
            // Where no two nodes are just so far apart, nothing changes.
            let same = hops > 0 && pairs.get(hops).is_none_or(|&count| count == 0);
            if !same {
                last = twice_beyond(affinity, machine, hops as u32, room);
            }
            twice += star.max(last.unwrap_or(0));
        }
        Some(twice.div_ceil(2))
    }
}

/// Twice the bytes that no placement has within `hops`, with `room` slots for others there; `None`
/// where there is no rule or it takes too long.
fn twice_beyond(affinity: &Affinity, machine: &Machine, hops: u32, room: u64) -> Option<u128> {
    let others = (affinity.ranks() as u64).saturating_sub(1);
    let (rule, room) = match near(machine, hops)? {
        // Alone in its group a rank has nobody near, in a group of all everybody.
        Near::Groups(slots) if slots <= 1 || slots > others => return None,
        Near::Groups(slots) => (Rule::Transitive, slots - 1),
        Near::NoTriangles => (Rule::NoTriangle, room.min(others)),
    };
    let found = neighbourhood(affinity, rule, MOST_TRIPLES)?;
    let relaxation = Relaxation {
        ranks: affinity.ranks(),
        room: room as f64,
        pairs: &found.pairs,
        triples: &found.triples,
        rule,
    };
    let work = found.triples.len() + found.pairs.len() + 1;
    let within = relaxation.most_bytes((MOST_STEPS / work).min(MOST_ROUNDS));
    let all: f64 = found.pairs.iter().map(|pair| pair.bytes).sum();
    // Whole bytes only, and none of those the rounding of the sum may have added.
    Some(2 * (all * (1.0 - 1e-9) - within).max(0.0).floor() as u128)
}
