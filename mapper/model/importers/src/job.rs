//! Imports of what concerns one job: its hosts say which part of a description is meant.

use super::job_hosts::{JobHosts, UnknownHosts};
use super::{Importer, Result, Source};
use rankfold_machine::Description;

/// A network for the hosts of a job.
#[derive(Clone, Debug)]
pub struct JobNetwork {
    /// The network.
    pub description: Description,
    /// Hosts of the job that the files do not name. They hang below the top switch.
    pub added: Vec<String>,
}

impl Importer {
    /// Whether the files may describe several networks, of which the hosts of a job choose one.
    #[must_use]
    pub fn depends_on_job(&self) -> bool {
        self.for_job.is_some()
    }

    /// As [`import`](Self::import), for a job on `hosts`. Some kinds of files hold more than one
    /// network:
    ///
    /// * Slurm's `topology.conf` may describe islands that nothing joins: the island of the job
    ///   counts.
    /// * Slurm's `topology.yaml` may hold several topologies: the first that has all hosts counts,
    ///   where the cluster's default comes first.
    ///
    /// # Errors
    /// As [`import`](Self::import), or the job is in several islands.
    pub fn import_for_job(&self, sources: Vec<Source>, hosts: &[String]) -> Result<JobNetwork> {
        let hosts = JobHosts {
            names: hosts,
            unknown: UnknownHosts::Added,
        };
        let (description, added) = self.read_for_job(sources, &hosts)?;
        Ok(JobNetwork { description, added })
    }

    /// As [`import_for_job`](Self::import_for_job), without the hosts that the files do not name.
    ///
    /// # Errors
    /// As [`import_for_job`](Self::import_for_job).
    pub fn import_part_of_job(
        &self,
        sources: Vec<Source>,
        hosts: &[String],
    ) -> Result<Description> {
        let hosts = JobHosts {
            names: hosts,
            unknown: UnknownHosts::LeftOut,
        };
        Ok(self.read_for_job(sources, &hosts)?.0)
    }

    fn read_for_job(
        &self,
        sources: Vec<Source>,
        hosts: &JobHosts,
    ) -> Result<(Description, Vec<String>)> {
        self.with_insides(sources, |network| match self.for_job {
            Some(read) => read(network, hosts),
            None => Ok(((self.read)(network)?, Vec::new())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ALL;

    fn import(kind: &str, text: &str, hosts: &[&str]) -> Result<JobNetwork> {
        let source = Source {
            file: "t".into(),
            text: text.into(),
        };
        let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        ALL.named(kind).import_for_job(vec![source], &hosts)
    }

    const ISLANDS: &str = "SwitchName=a Switches=a[0-1]\nSwitchName=a0 Nodes=n[0-1]\nSwitchName=a1 Nodes=n[2-3]\n\
        SwitchName=b Nodes=m[0-1]\n";

    #[test]
    fn of_islands_that_nothing_joins_that_of_the_job_counts() {
        let found = import("slurm", ISLANDS, &["n0.site", "N3"]).unwrap();
        assert_eq!(found.description.hosts, ["n0", "n1", "n2", "n3"]);
        assert_eq!(found.added.len(), 0);
        let other = import("slurm", ISLANDS, &["m1"]).unwrap();
        assert_eq!(other.description.hosts, ["m0", "m1"]);
        let both = import("slurm", ISLANDS, &["n0", "m1"])
            .unwrap_err()
            .to_string();
        assert_eq!(
            both,
            "t:4: no path joins a, which is above n0, and b, which is above m1, and the job has both hosts: \
             start it below one of these switches, or give a file that describes a switch above both \
             (rankfold help machines)"
        );
    }

    #[test]
    fn of_rings_that_nothing_joins_that_of_the_job_counts() {
        let rings = "RingName=a Nodes=n[0-3]\nRingName=b Nodes=m[0-2]\n";
        let found = import("slurm", rings, &["m2", "m0"]).unwrap();
        assert_eq!(found.description.network.as_deref(), Some("torus:3"));
        for (hosts, problem) in [
            (&["n0", "m0"][..], "t:2: the job has hosts in several rings"),
            (&["x"], "t:1: none of the job's hosts is in these rings"),
        ] {
            let error = import("slurm", rings, hosts).unwrap_err().to_string();
            assert!(error.starts_with(problem), "{error}");
        }
    }

    #[test]
    fn a_part_of_the_job_has_only_hosts_that_the_file_names() {
        let source = Source {
            file: "t".into(),
            text: ISLANDS.into(),
        };
        let hosts = ["m1", "x"].map(str::to_owned);
        let part = ALL.named("slurm").import_part_of_job(vec![source], &hosts);
        assert_eq!(part.unwrap().hosts, ["m0", "m1"]);
    }

    #[test]
    fn hosts_that_the_file_lacks_hang_below_the_top_switch() {
        let found = import("slurm", ISLANDS, &["n0", "x7", "n3"]).unwrap();
        assert_eq!(found.added, ["x7"]);
        assert_eq!(found.description.hosts, ["n0", "n1", "n2", "n3", "x7"]);
        let hardware = found.description.build("t").unwrap();
        let hops = |a: u32, b: u32| {
            use rankfold_base::NodeId;
            hardware.topology.hops(NodeId(a), NodeId(b))
        };
        assert_eq!((hops(0, 1), hops(0, 3), hops(0, 4)), (2, 4, 3));
        let nothing = import("slurm", ISLANDS, &["x7", "x8"])
            .unwrap_err()
            .to_string();
        assert!(nothing.contains("none of the job's hosts"), "{nothing}");
    }

    #[test]
    fn of_several_topologies_the_one_that_has_the_hosts_counts() {
        let text = "- topology: racks\n  cluster_default: true\n  tree:\n    switches:\n      - switch: s0\n        nodes: n[0-1]\n\
            - topology: pods\n  block:\n    blocks:\n      - block: b0\n        nodes: g[0-1]\n      - block: b1\n        nodes: g[2-3]\n\
            - topology: none\n  flat: true\n";
        let found = import("slurm-yaml", text, &["g0", "g3"]).unwrap();
        assert_eq!(found.description.switches, ["blocks", "b0", "b1"]);
        let default = import("slurm-yaml", text, &["n0", "n1"]).unwrap();
        assert_eq!(default.description.switches, ["s0"]);
        let most = import("slurm-yaml", text, &["g0", "g3", "x"]).unwrap();
        assert_eq!(most.added, ["x"]);
        assert!(import("slurm-yaml", text, &["x"]).is_err());
    }
}
