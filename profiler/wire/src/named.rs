//! Enums whose members have numbers in files and names in messages.

/// Defines an enum whose members have names. The constant `ALL` of the enum has the members in the
/// order of their numbers in a file. The method `name` is for messages and tables.
macro_rules! named {
    (
        $(#[$outer:meta])*
        pub enum $enum:ident {
            $($(#[$inner:meta])* $member:ident = $name:literal,)+
        }
    ) => {
        $(#[$outer])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize,
            serde::Deserialize,
        )]
        pub enum $enum {
            $($(#[$inner])* $member,)+
        }

        impl $enum {
            /// All members, in the order of their numbers in a file.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$member),+];

            /// The name in messages and tables.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$member => $name,)+
                }
            }
        }
    };
}
