//! What the user says about the distribution of ranks over hosts: how many hosts, and how many
//! ranks on each.

use super::{GivenOption, Launch, Role};
use std::env;

/// Options of any launcher that give the number of hosts, or of ranks on a host.
const COUNTS: &str = "N nodes ntasks-per-node tasks-per-node npernode pernode ppr ppn perhost rs_per_host \
     tasks_per_rs";

impl Launch {
    /// The options and variables of the launcher that decide how many ranks go to which hosts, in
    /// the user's words. Launches with other words are not given the same map.
    pub fn layout(&self) -> Vec<String> {
        let more = self.launcher.layout_options();
        let decides = |given: &&GivenOption| given.role == Role::Mapping || given.is_one_of(more);
        let options = self.apps.iter().flat_map(|app| app.options.iter());
        let mut words: Vec<String> = options.filter(decides).map(GivenOption::text).collect();
        let variables = self.launcher.layout_variables().iter();
        words.extend(variables.filter_map(|name| Some(format!("{name}={}", env::var(name).ok()?))));
        words
    }

    /// Whether an option gives the number of hosts, or of ranks on a host. A map must keep these
    /// numbers.
    pub fn counts_ranks_of_hosts(&self) -> bool {
        let is_count = |given: &GivenOption| {
            let mapping = given.is_one_of("map-by mapby")
                && given.value(0).is_some_and(|value| value.starts_with("ppr"));
            mapping || given.is_one_of(COUNTS)
        };
        let mut options = self.apps.iter().flat_map(|app| app.options.iter());
        options.any(is_count)
    }
}

#[cfg(test)]
mod tests {
    use crate::launchers;

    fn understood(line: &str) -> super::Launch {
        let words: Vec<_> = line.split_whitespace().map(Into::into).collect();
        launchers::understand(&words).unwrap()
    }

    #[test]
    fn options_that_distribute_ranks_are_part_of_the_layout() {
        let layout = |line| understood(line).layout();
        assert_eq!(
            layout("srun -n 8 -N 4 --mpi=pmix -c 2 ./a"),
            ["-N 4", "-c 2"]
        );
        assert_eq!(layout("srun -n 8 --mpi=pmix ./a").len(), 0);
    }

    #[test]
    fn numbers_of_hosts_and_of_ranks_on_a_host_are_told_from_other_distributions() {
        let counts = |line| understood(line).counts_ranks_of_hosts();
        assert!(counts("srun -n 8 -N4 ./a") && counts("srun -n 8 --ntasks-per-node=4 ./a"));
        assert!(!counts("srun -n 8 -m cyclic ./a") && !counts("srun -n 8 -c 2 ./a"));
    }
}
