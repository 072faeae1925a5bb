//! The inside of a node: its cores in order, the packages, memories and caches that they share, and
//! the network adapters and GPUs that are near to some of them.
//!
//! Ranks of one node are 0 hops apart, whatever is inside. The inside decides which rank of a node
//! gets which slot (the refinement `inside`), and which core a mapfile names. Where nobody tells
//! the cables of a host, it has one for each adapter.

use rankfold_base::CoreId;
use std::ops::Range;

/// The cores of a node, numbered depth first, and the levels of groups of cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inside {
    cores: u32,
    levels: Vec<InsideLevel>,
    /// For every level and core, the number of the group that the core is in.
    groups: Vec<Vec<u32>>,
    nics: Vec<Device>,
    gpus: Vec<Device>,
    /// For every core the number of levels between it and the nearest adapter.
    to_nic: Vec<u32>,
}

/// A network adapter or a GPU, and the cores that are near to it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Its name in the operating system, or its address.
    pub name: String,
    /// The first core that is near.
    pub first: u32,
    /// Number of cores that are near, from the first one on.
    pub cores: u32,
}

impl Device {
    /// The cores that are near.
    #[must_use]
    pub fn near(&self) -> Range<u32> {
        self.first..self.first.saturating_add(self.cores)
    }
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
            to_nic: vec![0; cores as usize],
            cores,
            levels,
            groups,
            nics: Vec::new(),
            gpus: Vec::new(),
        })
    }

    /// The same with network adapters and GPUs.
    ///
    /// # Errors
    /// A message for a device that is near to no core, or to one that is not there.
    pub fn with_devices(self, nics: Vec<Device>, gpus: Vec<Device>) -> Result<Self, String> {
        for device in nics.iter().chain(&gpus) {
            let near = device.near();
            if near.is_empty() || near.end > self.cores {
                return Err(format!(
                    "{} is near to cores {} to {}, and the node has cores 0 to {}",
                    device.name,
                    near.start,
                    i64::from(near.end) - 1,
                    self.cores - 1
                ));
            }
        }
        let nearest = |core| nics.iter().map(|nic| self.levels_to(core, nic)).min();
        Ok(Self {
            to_nic: (0..self.cores)
                .map(|core| nearest(core).unwrap_or(0))
                .collect(),
            nics,
            gpus,
            ..self
        })
    }

    /// The levels between a core and a device: those at which no core near to the device is in the
    /// group of `core`, among the levels that have all of them in one group.
    fn levels_to(&self, core: u32, device: &Device) -> u32 {
        let near = device.near();
        if near.contains(&core) {
            return 0;
        }
        let apart = |of: &&Vec<u32>| {
            let [own, first, last] = [core, near.start, near.end - 1].map(|at| of[at as usize]);
            first == last && own != first
        };
        (self.groups.iter().filter(apart).count() as u32).max(1)
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

    /// The network adapters.
    #[must_use]
    pub fn nics(&self) -> &[Device] {
        &self.nics
    }

    /// The GPUs.
    #[must_use]
    pub fn gpus(&self) -> &[Device] {
        &self.gpus
    }

    /// The number of levels between the nearest of some cores and the adapter that is nearest to
    /// it: 0 where one of them is near to an adapter, and where no adapter is known.
    #[must_use]
    pub fn steps_to_nic(&self, cores: Range<u32>) -> u32 {
        let cores = cores.start as usize..cores.end as usize;
        let levels = self.to_nic.get(cores).into_iter().flatten();
        levels.copied().min().unwrap_or(0)
    }

    /// For every level the group that a core is in, from the outermost level in.
    pub fn groups(&self, core: CoreId) -> impl Iterator<Item = u32> {
        self.groups.iter().map(move |of| of[core.index()])
    }

    /// The cores of slot number `slot` of `slots`, which get the cores in order. Groups of cores
    /// get slots by their cores, from the outermost level in, so that no slot has cores of two
    /// groups that could have one each. The slots of an innermost group share its cores evenly, and
    /// where there are more groups than slots, every slot has as many whole groups as others have.
    #[must_use]
    pub fn share(&self, slot: u32, slots: u32) -> Range<u32> {
        let mut part = Part {
            cores: 0..self.cores,
            slot,
            slots,
        };
        for of in &self.groups {
            let cores = &of[part.cores.start as usize..part.cores.end as usize];
            let mut ends = Vec::new();
            let mut end = part.cores.start;
            for group in cores.chunk_by(|a, b| a == b) {
                end += group.len() as u32;
                ends.push(end);
            }
            match part.of_group(&ends) {
                Some(within) => part = within,
                None => return part.of_groups(&ends),
            }
        }
        part.of_cores()
    }
}

