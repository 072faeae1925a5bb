//! The traits of heuristics and refinements: the two open sets that a portfolio draws from.
//!
//! A heuristic makes a placement from nothing; a refinement improves placements. Both return what
//! they did as data ([`Diagnostics`]), which `--explain` and reports show.

use crate::member_options::{MemberOption, MemberOptions};
use crate::objective::Objective;
use crate::team::{Alone, Team};
use rankfold_assess::Constraints;
use rankfold_base::Placement;
use rankfold_graph::{Affinity, CommGraph};
use rankfold_machine::Machine;
use rankfold_metric::{self as metric, BoundEffort};
use rankfold_pattern::Pattern;
use schemars::JsonSchema;
use std::fmt;
use std::time::Instant;

/// The input of heuristics and refinements.
#[derive(Debug)]
pub struct Problem<'a> {
    /// Directed bytes between ranks.
    pub graph: &'a CommGraph,
    /// Bytes between ranks, both directions added.
    pub affinity: &'a Affinity,
    /// Nodes, network and slots; the ranks fit (checked by the caller).
    pub machine: &'a Machine,
    /// What placements have to keep. Every search asks before it moves ranks; what a heuristic
    /// makes is mended before it is refined.
    pub constraints: &'a Constraints,
    /// The pattern that the analyser found in the graph.
    pub pattern: &'a Pattern,
    /// Seed of every random choice; the same seed gives the same bytes on any number of threads.
    pub seed: u64,
    /// What to minimise.
    pub objective: &'static dyn Objective,
    /// How much work to do.
    pub effort: Effort,
    /// The number of repetitions that papers leave to the user ([`About::loops`]); `None` for each
    /// paper's own number.
    pub loops: Option<u64>,
    /// The options of the heuristic that the user named ([`About::options`]).
    pub options: &'a MemberOptions,
    /// When searches that can go on stop; without a deadline they do a fixed amount of work.
    pub deadline: Option<Instant>,
    /// The processes that search together. A heuristic that all processes run at once
    /// ([`About::together`]) may deal out parts of its work.
    pub team: &'a dyn Team,
}

impl Problem<'_> {
    /// The same problem for a single process.
    pub fn by_itself(&self) -> Self {
        Self {
            team: &Alone,
            ..*self
        }
    }

    /// The middle of the time that is left until the deadline, if there is one.
    pub fn half_way(&self) -> Option<Instant> {
        self.part_way(2)
    }

    /// When the first of `parts` equal parts of the time that is left until the deadline ends, if
    /// there is a deadline.
    pub fn part_way(&self, parts: u32) -> Option<Instant> {
        let now = Instant::now();
        let part = |end: Instant| now + end.saturating_duration_since(now) / parts;
        self.deadline.map(part)
    }

    /// Hop-bytes that no placement is below; takes next to no time.
    pub fn quick_lower_bound(&self) -> u128 {
        let effort = BoundEffort::Quick;
        metric::lower_bound_of(self.affinity, self.machine, effort).hop_bytes
    }

    /// Hop-bytes of a placement.
    pub fn hop_bytes(&self, placement: &Placement) -> u128 {
        let nodes = placement.nodes(self.machine.slots());
        metric::hop_bytes_of(self.affinity, self.machine.topology(), &nodes)
    }
}

/// How much work to do.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// Like [`Fast`](Self::Fast) with shorter anneals: a second or two for 4096 ranks, while a
    /// program waits in `MPI_Init`.
    Hurried,
    /// The first good placement, with exchanges until none pays: a second for 65536 ranks.
    Fast,
    /// Every heuristic that may win, then annealing from the best: seconds for 4096 ranks.
    #[default]
    Balanced,
    /// Every heuristic, the irregular ones for grids as well, and the longest annealing: minutes
    /// for 1024 ranks.
    Best,
}

/// The kind of communication that a heuristic is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Needs no knowledge of the communication.
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

