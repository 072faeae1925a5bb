//! The flag that says how the program exchanges messages.

use clap::ValueEnum;
use rankfold_graph::{CommGraph, exchange};

/// The flag that says how the program exchanges messages.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct ExchangeArgs {
    /// How ranks exchange messages with their partners: all at once, partner by partner (pairwise),
    /// or as the profile shows (auto) [where nothing shows it, auto means mostly all at once]
    #[arg(long, value_enum, value_name = "EXCHANGE", default_value_t)]
    pub(super) exchange: ExchangeArg,
}

/// `--exchange`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum ExchangeArg {
    #[default]
    Auto,
    All,
    Pairwise,
}

impl ExchangeArgs {
    /// The graph of a program that exchanges messages as the flag says.
    #[must_use]
    pub fn of(self, graph: CommGraph) -> CommGraph {
        match self.exchange {
            ExchangeArg::Auto => graph,
            ExchangeArg::All => graph.with_exchange(exchange::ALL),
            ExchangeArg::Pairwise => graph.with_exchange(exchange::PAIRWISE),
        }
    }
}
