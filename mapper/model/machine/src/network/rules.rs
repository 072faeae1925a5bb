//! The rules by which messages choose among several shortest paths, the distances that levels
//! count, and the suffix that tells them in a spec: `torus:8x8x4/ties=source,order=2,0,1`,
//! `xgft:4,4:1,4/routes=spread`, `hierarchy:4:8:6/distances=1:10:100`.
//!
//! The suffix starts at the first `/` that a key and `=` follow, so that `@5GB/s` and paths of
//! files are not taken for one.

use rankfold_base::words::did_you_mean;
use schemars::JsonSchema;
use std::fmt;

/// Which way messages go that travel half way round a ring of even size, where both ways are
/// equally long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub enum Ties {
    /// Nobody knows.
    #[default]
    #[serde(rename = "any")]
    Any,
    /// Upwards: towards the next higher coordinate.
    #[serde(rename = "+")]
    Plus,
    /// Downwards.
    #[serde(rename = "-")]
    Minus,
    /// As on the tori of SimGrid: upwards if the target has the higher coordinate or the source is
    /// above half the size of the ring, else downwards. So only messages from half the size to 0 go
    /// downwards.
    #[serde(rename = "source")]
    Source,
    /// Half of the bytes go each way.
    #[serde(rename = "split")]
    Split,
}

/// All rules for ties, with their names in specs.
const TIES: [(Ties, &str); 5] = [
    (Ties::Plus, "+"),
    (Ties::Minus, "-"),
    (Ties::Source, "source"),
    (Ties::Split, "split"),
    (Ties::Any, "any"),
];

/// How many of the shortest paths messages between two nodes take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Paths {
    /// One: dimension order, forwarding tables or d-mod-k.
    #[default]
    Static,
    /// All, evenly: adaptive or multipath routing.
    Spread,
}

/// All kinds of paths, with their names in specs.
const PATHS: [(Paths, &str); 2] = [(Paths::Static, "static"), (Paths::Spread, "spread")];

/// The rules of one network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoutingRules {
    /// The rule for ties, if it was given.
    pub ties: Option<Ties>,
    /// The dimensions of a grid in the order in which they are routed, if it was given.
    pub order: Option<Vec<usize>>,
    /// One path or all, if it was given.
    pub paths: Option<Paths>,
    /// For every level of a tree, from the nodes up, the distance of nodes that the level is the
    /// first to join, if it was given; never falling.
    pub distances: Option<Vec<u16>>,
}

/// The keys of a suffix.
const KEYS: [&str; 4] = ["ties", "order", "routes", "distances"];

impl Ties {
    /// Whether a message from coordinate `from` half way round a ring of `size` goes upwards;
    /// `None` if both ways are taken, or nobody knows.
    #[inline]
    #[must_use]
    pub fn upwards(self, from: usize, size: usize) -> Option<bool> {
        match self {
            Self::Plus => Some(true),
            Self::Minus => Some(false),
            Self::Source => Some(2 * from != size),
            Self::Split | Self::Any => None,
        }
    }
}

impl RoutingRules {
    /// Whether no rule was given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Splits a spec into the part before the suffix and the rules of the suffix.
    ///
    /// # Errors
    /// A message for a key that does not exist or is given twice, and for a value that is not
    /// allowed.
    pub(crate) fn split(spec: &str) -> Result<(&str, Self), String> {
        match suffix(spec) {
            Some(at) => Ok((&spec[..at], Self::read(&spec[at + 1..])?)),
            None => Ok((spec, Self::default())),
        }
    }

    /// Reads `key=value,key=value`. A part without `=` belongs to the value before it.
    fn read(text: &str) -> Result<Self, String> {
        let mut entries: Vec<(&str, String)> = Vec::new();
        for part in text.split(',') {
            match (part.split_once('='), entries.last_mut()) {
                (Some((key, value)), _) => entries.push((key, value.into())),
                (None, Some((_, value))) => *value += &format!(",{part}"),
                (None, None) => return Err(format!("{part:?} is not key=value")),
            }
        }
        let mut rules = Self::default();
        for (key, value) in entries {
            rules.set(key, &value)?;
        }
        Ok(rules)
    }

