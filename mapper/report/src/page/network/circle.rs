//! Draws groups on a circle. Chords are the links between groups, ticks are the links of nodes, and
//! a small matrix shows the links within a group.

use super::{Drawn, Scene};
use crate::page::picture::{Layer, Picture};
use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

/// Maximum number of groups on a circle. Chosen by hand, by looking at drawings.
pub(super) const MOST: usize = 40;
/// Radius of the circle of routers, in units of the SVG.
const RADIUS: f64 = 176.0;
/// Width of the arcs of nodes, as the style sheet has it.
const NODE: f64 = 6.0;
/// Share of a group's arc that is left empty between groups.
const SPACE: f64 = 0.16;

/// The layers of the drawing: links between groups, links of nodes, links within groups.
const CHORDS: usize = 0;
const TICKS: usize = 1;
const CELLS: usize = 2;

pub(super) fn drawn(scene: &Scene<'_>, (groups, routers, hosts): (usize, usize, usize)) -> Drawn {
    let circle = Circle {
        groups,
        routers,
        hosts,
        nodes: scene.machine.nodes,
        mesh: (0.72 * TAU * (RADIUS + 58.0) / groups as f64).clamp(16.0, 110.0),
    };
    let layers = [
        Layer::Strokes(0.9, 6.0),
        Layer::Strokes(0.9, 4.6),
        Layer::Areas,
    ];
    let mut picture = Picture::new(
        &layers,
        "groups on a circle, links between groups as chords, those within one as a small matrix, those of nodes as ticks",
    );
    let ports = circle.ports(scene);
    for (number, link) in scene.network.links.iter().enumerate() {
        match link.kind {
            2 => circle.chord(&mut picture, number, (link.from, link.to), &ports),
            0 if hosts > 0 => circle.tick(&mut picture, number, (link.from, link.to)),
            _ => circle.cell(&mut picture, number, (link.from, link.to)),
        }
    }
    circle.routers(&mut picture);
    circle.nodes(&mut picture, scene);
    let reach = |group| {
        let (x, y) = circle.number(group);
        x.abs().max(y.abs()) + 9.0
    };
    let half = (0..groups).map(reach).fold(0.0, f64::max);
    picture.frame = (-half, -half, 2.0 * half, 2.0 * half);
    let nodes = match hosts {
        0 => "the grey arcs are nodes",
        _ => "spokes are the links of the nodes (grey arcs), out and in",
    };
    Drawn {
        id: "circle",
        title: "",
        how: format!(
            "{groups} groups on a circle. Chords are the links between groups; {nodes}; the {routers}×{routers} matrix outside is the full mesh within a group, row to column."
        ),
        picture,
    }
}

struct Circle {
    groups: usize,
    routers: usize,
    hosts: usize,
    nodes: usize,
    /// Side of the matrix of a group.
    mesh: f64,
}

fn polar(radius: f64, angle: f64) -> (f64, f64) {
    (radius * angle.cos(), radius * angle.sin())
}

impl Circle {
    /// The angle of a position in a group's arc; `part` is 0 at its begin and 1 at its end.
    fn angle(&self, group: usize, part: f64) -> f64 {
        TAU * (group as f64 + SPACE / 2.0 + (1.0 - SPACE) * part) / self.groups as f64 - PI / 2.0
    }

    /// The number of a router. In networks whose nodes are routers it is the node's number.
    fn router(&self, vertex: u32) -> usize {
        let vertex = vertex as usize;
        if self.hosts == 0 {
            vertex
        } else {
            vertex - self.nodes
        }
    }

    /// The angle at which each end of each chord leaves its router. The ends at a router are sorted
    /// by the direction of the other end, so that chords do not cross at the circle.
    fn ports(&self, scene: &Scene<'_>) -> HashMap<(usize, u32), f64> {
        let mut of: HashMap<u32, Vec<(usize, u32)>> = HashMap::new();
        for (number, link) in scene
            .network
            .links
            .iter()
            .enumerate()
            .filter(|(_, link)| link.kind == 2)
        {
            of.entry(link.from).or_default().push((number, link.to));
            of.entry(link.to).or_default().push((number, link.from));
        }
        let mut angles = HashMap::new();
        for (vertex, mut ends) in of {
            let router = self.router(vertex);
            let (group, nth) = (router / self.routers, router % self.routers);
            let round = |other: u32| {
                let there = self.router(other) / self.routers;
                (there + self.groups - group) % self.groups
            };
            ends.sort_by_key(|&(number, other)| (usize::MAX - round(other), number));
            let all = ends.len() as f64;
            for (place, (number, _)) in ends.into_iter().enumerate() {
                let part = (nth as f64 + (place as f64 + 0.5) / all) / self.routers as f64;
                angles.insert((number, vertex), self.angle(group, part));
            }
        }
        angles
    }

    fn chord(
        &self,
        picture: &mut Picture,
        link: usize,
        ends: (u32, u32),
        ports: &HashMap<(usize, u32), f64>,
    ) {
        let end = |vertex| polar(RADIUS - 4.0, ports[&(link, vertex)]);
        let (from, to) = (end(ends.0), end(ends.1));
        let bend = ((from.0 + to.0) * 0.125, (from.1 + to.1) * 0.125);
        let path = format!(
            "M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}",
            from.0, from.1, bend.0, bend.1, to.0, to.1
        );
        let on = |t: f64| {
            let mix = |a: f64, b: f64, c: f64| {
                (1.0 - t).powi(2) * a + 2.0 * t * (1.0 - t) * b + t * t * c
            };
            (mix(from.0, bend.0, to.0), mix(from.1, bend.1, to.1))
        };
        let at: Vec<(f64, f64)> = (0..=6).map(|part| on(f64::from(part) / 6.0)).collect();
        picture.mark(CHORDS, link, path, &at);
    }

