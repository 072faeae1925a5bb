//! What the technology of a network tells about links and routes that its files do not.

use rankfold_machine::{Description, Paths, Sharing};

/// Kinds of networks by how messages share links and choose paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technology {
    /// Switches with credits give every message the same, and routes adapt to the load: Slingshot,
    /// EFA.
    Adaptive,
    /// Switches with credits give every message the same. The files tell the routes, or nobody
    /// does: InfiniBand, Omni-Path, the trees of schedulers.
    Credits,
    /// Round-trip times decide what a message gets.
    Tcp,
    /// Nobody tells.
    Unknown,
}

impl Technology {
    /// Adds what is not told otherwise.
    pub fn complete(self, description: &mut Description) {
        let sharing = match self {
            Self::Adaptive | Self::Credits => Some(Sharing::Equal),
            Self::Tcp => Some(Sharing::ByPath),
            Self::Unknown => None,
        };
        let timing = &mut description.timing;
        timing.sharing = timing.sharing.or(sharing);
        let has_free_routes = !description.links.is_empty() && description.tables.is_none();
        if self == Self::Adaptive && has_free_routes {
            description.rules.paths.get_or_insert(Paths::Spread);
        }
    }
}
