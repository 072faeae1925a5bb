//! Upper switches as Slurm's controller shows them: with a level, and with all nodes below them.
//!
//! The nodes tell the place of a switch: it is above every switch that has some of them. That holds
//! where `SLURM_TOPO_LEN` has cut lines, too, which then lack the names of switches and some of the
//! nodes.

use super::tree::Tree;
use super::{Result, SourceLine};
use rankfold_base::words::natural_key;
use rankfold_machine::hosts::expand;
use std::collections::HashSet;

/// What the user can do about lines that are cut.
pub(super) const CUT: &str = "the line is cut: unset SLURM_TOPO_LEN and ask scontrol again";

/// A switch above others.
pub(super) struct Upper<'a> {
    switch: usize,
    place: SourceLine<'a>,
    level: u64,
    nodes: HashSet<String>,
    /// Whether nodes may be missing.
    is_cut: bool,
}

impl<'a> Upper<'a> {
    /// A switch whose line lists `nodes`, at its very end if `is_cut`.
    ///
    /// # Errors
    /// The list is wrong, and not because the line is cut.
    pub(super) fn new(
        (switch, level): (usize, u64),
        place: SourceLine<'a>,
        nodes: &str,
        is_cut: bool,
    ) -> Result<Self> {
        let whole = if is_cut {
            before_cut(nodes)
        } else {
            nodes.into()
        };
        let nodes = match &*whole {
            "" => Vec::new(),
            whole => expand(whole).map_err(|problem| place.bad(problem))?,
        };
        Ok(Self {
            switch,
            place,
            level,
            nodes: nodes.into_iter().collect(),
            is_cut,
        })
    }
}

/// The names that are whole in a list that ends anywhere.
fn before_cut(list: &str) -> String {
    if list.ends_with(']') {
        return list.to_owned();
    }
    let comma = list.rfind(',').unwrap_or(0);
    let whole = &list[..comma];
    let is_open = whole.rfind('[') > whole.rfind(']');
    if is_open {
        format!("{whole}]")
    } else {
        whole.to_owned()
    }
}

/// Puts hosts below a switch, without the hosts that the tree already has below another switch.
pub(super) fn hang_others<'a>(
    tree: &mut Tree<'a>,
    (switch, place): (usize, SourceLine<'a>),
    hosts: impl IntoIterator<Item = String>,
) -> Result<()> {
    let mut others: Vec<String> = hosts.into_iter().filter(|it| !tree.has_host(it)).collect();
    others.sort_by_cached_key(|host| natural_key(host));
    let mut others = others.iter();
    others.try_for_each(|host| tree.hang_again(host, true, switch, place))
}

/// Hangs what is below the switches below them.
///
/// # Errors
/// A host has the name of a switch.
pub(super) fn hang_all<'a>(tree: &mut Tree<'a>, mut uppers: Vec<Upper<'a>>) -> Result<()> {
    uppers.sort_by_key(|upper| upper.level);
    for level in uppers.chunk_by(|one, next| one.level == next.level) {
        // Switches of one level are not above each other, though all of them have the same nodes.
        let tops: Vec<Vec<usize>> = level
            .iter()
            .map(|upper| tree.tops_of_hosts(&upper.nodes))
            .collect();
        for (upper, tops) in level.iter().zip(tops) {
            let below = tops.into_iter().filter(|&top| top != upper.switch);
            below.for_each(|below| tree.hang_number(below, upper.switch));
            let hosts = upper.nodes.iter().cloned();
            hang_others(tree, (upper.switch, upper.place), hosts)?;
        }
    }
    // Where the highest switch is cut, the rest is below it.
    let Some(top) = uppers.last().filter(|top| top.is_cut) else {
        return Ok(());
    };
    let is_only_top = |it: &&Upper| it.switch == top.switch || it.level < top.level;
    if uppers.iter().all(|it| is_only_top(&it)) {
        for other in tree.roots() {
            if other != top.switch {
                tree.hang_number(other, top.switch);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