    /// The position of a node in its group's arc, from 0 to 1; `part` is a position within the
    /// node.
    fn place(&self, node: usize, part: f64) -> f64 {
        let (router, nth) = (
            node / self.hosts.max(1) % self.routers,
            node % self.hosts.max(1),
        );
        let within = 0.08 + 0.84 * (nth as f64 + part) / self.hosts.max(1) as f64;
        (router as f64 + within) / self.routers as f64
    }

    fn tick(&self, picture: &mut Picture, link: usize, (from, to): (u32, u32)) {
        let out = (from as usize) < self.nodes;
        let node = from.min(to) as usize;
        let group = node / self.hosts / self.routers;
        let angle = self.angle(group, self.place(node, if out { 0.27 } else { 0.73 }));
        let (near, far) = (polar(RADIUS + 3.0, angle), polar(RADIUS + 20.0, angle));
        let path = format!("M{:.1} {:.1}L{:.1} {:.1}", near.0, near.1, far.0, far.1);
        picture.mark(
            TICKS,
            link,
            path,
            &if out { [far, near] } else { [near, far] },
        );
    }

    /// The middle of a group's matrix: as near to the circle as the arcs of the nodes allow.
    fn middle(&self, group: usize) -> (f64, f64) {
        /// Gap between the arcs and the matrix.
        const FREE: f64 = 6.0;
        let (right, down) = polar(1.0, self.angle(group, 0.5));
        let half = self.mesh / 2.0;
        let nearest = |distance: f64| {
            let beside = |along: f64| (along.abs() * distance - half).max(0.0);
            beside(right).hypot(beside(down))
        };
        let free = self.arcs() + NODE / 2.0 + FREE;
        // The nearest point of a square is at most its half diagonal closer than its middle.
        let (mut low, mut high) = (free, free + half * std::f64::consts::SQRT_2);
        while high - low > 0.1 {
            let tried = f64::midpoint(low, high);
            if nearest(tried) < free {
                low = tried;
            } else {
                high = tried;
            }
        }
        (right * high, down * high)
    }

    /// The upper left corner of a group's matrix.
    fn corner(&self, group: usize) -> (f64, f64) {
        let (x, y) = self.middle(group);
        (x - self.mesh / 2.0, y - self.mesh / 2.0)
    }

    /// The middle of a group's number, which stands beyond the group's matrix.
    fn number(&self, group: usize) -> (f64, f64) {
        let (right, down) = polar(1.0, self.angle(group, 0.5));
        let (x, y) = self.middle(group);
        let beyond = self.mesh / 2.0 / right.abs().max(down.abs()) + 9.0;
        (x + right * beyond, y + down * beyond)
    }

    /// Radius of the arcs of nodes.
    fn arcs(&self) -> f64 {
        if self.hosts > 0 {
            RADIUS + 26.0
        } else {
            RADIUS + 3.0
        }
    }

    fn cell(&self, picture: &mut Picture, link: usize, (from, to): (u32, u32)) {
        let (from, to) = (self.router(from), self.router(to));
        let (x, y) = self.corner(from / self.routers);
        let side = self.mesh / self.routers as f64;
        let left = x + (to % self.routers) as f64 * side;
        let top = y + (from % self.routers) as f64 * side;
        let wide = side * 0.93;
        let path = format!("M{left:.1} {top:.1}h{wide:.1}v{wide:.1}h{:.1}z", -wide);
        picture.mark(CELLS, link, path, &[(left + side / 2.0, top + side / 2.0)]);
    }

    fn arc(radius: f64, from: f64, to: f64) -> String {
        let (a, b) = (polar(radius, from), polar(radius, to));
        format!(
            "M{:.1} {:.1}A{radius} {radius} 0 0 1 {:.1} {:.1}",
            a.0, a.1, b.0, b.1
        )
    }

    fn routers(&self, picture: &mut Picture) {
        let mut path = String::new();
        for group in 0..self.groups {
            for router in 0..self.routers {
                let part = |inside: f64| (router as f64 + inside) / self.routers as f64;
                let (from, to) = (self.angle(group, part(0.06)), self.angle(group, part(0.94)));
                path.push_str(&Self::arc(RADIUS, from, to));
            }
            let (x, y) = self.corner(group);
            let side = self.mesh;
            picture.under.rect("class=plot", (x, y, side, side));
            let (x, y) = self.number(group);
            picture.under.text("mid t9", (x, y + 3.0), group);
        }
        if self.hosts > 0 {
            picture.over.path("rt", path);
        }
    }

    fn nodes(&self, picture: &mut Picture, scene: &Scene<'_>) {
        let radius = self.arcs();
        for (node, ranks) in scene.ranks().iter().enumerate() {
            let group = node / self.hosts.max(1) / self.routers;
            let end = |part| self.angle(group, self.place(node, part));
            let idle = if ranks.is_empty() { " free" } else { "" };
            let arc = Self::arc(radius, end(0.08), end(0.92));
            let node = format!("<g class=\"nd{idle}\" data-n={node}><path d=\"{arc}\"/></g>");
            picture.over.push(node);
        }
    }
}
