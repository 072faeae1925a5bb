//! The inside of a node: its cores in order, and the packages, memories and caches that they share.
//!
//! No figure of the network depends on the inside of nodes: ranks of one node are 0 hops apart. The
//! inside decides which rank of a node gets which slot (the refinement `inside`), and which core a
//! mapfile names.

use rankfold_base::CoreId;
use std::ops::Range;

/// The cores of a node, numbered depth first, and the levels of groups of cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    cores: u32,
    levels: Vec<InsideLevel>,
    /// For every level and core, the number of the group that the core is in.
    groups: Vec<Vec<u32>>,
}

/// One level of groups of cores that share a part of the hardware. Each group is within one group
/// of the level above.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InsideLevel {
    /// The part that a group shares: `package`, `numa`, `l3`, ..
    pub name: String,
    /// Number of cores of each group, in order.
    pub cores: Vec<u32>,
}

/// Limit on the cores of a node. Chosen by hand; no node has as many.
const MOST_CORES: u32 = 1 << 16;

impl Inside {
    /// The inside of a node of so many cores; levels are given from the outermost in.
    ///
    /// # Errors
    /// A message for a level whose groups do not add up to the cores, or with a group that is in
    /// two groups of the level above.
    pub fn new(cores: u32, levels: Vec<InsideLevel>) -> Result<Self, String> {
        if cores == 0 || cores > MOST_CORES {
            return Err(format!("{cores} cores: a node has 1 to {MOST_CORES}"));
        }
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for InsideLevel { name, cores: sizes } in &levels {
            let sum: u64 = sizes.iter().copied().map(u64::from).sum();
            if sum != u64::from(cores) || sizes.contains(&0) {
                return Err(format!(
                    "the groups of level {name} must share out the {cores} cores, they have {sum}"
                ));
            }
            let of: Vec<u32> = (0..)
                .zip(sizes)
                .flat_map(|(group, &size)| std::iter::repeat_n(group, size as usize))
                .collect();
            if let Some(above) = groups.last()
                && (1..of.len()).any(|c| of[c] == of[c - 1] && above[c] != above[c - 1])
            {
                return Err(format!(
                    "a group of level {name} is part of two groups of the level above"
                ));
            }
            groups.push(of);
        }
        Ok(Self {
            cores,
            levels,
            groups,
        })
    }

    /// Number of cores.
    #[must_use]
    pub fn cores(&self) -> u32 {
        self.cores
    }

    /// The levels from the outermost in.
    #[must_use]
    pub fn levels(&self) -> &[InsideLevel] {
        &self.levels
    }

    /// The number of levels to go up from core `a` until core `b` is in the same group: 0 for the
    /// core itself, 1 within an innermost group.
    #[must_use]
    pub fn steps(&self, a: CoreId, b: CoreId) -> u32 {
        if a == b {
            return 0;
        }
        let apart = |of: &&Vec<u32>| of[a.index()] != of[b.index()];
        1 + self.groups.iter().rev().take_while(apart).count() as u32
    }

    /// The cores of slot number `slot` of `slots`, among which the cores are divided evenly in
    /// order.
    #[must_use]
    pub fn share(&self, slot: u32, slots: u32) -> Range<u32> {
        let start = |slot: u32| {
            let before = u64::from(slot) * u64::from(self.cores) / u64::from(slots);
            u32::try_from(before).expect("at most the number of cores")
        };
        let first = start(slot);
        first..start(slot + 1).max(first + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(name: &str, cores: &[u32]) -> InsideLevel {
        InsideLevel {
            name: name.into(),
            cores: cores.into(),
        }
    }

    #[test]
    fn steps_count_the_levels_to_the_common_group() {
        let levels = vec![level("package", &[4, 4]), level("l3", &[2, 2, 3, 1])];
        let inside = Inside::new(8, levels).unwrap();
        let steps = |b| inside.steps(CoreId(0), CoreId(b));
        assert_eq!([0, 1, 2, 4, 7].map(steps), [0, 1, 2, 3, 3]);
    }

    #[test]
    fn slots_share_the_cores_or_the_cores_share_the_slots() {
        let inside = Inside::new(8, Vec::new()).unwrap();
        assert_eq!([0, 1, 2].map(|s| inside.share(s, 3)), [0..2, 2..5, 5..8]);
        assert_eq!([0, 1, 15].map(|s| inside.share(s, 16)), [0..1, 0..1, 7..8]);
    }

    #[test]
    fn levels_must_nest_and_cover_the_cores() {
        for (levels, problem) in [
            (
                vec![level("l3", &[4, 3])],
                "must share out the 8 cores, they have 7",
            ),
            (vec![level("l3", &[8, 0])], "must share out"),
            (
                vec![level("package", &[4, 4]), level("numa", &[3, 5])],
                "level numa is part of two groups",
            ),
        ] {
            let error = Inside::new(8, levels).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
        assert!(Inside::new(0, Vec::new()).unwrap_err().contains("0 cores"));
    }
}
