//! Launches whose ranks cannot be placed in a better way: one rank, or all ranks on one host whose
//! cores are all alike.

use super::args::Args;
use crate::{discovery, other_hosts, traces};
use rankfold_cache::Host;
use rankfold_launch::launch::Launch;
use rankfold_launch::placement::canonical;
use rankfold_wire::Surroundings;

/// The reason why no order of the ranks can be better than another; `None` if one may be, or if the
/// user asks for more than a good order.
pub(super) fn indifferent(args: &Args, launch: &Launch) -> Option<String> {
    if args.asks_for_more() {
        return None;
    }
    if is_of_one_rank(launch) {
        return Some("one rank has nothing to place".into());
    }
    let hosts = discovery::allocation(Some(launch));
    let host = match hosts.as_deref() {
        Some([Host { name, .. }]) => name.clone(),
        None if !other_hosts::leaves_this_host(launch) => traces::host(),
        _ => return None,
    };
    let is_here = canonical(&host) == canonical(&traces::host()) || host == "localhost";
    if !is_here {
        return Some(format!(
            "all ranks are on one host, {host}, so there is nothing to place"
        ));
    }
    let is_alike = Surroundings::of_process(&host).levels.is_empty();
    is_alike.then(|| "all ranks are on one host, whose cores are all alike".into())
}

/// Whether the launch is of one rank, which talks to nobody.
pub(super) fn is_of_one_rank(launch: &Launch) -> bool {
    matches!(launch.ranks(), Ok(Some((1, _))))
}