/// The description of a heuristic: its name, and when it takes part.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The name users type.
    pub name: &'static str,
    /// The name in tables and sentences, where the name that users type would be misread.
    pub name_in_words: &'static str,
    /// The kind of communication that the heuristic is made for.
    pub family: Family,
    /// One line: what the heuristic does and where it comes from (paper, section).
    pub summary: &'static str,
    /// With more ranks than this, the heuristic is not worth its time and runs only when asked for
    /// by name.
    pub affordable_ranks: usize,
    /// Whether the heuristic is among the best on a machine. Elsewhere it runs only at the highest
    /// effort and when asked for by name.
    pub suits: fn(&Machine) -> bool,
    /// The lowest effort at which the heuristic takes part without being asked for by name.
    pub least_effort: Effort,
    /// Whether the heuristic refines its placements itself. To save time, they then get no short
    /// refinements at low efforts.
    pub refines: bool,
    /// What [`Problem::loops`] is the number of, with the paper's own number, for heuristics whose
    /// paper leaves a number of repetitions to the user.
    pub loops: Option<&'static str>,
    /// What users may set behind the heuristic's name.
    pub options: &'static [MemberOption],
    /// Whether all processes of a team run the heuristic at once, each a part of it. Each other
    /// heuristic is run by one process.
    pub together: bool,
}

impl About {
    /// A heuristic that always takes part: at any effort, on every machine, with any number of
    /// ranks.
    #[must_use]
    pub const fn new(name: &'static str, family: Family, summary: &'static str) -> Self {
        Self {
            name,
            name_in_words: name,
            family,
            summary,
            affordable_ranks: usize::MAX,
            suits: |_| true,
            least_effort: Effort::Hurried,
            refines: false,
            loops: None,
            options: &[],
            together: false,
        }
    }

    /// The same, with another name in tables and sentences than the name that users type.
    #[must_use]
    pub const fn called(mut self, name_in_words: &'static str) -> Self {
        self.name_in_words = name_in_words;
        self
    }

    /// The same, worth its time up to `ranks` only.
    #[must_use]
    pub const fn up_to(mut self, ranks: usize) -> Self {
        self.affordable_ranks = ranks;
        self
    }

    /// The same, made for certain machines.
    #[must_use]
    pub const fn on(mut self, suits: fn(&Machine) -> bool) -> Self {
        self.suits = suits;
        self
    }

    /// The same, from `effort` on.
    #[must_use]
    pub const fn at_least(mut self, effort: Effort) -> Self {
        self.least_effort = effort;
        self
    }

    /// The same, repeating something as often as the user says.
    #[must_use]
    pub const fn repeating(mut self, what: &'static str) -> Self {
        self.loops = Some(what);
        self
    }

    /// The same, with options that users may set.
    #[must_use]
    pub const fn with_options(mut self, options: &'static [MemberOption]) -> Self {
        self.options = options;
        self
    }

    /// The same, run by all processes of a team at once.
    #[must_use]
    pub const fn by_all_processes(mut self) -> Self {
        self.together = true;
        self
    }

    /// The same, refining its placements itself.
    #[must_use]
    pub const fn with_refinements(mut self) -> Self {
        self.refines = true;
        self
    }
}

/// An algorithm that makes a placement. Each crate of heuristics lists them in one constant.
pub trait Heuristic: Sync {
    /// The heuristic's name and family, and when it takes part.
    fn about(&self) -> &About;

