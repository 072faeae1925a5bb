//! `ibnetdiscover` and `dump_lfts`, where this user may query the subnet. The two programs change
//! nothing.

use super::{DiscoveredMachine, DiscoveryQuery, Source};
use rankfold_cache::now;
use rankfold_importers::Source as Text;
use rankfold_launch::tool;
use rankfold_mapper::members::IMPORTERS;
use std::time::Duration;

pub(super) struct InfiniBand;

/// Longest run of one of the programs, chosen by hand. Both together take about a second for a
/// fabric of 3000 hosts; the command of that measurement is not recorded.
const PATIENCE: Duration = Duration::from_secs(30);

impl Source for InfiniBand {
    fn name(&self) -> &'static str {
        "ibnetdiscover"
    }

    fn is_cheap(&self) -> bool {
        false
    }

    fn look(&self, _: &DiscoveryQuery) -> anyhow::Result<Option<DiscoveredMachine>> {
        let Some(network) = tool::output("ibnetdiscover", &[], PATIENCE)? else {
            return Ok(None);
        };
        let text = |file: &str, text: String| Text {
            file: file.into(),
            text,
        };
        let mut texts = vec![text("ibnetdiscover", network)];
        let mut source = "ibnetdiscover".to_owned();
        // Without the forwarding tables the routes are guessed.
        let tables = tool::output("dump_lfts", &[], PATIENCE).ok().flatten();
        let tables = tables.or_else(|| tool::output("dump_lfts.sh", &[], PATIENCE).ok().flatten());
        if let Some(tables) = tables.filter(|tables| !tables.trim().is_empty()) {
            texts.push(text("dump_lfts", tables));
            source += " and dump_lfts";
        }
        DiscoveredMachine::imported(IMPORTERS.named("infiniband"), texts, source, Some(now()))
            .map(Some)
    }
}