    /// Sets the rule of a key from its value as text.
    ///
    /// # Errors
    /// A message that names the key, and what is allowed.
    pub(crate) fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let fresh = match key {
            "ties" => self.ties.replace(one_of(&TIES, key, value)?).is_none(),
            "routes" => self.paths.replace(one_of(&PATHS, key, value)?).is_none(),
            "order" => self.order.replace(order(value)?).is_none(),
            "distances" => self.distances.replace(distances(value)?).is_none(),
            _ => {
                return Err(format!(
                    "there is no key {key:?}{} (keys: {})",
                    did_you_mean(key, KEYS),
                    KEYS.join(", ")
                ));
            }
        };
        if fresh {
            Ok(())
        } else {
            Err(format!("{key} is given twice"))
        }
    }

    /// Checks that the order names every one of `dims` dimensions once.
    ///
    /// # Errors
    /// A message for another order.
    pub(super) fn check_order(&self, dims: usize) -> Result<(), String> {
        let Some(order) = &self.order else {
            return Ok(());
        };
        let mut sorted = order.clone();
        sorted.sort_unstable();
        if sorted.iter().copied().eq(0..dims) {
            return Ok(());
        }
        Err(format!(
            "order={} must name each of the dimensions 0 to {} once",
            listed(order, ","),
            dims.saturating_sub(1)
        ))
    }

    /// Checks that no rule is given that only a grid has.
    ///
    /// # Errors
    /// A message that names the key.
    pub(crate) fn check_switched(&self) -> Result<(), String> {
        match (self.ties, &self.order) {
            (Some(_), _) => Err("ties: only a torus has half-way ties".into()),
            (_, Some(_)) => Err("order: only a torus or mesh has dimensions".into()),
            _ => Ok(()),
        }
    }

    /// Checks that no rule is given that only a network with levels has.
    ///
    /// # Errors
    /// A message that names the key.
    pub(crate) fn check_without_levels(&self) -> Result<(), String> {
        match self.distances {
            Some(_) => Err("distances: only hierarchies and fat trees have levels".into()),
            None => Ok(()),
        }
    }
}

/// The position of the `/` that starts the suffix.
fn suffix(spec: &str) -> Option<usize> {
    let is_file = spec.starts_with("file:") || !spec.contains(':');
    let starts = |&(at, _): &(usize, &str)| match spec[at + 1..].split_once('=') {
        // A path may have = in it, but hardly one of the keys.
        Some((key, _)) if is_file => KEYS.contains(&key),
        Some((key, _)) => !key.is_empty() && key.bytes().all(|c| c.is_ascii_alphabetic()),
        None => false,
    };
    let mut slashes = spec.match_indices('/');
    slashes.find(starts).map(|(at, _)| at)
}

fn one_of<T: Copy>(all: &[(T, &str)], key: &str, value: &str) -> Result<T, String> {
    let found = all.iter().find(|(_, name)| *name == value);
    found.map(|&(one, _)| one).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&(_, name)| name).collect();
        format!("{key}={value}: allowed are {}", names.join(", "))
    })
}

fn order(value: &str) -> Result<Vec<usize>, String> {
    let numbers = value.split(',').map(str::parse);
    numbers.collect::<Result<_, _>>().map_err(|_| {
        format!("order={value}: allowed are numbers of dimensions separated by commas, as in 2,0,1")
    })
}

fn distances(value: &str) -> Result<Vec<u16>, String> {
    let numbers = value
        .split(':')
        .map(|word| word.parse().ok().filter(|&it| it > 0));
    let numbers: Vec<u16> = numbers.collect::<Option<_>>().ok_or_else(|| {
        let most = u16::MAX;
        format!("distances={value}: allowed are numbers from 1 to {most}, as in 1:10:100")
    })?;
    match numbers.windows(2).find(|pair| pair[0] > pair[1]) {
        Some(pair) => Err(format!(
            "distances={value}: {} is nearer than {} of the level inside it",
            pair[1], pair[0]
        )),
        None => Ok(numbers),
    }
}

