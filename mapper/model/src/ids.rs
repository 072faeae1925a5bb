//! The integers people confuse, one type each, so that a rank is never taken for a node.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The same number, as an index into a table of these.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The identifier of table entry `index`.
            ///
            /// # Panics
            /// If `index` does not fit 32 bits: no table of this crate is that long.
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
    /// Index of a host in its machine's own order (see [`crate::machine`]).
    NodeId
}
id! {
    /// One place for one rank. Slots are numbered node by node.
    SlotId
}
id! {
    /// A core inside one node.
    CoreId
}
id! {
    /// One direction of one cable.
    ChannelId
}
