//! What the launcher has told this process.

use std::env;

/// The variables in which launchers tell a process how many processes of its job are on its host:
/// Hydra, which starts MPICH and Intel MPI, and Open MPI.
const ON_HOST: [&str; 2] = ["MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"];

/// Parts of the names of the variables by which MPICH takes processes of one host for processes of
/// several hosts.
const DIVIDING: [&str; 3] = ["NOLOCAL", "NO_LOCAL", "CLIQUES"];

/// Whether the launcher says that all `ranks` ranks of the world are on this host. If a job was
/// started inside another one, the launchers of both must say so.
#[must_use]
pub fn says_one_host(ranks: u32) -> bool {
    let values = ON_HOST.map(|name| env::var(name).ok());
    is_one_host(ranks, values.into_iter().flatten())
}

/// Whether MPI takes all `ranks` ranks of the world for ranks of one host, so that they share
/// memory. MPI libraries know the hosts from the launcher, unless a variable divides them.
#[must_use]
pub fn mpi_knows_one_host(ranks: u32) -> bool {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    says_one_host(ranks) && !is_divided(names)
}

fn is_one_host(ranks: u32, mut values: impl Iterator<Item = String>) -> bool {
    let is_all = |value: String| value.parse() == Ok(ranks);
    values.next().is_some_and(is_all) && values.all(is_all)
}

fn is_divided(mut names: impl Iterator<Item = String>) -> bool {
    names.any(|name| DIVIDING.iter().any(|part| name.contains(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launchers_of_nested_jobs_must_agree() {
        let says = |ranks, values: &[&str]| {
            let values = values.iter().map(ToString::to_string);
            is_one_host(ranks, values)
        };
        assert!(says(4, &["4"]) && says(4, &["4", "4"]));
        assert!(!says(4, &["4", "2"]) && !says(4, &["2"]) && !says(4, &["four"]));
        assert!(!says(4, &[]), "no launcher says anything");
    }

    #[test]
    fn variables_that_divide_a_host_are_known() {
        let is_divided = |name: &str| is_divided([name.to_owned()].into_iter());
        for name in [
            "MPIR_CVAR_NOLOCAL",
            "MPICH_NO_LOCAL",
            "MPIR_CVAR_NUM_CLIQUES",
        ] {
            assert!(is_divided(name), "{name}");
        }
        assert!(!is_divided("MPI_LOCALNRANKS"));
    }
}
