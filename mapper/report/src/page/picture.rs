//! A drawing of links: marks in the colours of loads, badges on the busiest links, and the position
//! of every link for the script, which shows what is under the pointer.

use super::chart::Chart;
use super::colours::STEPS;
use super::scale::{LoadScale, width};
use super::words::escaped;
use maud::{Markup, PreEscaped};
use std::fmt::Write;

/// How the links of a layer are drawn.
#[derive(Clone, Copy)]
pub(super) enum Layer {
    /// As strokes, whose width grows with the load from the first number to the second.
    Strokes(f64, f64),
    /// As filled areas.
    Areas,
}

/// One link in a drawing.
pub(super) struct Mark {
    pub(super) layer: usize,
    pub(super) link: usize,
    /// The link's SVG path.
    pub(super) path: String,
    /// Where the pointer finds the link: at one point or along a line of points.
    pub(super) at: Vec<(f64, f64)>,
}

/// A drawing of a machine's links.
pub(super) struct Picture {
    pub(super) layers: Vec<Layer>,
    pub(super) marks: Vec<Mark>,
    /// SVG drawn below the links, and SVG drawn above them.
    pub(super) under: Chart,
    pub(super) over: Chart,
    /// Left, top, width and height of the drawing.
    pub(super) frame: (f64, f64, f64, f64),
    pub(super) label: String,
}

impl Picture {
    pub(super) fn new(layers: &[Layer], label: &str) -> Self {
        Self {
            layers: layers.to_vec(),
            marks: Vec::new(),
            under: Chart::default(),
            over: Chart::default(),
            frame: (0.0, 0.0, 0.0, 0.0),
            label: label.into(),
        }
    }

    pub(super) fn mark(&mut self, layer: usize, link: usize, path: String, at: &[(f64, f64)]) {
        self.marks.push(Mark {
            layer,
            link,
            path,
            at: at.to_vec(),
        });
    }

    /// The SVG of one side. The links in `hot` get badges with the numbers 1, 2 and so on. `id` is
    /// the drawing's name in the script's data.
    pub(super) fn html(
        &self,
        id: &str,
        side: usize,
        loads: &[f64],
        scale: &LoadScale,
        hot: &[usize],
    ) -> Markup {
        let (left, top, wide, high) = self.frame;
        let mut svg = format!(
            "<svg class=mach data-p={id} data-w={side} role=img aria-label=\"{}\" viewBox=\"{left:.0} {top:.0} {wide:.0} {high:.0}\">{}",
            escaped(&self.label),
            self.under.drawn()
        );
        for (number, layer) in self.layers.iter().enumerate() {
            let mut steps = vec![String::new(); STEPS + 1];
            for mark in self.marks.iter().filter(|mark| mark.layer == number) {
                let step = scale.step(loads[mark.link]).map_or(0, |step| step + 1);
                steps[step].push_str(&mark.path);
            }
            for (step, path) in steps
                .iter()
                .enumerate()
                .filter(|(_, path)| !path.is_empty())
            {
                let _ = match (layer, step.checked_sub(1)) {
                    (Layer::Strokes(..), None) => {
                        write!(svg, "<path class=\"ln z\" d=\"{path}\"/>")
                    }
                    (Layer::Strokes(least, most), Some(step)) => write!(
                        svg,
                        "<path class=\"ln L{step}\" stroke-width=\"{:.1}\" d=\"{path}\"/>",
                        width(step, *most, *least)
                    ),
                    (Layer::Areas, None) => write!(svg, "<path class=plot d=\"{path}\"/>"),
                    (Layer::Areas, Some(step)) => write!(svg, "<path class=l{step} d=\"{path}\"/>"),
                };
            }
        }
        svg.push_str(self.over.drawn());
        self.badges(&mut svg, hot);
        svg.push_str("</svg>");
        PreEscaped(svg)
    }

    /// Draws badges with the numbers of the list of busiest links. Badges do not cover each other.
    fn badges(&self, svg: &mut String, hot: &[usize]) {
        let mut taken: Vec<(f64, f64)> = Vec::new();
        for (number, link) in hot.iter().enumerate() {
            let Some(mark) = self.marks.iter().find(|mark| mark.link == *link) else {
                continue;
            };
            let (x, y) = mark.beside();
            let free = |&(x, y): &(f64, f64)| {
                taken
                    .iter()
                    .all(|(a, b)| (x - a).abs() > 13.0 || (y - b).abs() > 13.0)
            };
            let steps = [
                (0.0, 0.0),
                (-14.0, 0.0),
                (14.0, 0.0),
                (0.0, -14.0),
                (0.0, 14.0),
                (-28.0, 0.0),
                (28.0, 0.0),
            ];
            let place = steps
                .map(|(right, down)| (x + right, y + down))
                .into_iter()
                .find(free);
            let (x, y) = place.unwrap_or((x, y));
            taken.push((x, y));
            let _ = write!(
                svg,
                "<g class=bd transform=\"translate({x:.1} {y:.1})\"><circle r=7 /><text class=mid y=3.4>{}</text></g>",
                number + 1
            );
        }
    }

    /// The position of every link for the script. An entry holds the link's number and the points
    /// in tenths of a unit; both are written as differences to the one before.
    pub(super) fn places(&self) -> Vec<Vec<i32>> {
        let tenth = |value: f64| (value * 10.0).round() as i32;
        let mut last = 0;
        let mut one = |mark: &Mark| {
            let mut place = vec![mark.link as i32 - last];
            last = mark.link as i32;
            let (mut x, mut y) = (0, 0);
            for at in &mark.at {
                place.extend([tenth(at.0) - x, tenth(at.1) - y]);
                (x, y) = (tenth(at.0), tenth(at.1));
            }
            place
        };
        self.marks.iter().map(&mut one).collect()
    }
}

impl Mark {
    /// The position of a link's badge: beside the middle of the link, at the distance of a badge's
    /// radius.
    fn beside(&self) -> (f64, f64) {
        let (first, last) = match (self.at.first(), self.at.last()) {
            (Some(first), Some(last)) => (*first, *last),
            _ => return (0.0, 0.0),
        };
        let middle = match self.at.len() {
            many @ 3.. => self.at[many / 2],
            _ => ((first.0 + last.0) / 2.0, (first.1 + last.1) / 2.0),
        };
        let (right, down) = (last.0 - first.0, last.1 - first.1);
        let long = right.hypot(down);
        if long > 0.0 {
            // On the right-hand side, seen in the direction of the link.
            (middle.0 - down / long * 9.0, middle.1 + right / long * 9.0)
        } else {
            (middle.0 + 9.0, middle.1 - 9.0)
        }
    }
}