    /// Makes a placement of every rank.
    ///
    /// # Errors
    /// [`NotApplicable`]: there is no placement. The reason says what is missing, in words that a
    /// user understands.
    fn place(&self, problem: &Problem<'_>) -> Result<Placed, NotApplicable>;
}

/// The description of a refinement: its name, and when it runs on which placements.
#[derive(Clone, Copy, Debug)]
pub struct AboutRefinement {
    /// The name that users see.
    pub name: &'static str,
    /// One line: what the refinement does and where it comes from.
    pub summary: &'static str,
    /// Whether the refinement is made for a machine. Elsewhere it does not run.
    pub suits: fn(&Machine) -> bool,
    /// The lowest effort at which the refinement runs. Refinements above [`Effort::Fast`] are long
    /// searches: they run after the short ones, and only on the most promising placements.
    pub least_effort: Effort,
    /// The placements that the refinement gets, and so the method of [`Refinement`] that runs.
    pub scope: Scope,
    /// Whether the refinement itself counts the ranks that leave the placement to begin from. For
    /// all others, ranks that have not left it stay.
    pub counts_moves: bool,
}

/// The placements that a refinement gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Promising placements, one by one: [`Refinement::refine`] replaces each.
    EachPlacement,
    /// All placements found so far, at once: [`Refinement::search_on`] picks its starts among them
    /// and adds new candidates. Such refinements run last.
    BestPlacements,
    /// The winner, at the end: [`Refinement::refine`] moves ranks inside of their nodes.
    Winner,
}

impl AboutRefinement {
    /// A refinement that runs at any effort on every machine, on each promising placement.
    #[must_use]
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Self {
            name,
            summary,
            suits: |_| true,
            least_effort: Effort::Hurried,
            scope: Scope::EachPlacement,
            counts_moves: false,
        }
    }

    /// The same, counting the ranks that leave the placement to begin from.
    #[must_use]
    pub const fn counting_moves(mut self) -> Self {
        self.counts_moves = true;
        self
    }

    /// The same, made for certain machines.
    #[must_use]
    pub const fn on(mut self, suits: fn(&Machine) -> bool) -> Self {
        self.suits = suits;
        self
    }

    /// The same, from `effort` on.
    #[must_use]
    pub const fn at_least(mut self, effort: Effort) -> Self {
        self.least_effort = effort;
        self
    }

    /// The same, searching on from the best placements.
    #[must_use]
    pub const fn from_the_best(mut self) -> Self {
        self.scope = Scope::BestPlacements;
        self
    }
}

/// An algorithm that improves placements. The crate `rankfold-refine` lists them in one constant.
///
/// A member implements [`about`](Self::about) and the one of the two other methods that its
/// [`Scope`] names.
pub trait Refinement: Sync {
    /// The refinement's name, and when it runs on which placements.
    fn about(&self) -> &AboutRefinement;

    /// Improves `placement` in place, never making hop-bytes worse.
    fn refine(&self, _: &Problem<'_>, _: &mut Placement) -> Diagnostics {
        Diagnostics::default()
    }

    /// Searches on from some of `starts`, every placement found so far in the order found, and
    /// returns what it reached. All processes of a [team](Problem::team) call it at once.
    fn search_on(&self, _: &Problem<'_>, _: &[Start<'_>]) -> Vec<Reached> {
        Vec::new()
    }
}

/// A placement that a refinement may search on from.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Rank -> slot.
    pub placement: &'a Placement,
    /// Its hop-bytes.
    pub hop_bytes: u128,
}

/// A placement that a refinement reached from one of its starts.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Reached {
    /// Index of the start among all starts.
    pub start: usize,
    /// Rank -> slot.
    pub placement: Placement,
    /// What the refinement did, one entry each time that it ran on the way from the start.
    pub did: Vec<Diagnostics>,
    /// Wall-clock seconds that this took.
    pub seconds: f64,
}

/// A placement that a heuristic made.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
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

/// The reason why a heuristic does not take part, as `--explain` shows it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
#[error("{0}")]
pub struct NotApplicable(pub String);

/// What an algorithm did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Diagnostics {
    /// The number of sweeps, iterations or starts: whatever the algorithm repeats.
    pub passes: u32,
    /// The number of moves (exchanges, relocations) carried out.
    pub moves: u64,
    /// Hop-bytes before the first pass and after each pass. The last entry of a refinement is the
    /// hop-bytes of its result.
    pub history: Vec<u128>,
    /// Notes for the user, one line each ("start node 4 of 16", "shape 4x2x2 folded along x").
    pub notes: Vec<String>,
}
