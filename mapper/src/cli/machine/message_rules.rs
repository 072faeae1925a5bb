//! The rules by which messages take their paths and share links: part of what `rankfold machine`
//! shows.

use rankfold_machine::{Machine, Paths, Sharing, Ties};
use schemars::JsonSchema;
use std::io::Write;

/// The rules of one machine. The field names are keys of `--json`.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct MessageRules {
    /// The dimensions of a mesh or torus in the order in which messages take them; null for other
    /// networks.
    dimension_order: Option<Vec<usize>>,
    /// The way of messages that travel half way round a ring of a torus; null where no ring has an
    /// even number of nodes above two.
    ties: Option<Ties>,
    /// Whether messages between two nodes take one path or all shortest ones.
    routes: Paths,
    /// How messages share the bandwidth of a link: "by-path" where nobody tells.
    sharing: Sharing,
    /// The largest message in bytes that is sent before its receiver is ready.
    eager_limit: u64,
}

impl MessageRules {
    pub(super) fn of(machine: &Machine) -> Self {
        let (topology, timing) = (machine.topology(), machine.timing());
        let rules = topology.rules();
        let grid = topology.structure().grid();
        let order = |dims| rules.order.clone().unwrap_or_else(|| (0..dims).collect());
        let has_ties = grid.is_some_and(|grid| {
            grid.wraps() && grid.dims().iter().any(|&size| size > 2 && size % 2 == 0)
        });
        let routes = rules.paths.unwrap_or_default();
        // Where messages take all shortest paths, ties go both ways.
        let ties = match routes {
            Paths::Spread => Ties::Split,
            Paths::Static => rules.ties.unwrap_or_default(),
        };
        Self {
            dimension_order: grid.map(|grid| order(grid.dims().len())),
            ties: has_ties.then_some(ties),
            routes,
            sharing: timing.sharing.unwrap_or_default(),
            eager_limit: timing.eager_limit,
        }
    }

    pub(super) fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        let mut line = |label: &str, text: String| writeln!(out, "{label:11}{text}");
        line("paths", paths_in_words(self.routes).into())?;
        if let Some(order) = &self.dimension_order {
            let order: Vec<String> = order.iter().map(ToString::to_string).collect();
            line("dimensions", format!("in the order {}", order.join(", ")))?;
        }
        if let Some(ties) = self.ties {
            line("ties", ties_in_words(ties).into())?;
        }
        line("sharing", sharing_in_words(self.sharing).into())?;
        let limit = self.eager_limit;
        line(
            "eager",
            format!("messages of up to {limit} bytes do not wait for their receivers"),
        )
    }
}

fn paths_in_words(paths: Paths) -> &'static str {
    match paths {
        Paths::Static => "one for each pair of nodes (static)",
        Paths::Spread => "evenly over all shortest ones (spread)",
    }
}

fn ties_in_words(ties: Ties) -> &'static str {
    match ties {
        Ties::Any => "half way round a ring: nobody knows which way (any)",
        Ties::Plus => "half way round a ring: upwards (+)",
        Ties::Minus => "half way round a ring: downwards (-)",
        Ties::Source => "half way round a ring: by the source, as on SimGrid's tori (source)",
        Ties::Split => "half way round a ring: half of the bytes each way (split)",
    }
}

fn sharing_in_words(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::ByPath => "on a link, messages with short paths get more (by-path)",
        Sharing::Equal => "on a link, all messages get the same (equal)",
    }
}
