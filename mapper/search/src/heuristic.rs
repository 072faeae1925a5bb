//! What a heuristic and a refinement are: the two open sets the portfolio draws from.
//!
//! A heuristic makes a placement from nothing; a refinement improves one. Both return what they did as
//! data ([`Diagnostics`]), so that `--explain` and reports need no log scraping.

use rankfold_model::comm::{Affinity, CommGraph};
use rankfold_model::machine::Machine;
use rankfold_model::pattern::Pattern;
use rankfold_model::placement::Placement;
use std::fmt;
use std::time::Instant;

/// Everything a heuristic may look at.
#[derive(Debug)]
pub struct Problem<'a> {
    /// Directed bytes between ranks.
    pub graph: &'a CommGraph,
    /// The same, both directions added.
    pub affinity: &'a Affinity,
    /// Nodes, network and slots; the ranks fit (checked by the caller).
    pub machine: &'a Machine,
    /// What the analyser made of the graph.
    pub pattern: &'a Pattern,
    /// Seed of every random choice; the same seed gives the same bytes on any number of threads.
    pub seed: u64,
    /// What to minimise.
    pub objective: Objective,
    /// How much work is welcome.
    pub effort: Effort,
    /// When to stop, for searches that can go on as long as they are let; without it they do a fixed amount
    /// of work.
    pub deadline: Option<Instant>,
}

/// What "best" means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// Fewest bytes x hops.
    #[default]
    HopBytes,
    /// Lowest maximum congestion under the machine's own routing.
    Congestion,
    /// Lowest hybrid metric (PTRAM 2016).
    Hybrid,
}

/// How long to search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// One good construction, exchanges until none pays: a second for 64k ranks.
    Fast,
    /// Every construction that may win, then annealing from the best: seconds for 4k ranks.
    #[default]
    Balanced,
    /// Every heuristic, the irregular ones on a grid too, and thirty times the annealing: minutes for 1k ranks.
    Best,
}

/// Which kind of communication a heuristic is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Needs no knowledge of the communication at all.
    Oblivious,
    /// Needs a recognised grid of ranks.
    Regular,
    /// Takes any graph.
    Irregular,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Oblivious => "oblivious",
            Self::Regular => "regular",
            Self::Irregular => "irregular",
        })
    }
}

/// Makes placements. One file per member, listed in [`crate::select::HEURISTICS`].
pub trait Heuristic: Sync {
    /// The name users type.
    fn name(&self) -> &'static str;

    /// Which kind of communication it is made for.
    fn family(&self) -> Family;

    /// One line: what it does and where it comes from (paper, section).
    fn summary(&self) -> &'static str;

    /// Ranks up to which it is worth its time: beyond, it only runs when asked for by name.
    fn affordable_ranks(&self) -> usize {
        usize::MAX
    }

    /// Whether it is among the best on this kind of machine: elsewhere, it only runs at the highest effort
    /// and when asked for by name.
    fn suits(&self, _machine: &Machine) -> bool {
        true
    }

    /// The effort from which on it takes part without being asked by name.
    fn least_effort(&self) -> Effort {
        Effort::Fast
    }

    /// Whether its placements have had the short refinements already: to save time they then get none.
    fn refines(&self) -> bool {
        false
    }

    /// A placement of every rank, or the reason why there is none.
    ///
    /// # Errors
    /// [`NotApplicable`]: say what is missing, in words a user understands.
    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable>;
}

/// Improves placements. One file per member, listed in [`crate::select::REFINEMENTS`].
pub trait Refinement: Sync {
    /// The name users type.
    fn name(&self) -> &'static str;

    /// One line: what it does and where it comes from.
    fn summary(&self) -> &'static str;

    /// Whether it is made for this kind of machine; elsewhere it does not run.
    fn suits(&self, _machine: &Machine) -> bool {
        true
    }

    /// The effort from which on it runs. Refinements above [`Effort::Fast`] are long searches: they run last,
    /// and only on the most promising candidates.
    fn least_effort(&self) -> Effort {
        Effort::Fast
    }

    /// Improves `placement` in place, never making hop-bytes worse.
    fn refine(&self, problem: &Problem<'_>, placement: &mut Placement) -> Diagnostics;
}

/// A placement and how it came about.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Rank -> slot.
    pub placement: Placement,
    /// What the heuristic did.
    pub diagnostics: Diagnostics,
}

impl From<Placement> for Placed {
    fn from(placement: Placement) -> Self {
        Self {
            placement,
            diagnostics: Diagnostics::default(),
        }
    }
}

/// Why a heuristic does not take part, for `--explain`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotApplicable(pub String);

/// What an algorithm did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Diagnostics {
    /// Sweeps, iterations or starts, whatever the algorithm repeats.
    pub passes: u32,
    /// Moves (swaps, relocations) carried out.
    pub moves: u64,
    /// Hop-bytes before the first pass and after each; a refinement's last entry is that of its result.
    pub history: Vec<u128>,
    /// Choices worth telling, one line each ("start node 4 of 16", "shape 4x2x2 folded along x").
    pub notes: Vec<String>,
}
