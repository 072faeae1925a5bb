//! Makes a new plan with the mapper if the hosts of the plan are not those of the job, before
//! `MPI_Init` returns.

use crate::config::Config;
use crate::mapper::{Hosts, Mapper, budget};
use crate::order::{self, Misfit, Order, Process};
use rankfold_preload::size_limit::only_refuses;
use rankfold_preload::warning::warn;
use rankfold_profile::env;
use rankfold_profile::plan::{PlannedRank, RenumberingPlan};
use std::path::Path;

/// The process of each rank. If the hosts are those that the plan in `file` names, it is used.
/// Otherwise the mapper makes a plan for these processes. If that fails, the plan in `file` is used
/// on the hosts there are.
///
/// # Errors
/// The reason why no plan fits.
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
            order.notes.push(
                "the hosts are not those of the plan: the mapper has made another for them".into(),
            );
            Ok(order)
        }
        Err(reason) => match as_given(given) {
            Ok(mut order) => {
                order
                    .notes
                    .push(format!("the mapper has made no other plan: {reason}"));
                Ok(order)
            }
            Err(misfit) => Err(format!(
                "{misfit}; the mapper has made no other plan: {reason}"
            )),
        },
    }
}

/// Makes a plan for these processes. Returns it with the order of the ranks.
fn anew(
    config: &Config,
    how: &Path,
    processes: &[Process],
) -> Result<(RenumberingPlan, Order), String> {
    let hosts: Hosts = processes
        .iter()
        .map(|process| process.host.as_str())
        .collect();
    // The other ranks wait for the answer, and no longer than for a rank that is late.
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

/// Keeps rank 0 on the host of process 0, where standard input arrives. If another host has the
/// same number of ranks, all ranks of both hosts change places, so that ranks on one host stay
/// together. Otherwise [`order::order`] makes another rank change places with rank 0.
fn keep_first(of_rank: &mut [usize], hosts: &Hosts) {
    let (Some(&planned), Some(&actual)) = (of_rank.first(), hosts.of_process.first()) else {
        return;
    };
    if hosts.room[planned] != hosts.room[actual] {
        return;
    }
    for host in of_rank {
        *host = match *host {
            host if host == planned => actual,
            host if host == actual => planned,
            host => host,
        };
    }
}

/// Writes the plan that is used beside the seats record, for the launcher, which verifies the ranks
/// by it.
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
