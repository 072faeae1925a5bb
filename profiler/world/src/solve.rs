//! Makes a new plan with the mapper if the hosts of the plan are not those of the job, before
//! `MPI_Init` returns.

use crate::config::Config;
use crate::mapper::{FirstRank, Hosts, Mapper, budget};
use crate::order::{self, Misfit, Order, Process};
use rankfold_preload::size_limit::only_refuses;
use rankfold_preload::warning::warn;
use rankfold_wire::env;
use rankfold_wire::plan::{PlannedRank, RenumberingPlan};
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
    let mut hosts: Hosts = processes
        .iter()
        .map(|process| process.host.as_str())
        .collect();
    hosts.kinds = order::numbered_kinds(processes);
    // The other ranks wait for the answer, and no longer than for a rank that is late.
    let budget = budget(processes.len(), config.budget).min(config.patience / 2);
    let of_rank = Mapper::read(how)?.ask(None, &hosts, FirstRank::Stays, budget)?;
    let names = hosts.names.into_iter().map(Some).collect();
    let ranks = of_rank
        .into_iter()
        .map(|host| PlannedRank::on(host as u32))
        .collect();
    let plan = RenumberingPlan::new(names, ranks).map_err(|error| error.to_string())?;
    let order = order::order(&plan, processes).map_err(|misfit| misfit.to_string())?;
    Ok((plan, order))
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
