//! Pairs and triples of ranks that are close to each other in the communication graph.

use super::relaxation::{Pair, Rule, Triple};
use rankfold_base::Rank;
use rankfold_graph::Affinity;

/// Pairs of ranks, and triples of these pairs.
pub(super) struct Neighbourhood {
    pub(super) pairs: Vec<Pair>,
    pub(super) triples: Vec<Triple>,
}

/// Collects pairs of ranks that are up to three steps apart in the graph, and the triples of these
/// pairs. Uses fewer steps if there would be more than `most` triples. Where nearness is not
/// transitive, only pairs of partners are used, since the rule says nothing of other pairs. `None`
/// if there are too many even for partners, or if the rule forbids nothing: where nearness is
/// transitive and no rank has more than `room` others around it, all of the pairs may be near.
pub(super) fn neighbourhood(
    affinity: &Affinity,
    rule: Rule,
    room: u64,
    most: usize,
) -> Option<Neighbourhood> {
    let steps = match rule {
        Rule::Transitive => &[3, 2, 1][..],
        Rule::NoTriangle => &[1],
    };
    let partners: usize = (0..affinity.ranks())
        .map(|rank| affinity.degree(Rank::at(rank)))
        .sum();
    if partners > most {
        return None;
    }
    for &steps in steps {
        if rule == Rule::Transitive && !is_crowded(affinity, steps, room) {
            return None;
        }
        let found = Walk::new(affinity, steps, most).and_then(|walk| walk.triples(rule, most));
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Whether a rank has more than `room` others within a number of steps.
fn is_crowded(affinity: &Affinity, steps: u8, room: u64) -> bool {
    let mut around = Around::new(affinity.ranks());
    (0..affinity.ranks() as u32).any(|rank| {
        around.look(affinity, rank, steps);
        around.found.len() as u64 > room
    })
}

/// All pairs of ranks within a number of steps of each other.
struct Walk<'a> {
    affinity: &'a Affinity,
    /// For every rank, its first pair. A rank's pairs are those with higher ranks within reach, in
    /// ascending order.
    first: Vec<usize>,
    pairs: Vec<Pair>,
    steps: u8,
}

impl<'a> Walk<'a> {
    fn new(affinity: &'a Affinity, steps: u8, most: usize) -> Option<Self> {
        let (mut first, mut pairs) = (vec![0], Vec::new());
        let mut around = Around::new(affinity.ranks());
        for u in 0..affinity.ranks() as u32 {
            around.look(affinity, u, steps);
            around.found.sort_unstable();
            let above = around.found.iter().filter(|&&v| v > u);
            pairs.extend(above.map(|&v| Pair {
                ends: [u, v],
                bytes: affinity.bytes_between(Rank(u), Rank(v)).unwrap_or(0) as f64,
            }));
            if pairs.len() > most {
                return None;
            }
            first.push(pairs.len());
        }
        Some(Self {
            affinity,
            first,
            pairs,
            steps,
        })
    }

    fn pair(&self, a: u32, b: u32) -> u32 {
        let (low, high) = (a.min(b), a.max(b));
        let start = self.first[low as usize];
        let row = &self.pairs[start..self.first[low as usize + 1]];
        let at = row.binary_search_by_key(&high, |pair| pair.ends[1]);
        (start + at.expect("both are within reach")) as u32
    }

    /// All triples u, v, w where v is on a shortest path from u to w, or u, v and w are all
    /// partners.
    fn triples(self, rule: Rule, most: usize) -> Option<Neighbourhood> {
        let mut triples: Vec<Triple> = Vec::new();
        let mut around = Around::new(self.affinity.ranks());
        for u in 0..self.affinity.ranks() as u32 {
            around.look(self.affinity, u, self.steps);
            for &w in &around.found {
                let far = around.steps[w as usize];
                // At distances of up to two steps, the same triples are found from both ends.
                if far <= 2 && w < u {
                    continue;
                }
                let middles = self.affinity.partners(Rank(w)).map(|(v, _)| v.0);
                let middles = middles.filter(|&v| v != u && around.is_between(v, far));
                // Where the rule is symmetric, any corner of a triangle could be the first; each
                // triangle is listed once.
                let middles = middles.filter(|&v| rule == Rule::Transitive || v > w);
                triples
                    .extend(middles.map(|v| [self.pair(u, v), self.pair(v, w), self.pair(u, w)]));
                if triples.len() > most {
                    return None;
                }
            }
        }
        Some(Neighbourhood {
            pairs: self.pairs,
            triples,
        })
    }
}

/// The ranks around one rank.
struct Around {
    /// Steps to every rank; `u8::MAX` beyond the reach.
    steps: Vec<u8>,
    /// The ranks within reach, without the centre.
    found: Vec<u32>,
    centre: usize,
}

impl Around {
    fn new(ranks: usize) -> Self {
        Self {
            steps: vec![u8::MAX; ranks],
            found: Vec::new(),
            centre: 0,
        }
    }

    fn look(&mut self, affinity: &Affinity, centre: u32, reach: u8) {
        for &rank in &self.found {
            self.steps[rank as usize] = u8::MAX;
        }
        self.steps[self.centre] = u8::MAX;
        self.centre = centre as usize;
        self.steps[self.centre] = 0;
        self.found.clear();
        let (mut at, mut step) = (centre, 0);
        let mut next = 0;
        loop {
            if step < reach {
                for (partner, _) in affinity.partners(Rank(at)) {
                    if self.steps[partner.index()] == u8::MAX {
                        self.steps[partner.index()] = step + 1;
                        self.found.push(partner.0);
                    }
                }
            }
            let Some(&rank) = self.found.get(next) else {
                return;
            };
            (at, step) = (rank, self.steps[rank as usize]);
            next += 1;
        }
    }

    /// Whether a rank is one step nearer to the centre than `far`. If `far` is 1, whether the rank
    /// is a partner of the centre.
    fn is_between(&self, rank: u32, far: u8) -> bool {
        let steps = self.steps[rank as usize];
        steps == far.max(2) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankfold_graph::{CommGraph, Message};

    #[test]
    fn triples_are_collected_only_where_not_all_pairs_may_be_near() {
        let messages = (0..20).map(|r| Message {
            from: Rank(r),
            to: Rank(r + 1),
            bytes: 5,
        });
        let path = CommGraph::from_messages(21, messages).unwrap().affinity();
        // Three steps along a path reach three ranks on either side.
        let found = |room, most| neighbourhood(&path, Rule::Transitive, room, most);
        assert!(found(6, 1 << 20).is_none());
        assert!(found(5, 1 << 20).is_some());
        // Where only two steps can be afforded, they reach four ranks.
        let triples = |room| found(room, 50).map(|found| found.triples.len());
        assert!(triples(4).is_none() && triples(3).is_some_and(|triples| triples > 0));
        assert!(neighbourhood(&path, Rule::NoTriangle, 6, 1 << 20).is_some());
    }
}