fn listed<T: ToString>(numbers: &[T], between: &str) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.join(between)
}

impl fmt::Display for Ties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name(&TIES, *self))
    }
}

impl fmt::Display for Paths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name(&PATHS, *self))
    }
}

fn name<T: Copy + PartialEq>(all: &[(T, &'static str)], one: T) -> &'static str {
    let found = all.iter().find(|(other, _)| *other == one);
    found.expect("the table has all of them").1
}

/// Writes the suffix of a spec with these rules: `/ties=+`, or nothing where there is no rule but
/// what is so without a suffix.
impl fmt::Display for RoutingRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ties = self.ties.filter(|&ties| ties != Ties::Any);
        let paths = self.paths.filter(|&paths| paths != Paths::Static);
        let ascending = |order: &Vec<usize>| order.iter().copied().eq(0..order.len());
        let order = self.order.as_ref().filter(|order| !ascending(order));
        let distances = self.distances.as_ref();
        let entries = [
            ties.map(|ties| format!("ties={ties}")),
            paths.map(|paths| format!("routes={paths}")),
            order.map(|order| format!("order={}", listed(order, ","))),
            distances.map(|distances| format!("distances={}", listed(distances, ":"))),
        ];
        let entries: Vec<String> = entries.into_iter().flatten().collect();
        if entries.is_empty() {
            return Ok(());
        }
        write!(f, "/{}", entries.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(spec: &str) -> (String, String) {
        let (base, rules) = RoutingRules::split(spec).unwrap();
        (base.into(), rules.to_string())
    }

    #[test]
    fn a_suffix_is_told_from_units_and_paths() {
        for (spec, base, suffix) in [
            ("torus:4x4", "torus:4x4", ""),
            ("torus:4x4/ties=+", "torus:4x4", "/ties=+"),
            (
                "torus:4x4@5GB/s+500ns,1GB/s/ties=-,order=1,0",
                "torus:4x4@5GB/s+500ns,1GB/s",
                "/ties=-,order=1,0",
            ),
            ("torus:4/order=0,ties=any,routes=static", "torus:4", ""),
            ("tree:2x2/routes=spread", "tree:2x2", "/routes=spread"),
            ("file:a/b=c/g.json", "file:a/b=c/g.json", ""),
            (
                "file:a/g.json/routes=spread",
                "file:a/g.json",
                "/routes=spread",
            ),
            ("sites/x=1.toml", "sites/x=1.toml", ""),
        ] {
            assert_eq!(split(spec), (base.into(), suffix.into()), "{spec}");
        }
    }

    #[test]
    fn mistakes_name_the_key_and_what_is_allowed() {
        for (suffix, problem) in [
            ("ties=up", "ties=up: allowed are +, -, source, split, any"),
            ("routes=", "routes=: allowed are static, spread"),
            ("order=0;1", "order=0;1: allowed are numbers of dimensions"),
            (
                "tie=+",
                "there is no key \"tie\", did you mean ties? (keys: ties, order, routes, distances)",
            ),
            ("ties=+,ties=-", "ties is given twice"),
            ("distances=1:x", "distances=1:x: allowed are numbers from 1"),
            (
                "distances=10:1",
                "1 is nearer than 10 of the level inside it",
            ),
            ("ties=+/order=1,0", "ties=+/order=1,0: allowed are"),
        ] {
            let error = RoutingRules::split(&format!("torus:4x4/{suffix}")).unwrap_err();
            assert!(error.contains(problem), "{suffix}: {error}");
        }
    }

    #[test]
    fn by_source_a_tie_goes_down_from_half_the_size_only() {
        let upwards: Vec<_> = (0..6).map(|from| Ties::Source.upwards(from, 6)).collect();
        let [up, down] = [Some(true), Some(false)];
        // SimGrid goes right if the target is higher or the source above half the size. For
        // coordinates 0 to 2 the target is higher, from 3 it is 0 and lower, 4 and 5 are above 3.
        assert_eq!(upwards, [up, up, up, down, up, up]);
    }
}
