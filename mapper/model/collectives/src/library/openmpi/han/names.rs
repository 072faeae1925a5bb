//! The names and numbers by which parameters and rule files of Open MPI's `han` refer to components
//! and to levels of communicators.

/// A component that `han` hands collectives over to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    /// For communicators of one member.
    Itself,
    Basic,
    /// For non-blocking operations.
    LibNbc,
    Tuned,
    /// Through shared memory.
    Sm,
    Adapt,
    /// The stages of this component; on the program's own communicators only.
    Han,
}

/// The components with their names, by their numbers in parameters.
pub(super) const COMPONENTS: &[(&str, Component)] = &[
    ("self", Component::Itself),
    ("basic", Component::Basic),
    ("libnbc", Component::LibNbc),
    ("tuned", Component::Tuned),
    ("sm", Component::Sm),
    ("adapt", Component::Adapt),
    ("han", Component::Han),
];

impl Component {
    /// The component that rule files call `name`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let mut all = COMPONENTS.iter();
        all.find_map(|&(own, component)| (own == name).then_some(component))
    }
}

/// The communicators among which the choice of a component is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// The members on one host.
    IntraNode,
    /// One member of every host.
    InterNode,
    /// All members.
    Whole,
}

impl Level {
    /// The levels with their names, by their numbers in rule files.
    pub(super) const ALL: &[(&str, Self)] = &[
        ("intra_node", Self::IntraNode),
        ("inter_node", Self::InterNode),
        ("global_communicator", Self::Whole),
    ];
}
