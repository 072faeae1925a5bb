//! Machine files of this cluster in the cache: what other sources have told before, and what a
//! probe has measured.

use super::{Described, Found, Source, Wanted, missing};
use crate::cache::Kind;
use rankfold_mapper::error::Error;
use rankfold_model::machine;

pub(super) struct Cached(Kind);

pub(super) const TOLD: Cached = Cached(Kind::Told);
pub(super) const PROBED: Cached = Cached(Kind::Probed);

impl Source for Cached {
    fn name(&self) -> &'static str {
        match self.0 {
            Kind::Told => "the cached machine file",
            Kind::Probed => "what a probe has measured",
        }
    }

    /// The latest file that knows all hosts.
    fn look(&self, wanted: &Wanted) -> anyhow::Result<Option<Found>> {
        let Some(cache) = wanted.cache else {
            return Ok(None);
        };
        for kept in cache.machines_of(wanted.cluster, self.0) {
            let path = kept.path.to_string_lossy();
            let hardware = machine::load(&path).map_err(Error::from)?;
            if missing(&hardware, wanted.hosts).is_none() {
                return Ok(Some(Found {
                    hardware,
                    text: None,
                    machine: Described::Named(path.into_owned()),
                    told_by: format!("{} of {} ({})", self.name(), wanted.cluster, kept.source),
                    when: Some(kept.when),
                }));
            }
        }
        Ok(None)
    }
}
