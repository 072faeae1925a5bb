//! A plan whose hosts are not those of the job: the mapper makes another, before anybody goes on.

use crate::config::Config;
use crate::mapper::{Hosts, Mapper, budget};
use crate::order::{self, Misfit, Order, Process};
use rankfold_preload::size_limit::only_refuses;
use rankfold_preload::warning::warn;
use rankfold_profile::env;
use rankfold_profile::plan::{PlannedRank, RenumberingPlan};
use std::path::Path;

/// Which process becomes which rank: by the plan in `file` where the hosts are those it names,
/// otherwise by one that is made for these processes, and by the plan on hosts that it does not
/// name only where that cannot be.
///
/// # Errors
/// No plan fits; why.
pub(crate) fn order(config: &Config, file: &Path, processes: &[Process]) -> Result<Order, String> {
    let plan = RenumberingPlan::read(file).map_err(|error| error.to_string())?;
    let given = order::order(&plan, processes);
    let on_others = match &given {
        Ok(order) => order.on_other_hosts,
        Err(misfit) => matches!(misfit, Misfit::Shape { .. }),
    };
    let as_given = |given: Result<Order, Misfit>| given.map_err(|misfit| misfit.to_string());
    let Some(how) = config.solve.as_deref().filter(|_| on_others) else {
        return as_given(given);
    };
    match anew(config, how, processes) {
        Ok((plan, mut order)) => {
            leave(config, &plan);
            order
                .notes
                .push("the hosts are not those of the plan, which was solved anew for them".into());
            Ok(order)
        }
        Err(reason) => match as_given(given) {
            Ok(mut order) => {
                order.notes.push(format!("not solved anew: {reason}"));
                Ok(order)
            }
            Err(misfit) => Err(format!("{misfit}; not solved anew: {reason}")),
        },
    }
}

/// A plan for these processes, and the order by it.
fn anew(
    config: &Config,
    how: &Path,
    processes: &[Process],
) -> Result<(RenumberingPlan, Order), String> {
    let hosts: Hosts = processes
        .iter()
        .map(|process| process.host.as_str())
        .collect();
    // The others wait for the answer, and for no longer than they would for a rank that is late.
    let budget = budget(processes.len(), config.budget).min(config.patience / 2);
    let mut of_rank = Mapper::read(how)?.ask(None, &hosts, budget)?;
    keep_first(&mut of_rank, &hosts);
    let names = hosts.names.into_iter().map(Some).collect();
    let ranks = of_rank
        .into_iter()
        .map(|host| PlannedRank::on(host as u32))
        .collect();
    let plan = RenumberingPlan::new(names, ranks).map_err(|error| error.to_string())?;
    let order = order::order(&plan, processes).map_err(|misfit| misfit.to_string())?;
    Ok((plan, order))
}

/// Rank 0 stays on the host of process 0, where standard input arrives. Where two hosts have as
/// many ranks all of them change places, so that who shares a host still does; otherwise
/// [`order::order`] finds another rank that does.
fn keep_first(of_rank: &mut [usize], hosts: &Hosts) {
    let (Some(&meant), Some(&is)) = (of_rank.first(), hosts.of_process.first()) else {
        return;
    };
    if hosts.room[meant] != hosts.room[is] {
        return;
    }
    for host in of_rank {
        *host = match *host {
            host if host == meant => is,
            host if host == is => meant,
            host => host,
        };
    }
}

/// Tells the launcher which plan is followed: by it the ranks are verified.
fn leave(config: &Config, plan: &RenumberingPlan) {
    let place = config.seats.as_deref().and_then(env::solved);
    if let Some(place) = place
        && let Err(error) = only_refuses(|| plan.write(&place))
    {
        warn(error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_hosts_change_places_so_that_rank_0_stays() {
        let hosts: Hosts = ["a", "b", "a", "b", "c"].into_iter().collect();
        let mut of_rank = [1, 2, 0, 1, 0];
        keep_first(&mut of_rank, &hosts);
        assert_eq!(of_rank, [0, 2, 1, 0, 1]);
        let mut of_rank = [2, 0, 0, 1, 1];
        keep_first(&mut of_rank, &hosts);
        assert_eq!(of_rank, [2, 0, 0, 1, 1], "c has room for one rank only");
    }
}
