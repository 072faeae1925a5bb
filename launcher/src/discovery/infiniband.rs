//! `ibnetdiscover` and `dump_lfts`, where this user may ask the subnet: both only read.

use super::{Found, Source, Wanted};
use crate::cache::now;
use crate::tool;
use rankfold_model::machine::import::{Source as Text, importer};
use std::time::Duration;

pub(super) struct InfiniBand;

/// The whole fabric of 3000 hosts takes a second.
const PATIENCE: Duration = Duration::from_secs(30);

impl Source for InfiniBand {
    fn name(&self) -> &'static str {
        "ibnetdiscover"
    }

    fn is_cheap(&self) -> bool {
        false
    }

    fn look(&self, _: &Wanted) -> anyhow::Result<Option<Found>> {
        let Some(network) = tool::output("ibnetdiscover", &[], PATIENCE)? else {
            return Ok(None);
        };
        let text = |file: &str, text: String| Text {
            file: file.into(),
            text,
        };
        let mut texts = vec![text("ibnetdiscover", network)];
        let mut told_by = "ibnetdiscover".to_owned();
        // Without the tables routes are guessed, which is less but not nothing.
        let tables = tool::output("dump_lfts", &[], PATIENCE).ok().flatten();
        let tables = tables.or_else(|| tool::output("dump_lfts.sh", &[], PATIENCE).ok().flatten());
        if let Some(tables) = tables.filter(|tables| !tables.trim().is_empty()) {
            texts.push(text("dump_lfts", tables));
            told_by += " and dump_lfts";
        }
        Found::imported(importer("infiniband"), texts, told_by, Some(now())).map(Some)
    }
}
