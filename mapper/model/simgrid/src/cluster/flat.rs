//! Clusters without a topology: every host has a link to the middle, which may be a backbone.

use super::super::platform::zone::{LocalRoutes, Spokes, Star};
use super::super::platform::{Platform, PointId, ZoneId};
use super::Cluster;
use rankfold_importers::Result;
use rankfold_machine::Speed;

pub(super) fn add(
    cluster: &Cluster<'_>,
    platform: &mut Platform<'_>,
    zone: ZoneId,
) -> Result<Box<dyn LocalRoutes>> {
    let backbone = backbone(cluster, platform)?;
    let hosts = cluster.radicals.len();
    let PointId(first) = cluster.add_hosts(platform, zone, hosts)?;
    let limiters = cluster.add_limiters(platform, hosts);
    let (mut star, mut cables) = (Star::default(), Vec::new());
    for (place, radical) in (0..).zip(&cluster.radicals) {
        let cable = cluster.cable(platform, &format!("{}_link_{radical}", cluster.name), 1);
        let limiter = limiters.map(|first| first + place as u32);
        let outward = |channel| limiter.into_iter().chain([channel]).chain(backbone);
        let mut down: Vec<u32> = outward(cable.down).collect();
        down.reverse();
        let spokes = Spokes {
            up: outward(cable.up).collect(),
            down,
        };
        star.spokes.insert(PointId(first + place), spokes);
        cables.push(cable);
    }
    let plain = cluster.has_plain_links() && backbone.is_none();
    star.cables = plain.then_some(cables);
    let usual = format!(
        "{}{}_router{}",
        cluster.prefix, cluster.name, cluster.suffix
    );
    let router = cluster.element.attribute("router_id").unwrap_or(&usual);
    let router = platform.point(router, Some(zone), None);
    router.map_err(|problem| cluster.element.bad(problem))?;
    Ok(Box::new(star))
}

/// The channel of the backbone, if the cluster has one.
fn backbone(cluster: &Cluster<'_>, platform: &mut Platform<'_>) -> Result<Option<u32>> {
    let latency = cluster.element.time("bb_lat")?;
    let Some(bandwidth) = cluster.element.bandwidth("bb_bw")? else {
        return match latency {
            0.0 => Ok(None),
            _ => Err(cluster.element.bad("bb_lat is given without bb_bw")),
        };
    };
    let bandwidth = match cluster
        .element
        .word("bb_sharing_policy", &["SHARED", "FATPIPE"])?
    {
        "FATPIPE" => f64::INFINITY,
        _ => bandwidth,
    };
    let name = format!("{}_backbone", cluster.name);
    let speed = Speed { bandwidth, latency };
    Ok(Some(platform.channel(name, speed)))
}
