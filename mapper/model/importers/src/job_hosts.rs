//! The hosts of a job, and whether a description has them.

use rankfold_machine::hosts::is_same;

/// The hosts of a job.
pub struct JobHosts<'a> {
    pub(super) names: &'a [String],
    pub(super) unknown: UnknownHosts,
}

/// What becomes of hosts of the job that the files do not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnknownHosts {
    /// They are added below the top switch.
    Added,
    /// They are left out.
    LeftOut,
}

impl JobHosts<'_> {
    /// Whether the job has a host of this name, with or without its domain.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|host| is_same(host, name))
    }

    /// The hosts of the job to add to a network that has the hosts `names`.
    pub(super) fn to_add<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<String> {
        match self.unknown {
            UnknownHosts::Added => self.not_among(names),
            UnknownHosts::LeftOut => Vec::new(),
        }
    }

    /// The hosts of the job that are none of these.
    pub(super) fn not_among<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<String> {
        let names: Vec<&str> = names.collect();
        let is_unknown = |host: &&String| !names.iter().any(|name| is_same(host, name));
        self.names.iter().filter(is_unknown).cloned().collect()
    }
}
