//! `<cluster>`: hosts that are numbered and all alike, on a torus, a fat tree, a dragonfly, or with
//! links to one middle.
//!
//! Channels besides those of the network: the *limiter* of a host or switch is passed by all its
//! messages, in and out; the *backbone* of a cluster without a topology by all messages between its
//! hosts. The loopback of a host is no channel here but the bandwidth of its memory.

mod dragonfly;
mod fat_tree;
mod flat;
mod torus;

use super::element::Element;
use super::platform::zone::LocalRoutes;
use super::platform::{Cable, Platform, PointId, ZoneId};
use rankfold_importers::Result;
use rankfold_machine::Speed;

/// The attributes of a cluster.
#[derive(Debug)]
pub(super) struct Cluster<'a> {
    element: Element<'a>,
    name: &'a str,
    prefix: &'a str,
    suffix: &'a str,
    /// The numbers in the names of the hosts.
    radicals: Vec<u32>,
    cores: u32,
    speed: Speed,
    /// Whether every link has a channel for each direction.
    duplex: bool,
    /// Bandwidth of the limiters, if there are any.
    limiter: Option<f64>,
    loopback: Option<f64>,
}

/// The topologies of clusters, with the function that adds one. The first holds where none is
/// given.
type Build = fn(&Cluster<'_>, &mut Platform<'_>, ZoneId) -> Result<Box<dyn LocalRoutes>>;
const TOPOLOGIES: [(&str, Build); 4] = [
    ("FLAT", flat::add),
    ("TORUS", torus::add),
    ("FAT_TREE", fat_tree::add),
    ("DRAGONFLY", dragonfly::add),
];

impl<'a> Cluster<'a> {
    /// Reads a cluster and adds it to a platform.
    ///
    /// # Errors
    /// [`ImportError`] with the line of the cluster.
    pub(super) fn add(
        element: Element<'a>,
        platform: &mut Platform<'_>,
        inside: Option<ZoneId>,
    ) -> Result<()> {
        let cluster = Self::read(element)?;
        let topology = element.word("topology", &TOPOLOGIES.map(|(name, _)| name))?;
        let build = TOPOLOGIES.iter().find(|(name, _)| *name == topology);
        let (_, build) = build.expect("the word is one of the list");
        let zone = platform.zone(cluster.name, inside, element.place().line)?;
        platform.zones[zone.0].routes = build(&cluster, platform, zone)?;
        Ok(())
    }

    fn read(element: Element<'a>) -> Result<Self> {
        let policies = ["SPLITDUPLEX", "FULLDUPLEX", "SHARED", "FATPIPE"];
        let policy = element.word("sharing_policy", &policies)?;
        Ok(Self {
            name: element.required("id")?,
            prefix: element.attribute("prefix").unwrap_or_default(),
            suffix: element.attribute("suffix").unwrap_or_default(),
            radicals: radicals(element, element.required("radical")?)?,
            cores: element.number("core", 1)?,
            speed: element.speed("bw", "lat")?,
            // SimGrid 3.32 shares the links of a cluster with FATPIPE among both directions, too.
            duplex: policy.ends_with("DUPLEX"),
            limiter: element.bandwidth("limiter_link")?,
            loopback: element.bandwidth("loopback_bw")?,
            element,
        })
    }

    /// Adds the first `count` hosts, and returns the first of them.
    fn add_hosts(
        &self,
        platform: &mut Platform<'_>,
        zone: ZoneId,
        count: usize,
    ) -> Result<PointId> {
        if self.radicals.len() < count {
            return Err(self.element.bad(format!(
                "the topology has {count} hosts, radical only {}",
                self.radicals.len()
            )));
        }
        let first = PointId(platform.points.len());
        for radical in &self.radicals[..count] {
            let name = format!("{}{radical}{}", self.prefix, self.suffix);
            let host = platform.host(&name, zone, self.cores, self.loopback);
            host.map_err(|problem| self.element.bad(problem))?;
        }
        Ok(first)
    }

    /// Adds `count` limiters, if the cluster has limiters, and returns the first of them.
    fn add_limiters(&self, platform: &mut Platform<'_>, count: usize) -> Option<u32> {
        let speed = Speed {
            bandwidth: self.limiter?,
            latency: 0.0,
        };
        let first = platform.channels.len() as u32;
        for number in 0..count {
            platform.channel(format!("{}_link_{number}_limiter", self.name), speed);
        }
        Some(first)
    }

    fn cable(&self, platform: &mut Platform<'_>, name: &str, cables: u32) -> Cable {
        let speed = Speed {
            bandwidth: self.speed.bandwidth * f64::from(cables),
            ..self.speed
        };
        platform.cable(name, speed, self.duplex)
    }

    /// Whether messages queue for nothing but single directions of the network's own links.
    fn has_plain_links(&self) -> bool {
        self.duplex && self.limiter.is_none()
    }

    /// The parts of `topo_parameters` between semicolons, each a list of positive numbers.
    fn parameters(&self, parts: usize, meaning: &str) -> Result<Vec<Vec<usize>>> {
        let text = self
            .element
            .attribute("topo_parameters")
            .unwrap_or_default();
        let positive = |number: &str| number.trim().parse().ok().filter(|&number| number > 0);
        let list = |part: &str| {
            part.split(',')
                .map(positive)
                .collect::<Option<Vec<usize>>>()
        };
        let lists: Option<Vec<_>> = text.split(';').map(list).collect();
        lists.filter(|lists| lists.len() == parts).ok_or_else(|| {
            self.element.bad(format!(
                "topo_parameters={text:?} is not {meaning}, all positive numbers"
            ))
        })
    }

    /// The product of some sizes, if it is not too large.
    fn product<'n>(&self, sizes: impl IntoIterator<Item = &'n usize>) -> Result<usize> {
        const MOST: usize = 1 << 20;
        let mut sizes = sizes.into_iter();
        let product = sizes.try_fold(1usize, |product, &size| {
            product.checked_mul(size).filter(|&product| product <= MOST)
        });
        product.ok_or_else(|| {
            let problem = format!("topo_parameters: the sizes multiply to more than {MOST}");
            self.element.bad(problem)
        })
    }
}

/// Limit on the length of a list of radicals. Chosen by hand.
const MOST_RADICALS: usize = 1 << 20;

/// Reads numbers and ranges such as `0-99,200`.
pub(super) fn radicals(element: Element<'_>, text: &str) -> Result<Vec<u32>> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let (Some(first), Some(last)) = (number(first), number(last)) else {
            return Err(element.bad(format!("radical: {part:?} is no range such as 0-99")));
        };
        if last.saturating_sub(first) as usize > MOST_RADICALS - all.len().min(MOST_RADICALS) {
            return Err(element.bad(format!("radical: more than {MOST_RADICALS} hosts")));
        }
        all.extend(first..=last);
    }
    Ok(all)
}
