//! A placement that a report shows.

use rankfold_assess::Assessment;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;

/// A placement to show, with its name.
#[derive(Clone, Debug)]
pub struct NamedPlacement<'a> {
    /// Name, for instance "as launched".
    pub(super) name: String,
    /// What the name means, in a sentence.
    pub(super) about: String,
    /// The placement.
    pub(super) placement: &'a Placement,
    /// The communication of this side, if the sides are different runs.
    pub(super) graph: Option<&'a CommGraph>,
    /// The figures of the placement, where it was assessed before.
    pub(super) assessment: Option<&'a Assessment>,
}

impl<'a> NamedPlacement<'a> {
    /// A placement without an explanation of its name.
    #[must_use]
    pub fn new(name: &str, placement: &'a Placement) -> Self {
        Self {
            name: name.into(),
            about: String::new(),
            placement,
            graph: None,
            assessment: None,
        }
    }

    /// A placement that was assessed together with all others that are shown.
    #[must_use]
    pub fn assessed(name: &str, assessment: &'a Assessment) -> Self {
        Self {
            assessment: Some(assessment),
            ..Self::new(name, assessment.placement())
        }
    }

    /// The same with what the name means, in a sentence.
    #[must_use]
    pub fn explained(self, about: String) -> Self {
        Self { about, ..self }
    }

    /// Whether both are the same placement of the same run.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        self.graph.is_none() && other.graph.is_none() && self.placement == other.placement
    }

    /// The same placement, with the communication of another run.
    #[must_use]
    pub fn of(self, graph: &'a CommGraph) -> Self {
        Self {
            graph: Some(graph),
            ..self
        }
    }
}
