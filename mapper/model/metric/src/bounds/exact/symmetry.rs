//! Symmetries of a machine: maps of its nodes onto themselves that keep all distances.

/// A search for a symmetry gives up after this many steps; it then counts as if there were none.
/// Chosen by hand.
const STEPS: u32 = 2000;

/// Whether a symmetry maps node `from` to node `to` and keeps the nodes of `kept` where they are.
pub(super) fn maps(hops: &[Vec<i64>], kept: &[usize], from: usize, to: usize) -> bool {
    let mut partial: Vec<(usize, usize)> = kept.iter().map(|&node| (node, node)).collect();
    if !fits(hops, &partial, from, to) {
        return false;
    }
    partial.push((from, to));
    let mut steps = STEPS;
    extends(hops, &mut partial, &mut steps)
}

/// Whether the pair may join a partial map.
fn fits(hops: &[Vec<i64>], partial: &[(usize, usize)], from: usize, to: usize) -> bool {
    partial
        .iter()
        .all(|&(a, b)| b != to && hops[a][from] == hops[b][to] && hops[from][a] == hops[to][b])
}

/// Whether a partial map can be completed.
fn extends(hops: &[Vec<i64>], partial: &mut Vec<(usize, usize)>, steps: &mut u32) -> bool {
    let mapped = |node: usize, partial: &[(usize, usize)]| partial.iter().any(|&(a, _)| a == node);
    let Some(next) = (0..hops.len()).find(|&node| !mapped(node, partial)) else {
        return true;
    };
    for to in 0..hops.len() {
        if *steps == 0 {
            return false;
        }
        *steps -= 1;
        if fits(hops, partial, next, to) {
            partial.push((next, to));
            if extends(hops, partial, steps) {
                return true;
            }
            partial.pop();
        }
    }
    false
}
