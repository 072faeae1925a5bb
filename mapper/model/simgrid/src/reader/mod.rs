//! Reads the XML of a platform file.

mod zone;

use super::cluster::Cluster;
use super::element::Element;
use super::platform::{Cable, NamedLink, Platform, PointId, ZoneId};
use rankfold_base::words::did_you_mean;
use rankfold_importers::{Result, Source};
use zone::ZoneReader;

/// Limit on zones within zones. Chosen by hand.
const DEEPEST: usize = 32;

/// Elements that have no influence on routes or nominal speeds.
const IGNORED: [&str; 10] = [
    "config",
    "random",
    "prop",
    "trace",
    "trace_connect",
    "process",
    "actor",
    "storage",
    "storage_type",
    "model_prop",
];

/// Reads a platform file.
pub(super) fn platform(source: &Source) -> Result<Platform<'_>> {
    let document = source.xml()?;
    let mut platform = Platform::new(source);
    let root = document.root_element();
    if root.tag_name().name() != "platform" {
        let problem = format!("<{}> is not SimGrid's <platform>", root.tag_name().name());
        return Err(platform.line(1).bad(problem));
    }
    read_root(root, source, &mut platform)?;
    Ok(platform)
}

fn read_root<'a>(
    root: roxmltree::Node<'a, 'a>,
    source: &'a Source,
    platform: &mut Platform<'_>,
) -> Result<()> {
    let root = Element { source, node: root };
    let version: f64 = root.number("version", 0.0)?;
    if !(4.0..5.0).contains(&version) {
        return Err(root.bad(format!(
            "version {version}: version 4 is supported; simgrid_update_xml brings older files up to date"
        )));
    }
    for element in root.children().filter(|e| !IGNORED.contains(&e.tag())) {
        if !platform.zones.is_empty() {
            return Err(element.bad("a platform has one outermost zone or cluster"));
        }
        read_part(element, platform, None, 0)?;
    }
    if platform.hosts.is_empty() {
        return Err(root.bad("the platform has no host"));
    }
    Ok(())
}

/// Reads an element that is a zone or cluster.
fn read_part(
    element: Element<'_>,
    platform: &mut Platform<'_>,
    inside: Option<ZoneId>,
    depth: usize,
) -> Result<()> {
    match element.tag() {
        "cluster" => Cluster::add(element, platform, inside),
        "zone" | "AS" if depth == DEEPEST => {
            Err(element.bad(format!("more than {DEEPEST} zones are within each other")))
        }
        "zone" | "AS" => ZoneReader::new(element, platform, inside)?.read(platform, depth),
        tag => Err(element.bad(format!("<{tag}> is not supported here"))),
    }
}

fn read_link(element: Element<'_>, platform: &mut Platform<'_>) -> Result<()> {
    let name = element.required("id")?;
    let policies = ["SHARED", "SPLITDUPLEX", "FULLDUPLEX", "FATPIPE"];
    let policy = element.word("sharing_policy", &policies)?;
    let mut speed = element.speed("bandwidth", "latency")?;
    if policy == "FATPIPE" {
        speed.bandwidth = f64::INFINITY;
    }
    let duplex = policy.ends_with("DUPLEX");
    let cable = platform.cable(name, speed, duplex);
    let link = if duplex {
        NamedLink::Duplex(cable)
    } else {
        NamedLink::Shared(cable.up)
    };
    let named = platform.name_link(name, link);
    named.map_err(|problem| element.bad(problem))
}

/// The point that an attribute names.
fn point(element: Element<'_>, key: &str, platform: &Platform<'_>) -> Result<PointId> {
    let name = element.required(key)?;
    let point = platform.names.get(name).copied();
    point.ok_or_else(|| {
        let known = platform.names.keys().map(String::as_str);
        let meant = did_you_mean(name, known);
        element.bad(format!(
            "{key}: there is no host, router or zone named {name} up to here{meant}"
        ))
    })
}

/// The channels of the link that an attribute names, as a route passes it and as the route back
/// does.
fn link(
    element: Element<'_>,
    key: &str,
    direction: Option<&str>,
    platform: &Platform<'_>,
) -> Result<Cable> {
    let name = element.required(key)?;
    let direction = direction.unwrap_or("NONE");
    match (platform.links.get(name), direction) {
        (Some(&NamedLink::Shared(both)), "NONE") => Ok(Cable {
            up: both,
            down: both,
        }),
        (Some(&NamedLink::Duplex(cable)), "UP") => Ok(cable),
        (Some(&NamedLink::Duplex(Cable { up, down })), "DOWN") => Ok(Cable { up: down, down: up }),
        (Some(NamedLink::Duplex(_)), _) => Err(element.bad(format!(
            "link {name} has two directions: direction must be UP or DOWN"
        ))),
        (Some(NamedLink::Shared(_)), _) => Err(element.bad(format!(
            "link {name} has no direction {direction}: only one with SPLITDUPLEX has"
        ))),
        (None, _) => Err(element.bad(format!("there is no link named {name} up to here"))),
    }
}