/// A slot among those of a range of cores.
struct Part {
    cores: Range<u32>,
    slot: u32,
    slots: u32,
}

impl Part {
    /// `number / of` of `all`, rounded down.
    fn share_of(number: u32, of: u32, all: u32) -> u32 {
        let share = u64::from(number) * u64::from(all) / u64::from(of);
        u32::try_from(share).expect("at most all")
    }

    /// The slot among those of the group that it is in; `None` where some group has no slot.
    fn of_group(&self, ends: &[u32]) -> Option<Self> {
        let (mut start, mut before, mut own) = (self.cores.start, 0, None);
        for &end in ends {
            let cores = self.cores.end - self.cores.start;
            let after = Self::share_of(end - self.cores.start, cores, self.slots);
            if after == before {
                return None;
            }
            if (before..after).contains(&self.slot) {
                own = Some(Self {
                    cores: start..end,
                    slot: self.slot - before,
                    slots: after - before,
                });
            }
            (start, before) = (end, after);
        }
        own
    }

    /// The groups of the slot where there are not more slots than groups; else its cores.
    fn of_groups(&self, ends: &[u32]) -> Range<u32> {
        let groups = ends.len() as u32;
        if self.slots > groups {
            return self.of_cores();
        }
        let start = |slot: u32| match Self::share_of(slot, self.slots, groups) {
            0 => self.cores.start,
            group => ends[group as usize - 1],
        };
        start(self.slot)..start(self.slot + 1)
    }

    /// An even share of the cores.
    fn of_cores(&self) -> Range<u32> {
        let cores = self.cores.end - self.cores.start;
        let start = |slot: u32| self.cores.start + Self::share_of(slot, self.slots, cores);
        let first = start(self.slot);
        first..start(self.slot + 1).max(first + 1)
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
    fn no_slot_has_cores_of_two_groups_that_could_have_one_each() {
        let levels = vec![level("package", &[8, 8]), level("numa", &[4; 4])];
        let inside = Inside::new(16, levels).unwrap();
        let shares = |slots| -> Vec<_> { (0..slots).map(|s| inside.share(s, slots)).collect() };
        assert_eq!(shares(1), std::slice::from_ref(&(0..16)));
        assert_eq!(shares(2), [0..8, 8..16]);
        assert_eq!(shares(3), [0..8, 8..12, 12..16]);
        assert_eq!(shares(5), [0..4, 4..8, 8..12, 12..14, 14..16]);
        assert_eq!(shares(6)[..3], [0..4, 4..6, 6..8]);
        let uneven = Inside::new(8, vec![level("numa", &[7, 1])]).unwrap();
        assert_eq!([0, 1].map(|s| uneven.share(s, 2)), [0..7, 7..8]);
        assert_eq!([0, 1, 2].map(|s| uneven.share(s, 3)), [0..3, 3..7, 7..8]);
    }

    #[test]
    fn an_adapter_is_near_to_its_cores_and_levels_away_from_all_others() {
        let levels = vec![level("package", &[8, 8]), level("numa", &[4; 4])];
        let nic = |first, cores| Device {
            name: "mlx5_0".into(),
            first,
            cores,
        };
        let inside = |nics| {
            let inside = Inside::new(16, levels.clone()).unwrap();
            inside.with_devices(nics, Vec::new()).unwrap()
        };
        let steps = |inside: &Inside| [0, 4, 8, 12].map(|core| inside.steps_to_nic(core..core + 2));
        assert_eq!(steps(&inside(vec![nic(4, 4)])), [1, 0, 2, 2]);
        assert_eq!(steps(&inside(vec![nic(8, 8)])), [1, 1, 0, 0]);
        assert_eq!(steps(&inside(vec![nic(0, 4), nic(8, 8)])), [0, 1, 0, 0]);
        assert_eq!(steps(&inside(vec![nic(0, 16)])), [0; 4]);
        assert_eq!(steps(&inside(Vec::new())), [0; 4]);
        assert_eq!(inside(vec![nic(4, 4)]).steps_to_nic(0..8), 0);
        for wrong in [nic(12, 5), nic(3, 0)] {
            let refused = inside(Vec::new()).with_devices(vec![wrong], Vec::new());
            assert!(refused.unwrap_err().contains("mlx5_0 is near to cores"));
        }
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
