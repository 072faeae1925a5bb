//! Indices of different kinds, each with a type of its own, so that a rank cannot be mistaken for a
//! node.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub struct $name(pub u32);

        impl $name {
            /// The index into a table of items of this kind.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The identifier for an index into a table.
            ///
            /// # Panics
            /// If `index` does not fit 32 bits. No table of this crate is that long.
            #[must_use]
            pub fn at(index: usize) -> Self {
                Self(u32::try_from(index).expect("identifiers are 32 bits wide"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// Index of a process in `MPI_COMM_WORLD`.
    Rank
}
id! {
    /// Index of a host in the order of its machine (see `rankfold_machine`).
    NodeId
}
id! {
    /// A place for one rank. Slots are numbered node by node.
    SlotId
}
id! {
    /// A core inside one node.
    CoreId
}
id! {
    /// One direction of a cable.
    ChannelId
}
