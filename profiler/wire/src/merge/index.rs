//! Finds communicators of the profile by the hash that all members compute.

use std::collections::HashMap;

/// For each hash: the index in the profile, and the number of members.
pub(super) type Index = HashMap<u64, (u32, usize)>;
