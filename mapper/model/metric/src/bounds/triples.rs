//! The bound `triples`: restrictions on three ranks that exchange messages.
//!
//! Hop-bytes are the sum over h = 0, 1, 2, ... of the bytes that travel more than h hops. Each term
//! has bounds of its own. The ranks within h hops of each other are restricted by more than the
//! number of slots there: on a node or below a switch, nearness is transitive; on a torus or mesh
//! without rings of three nodes, no three ranks are pairwise neighbours. The most bytes that
//! satisfy these restrictions are bounded by a [linear program](super::relaxation). Where its bound
//! on the bytes beyond h hops is lower than that of [`star`](mod@super::star), the latter is
//! used. The argument is the project's own.
//!
//! Effect, in hops per byte, before and with this bound (commit 65ba80e): `nlpkkt_512` on 4x4x4
//! nodes of 8 cores 0.207 and 0.457 (placed at 0.694), `fe_512` on a torus 1.148 and 1.295 (placed
//! at 1.818).

use super::nearness::{Near, near};
use super::neighbourhood::neighbourhood;
use super::relaxation::{Relaxation, Rule};
use super::{Bound, BoundEffort, star};
use rankfold_graph::Affinity;
use rankfold_machine::Machine;

/// Most triples of a neighbourhood; larger neighbourhoods use fewer steps or are left out. Chosen
/// by hand; not measured.
const MAX_TRIPLES: usize = 1 << 20;

/// Most triples visited in all rounds together; this takes a tenth of a second. Measured with a
/// prototype, see [`Relaxation`]: after as many the bytes beyond a group of 8 or 16 are within 6 %
/// of what three times as many prove.
const MAX_STEPS: usize = 14_000_000;

/// Most rounds. Measured with a prototype, `nlpkkt_1024` and `fe_1024` on a torus: 600 rounds prove
/// 0.1 % more.
const MAX_ROUNDS: usize = 300;

pub(super) struct Triples;

impl Bound for Triples {
    fn name(&self) -> &'static str {
        "triples"
    }

    fn least_effort(&self) -> BoundEffort {
        BoundEffort::Fast
    }

    fn hop_bytes(&self, affinity: &Affinity, machine: &Machine, _: BoundEffort) -> Option<u128> {
        let seats = star::seats(machine);
        let pairs = machine.topology().distance_profile().pairs;
        let (mut twice, mut room, mut last) = (0, 0, None);
        for (hops, star) in star::twice_beyond(affinity, &seats).into_iter().enumerate() {
            room += seats[hops];
            // If no two nodes are exactly so far apart, the bound of the previous distance applies.
            let same = hops > 0 && pairs.get(hops).is_none_or(|&count| count == 0);
            if !same {
                last = twice_beyond(affinity, machine, hops as u32, room);
            }
            twice += star.max(last.unwrap_or(0));
        }
        Some(twice.div_ceil(2))
    }
}

/// Twice the bytes that no placement can have within `hops`, where `room` slots are that near.
/// `None` where no rule applies or the bound would take too long.
fn twice_beyond(affinity: &Affinity, machine: &Machine, hops: u32, room: u64) -> Option<u128> {
    let others = (affinity.ranks() as u64).saturating_sub(1);
    let (rule, room) = match near(machine, hops)? {
        // A rank alone in its group has no near ranks; in a group of all ranks, every other rank is
        // near.
        Near::Groups(slots) if slots <= 1 || slots > others => return None,
        Near::Groups(slots) => (Rule::Transitive, slots - 1),
        Near::NoTriangles => (Rule::NoTriangle, room.min(others)),
    };
    beyond(affinity, rule, room)
}

/// Twice the bytes that no placement can have inside groups of at most `slots` slots each. `None`
/// where a group has room for all ranks or the bound would take too long.
pub(super) fn twice_between_groups(affinity: &Affinity, slots: u64) -> Option<u128> {
    if slots == 0 || slots >= affinity.ranks() as u64 {
        return None;
    }
    let star = star::twice_beyond(affinity, &[slots - 1])[0];
    let relaxed = beyond(affinity, Rule::Transitive, slots - 1).unwrap_or(0);
    Some(star.max(relaxed))
}

/// Twice the bytes that are not between near ranks in any placement, where `room` slots are near
/// any slot. `None` where it would take too long.
fn beyond(affinity: &Affinity, rule: Rule, room: u64) -> Option<u128> {
    let found = neighbourhood(affinity, rule, room, MAX_TRIPLES)?;
    let relaxation = Relaxation {
        ranks: affinity.ranks(),
        room: room as f64,
        pairs: &found.pairs,
        triples: &found.triples,
        rule,
    };
    let work = found.triples.len() + found.pairs.len() + 1;
    let within = relaxation.most_bytes((MAX_STEPS / work).min(MAX_ROUNDS));
    let all: f64 = found.pairs.iter().map(|pair| pair.bytes).sum();
    // Rounded down to whole bytes, less the rounding error of the sum.
    Some(2 * (all * (1.0 - 1e-9) - within).max(0.0).floor() as u128)
}
