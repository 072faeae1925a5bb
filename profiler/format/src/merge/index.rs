//! Communicators of the profile, found by the hash that all their members compute.

use std::collections::HashMap;

/// Index in the profile and number of members, by hash.
pub(super) type Index = HashMap<u64, (u32, usize)>;
