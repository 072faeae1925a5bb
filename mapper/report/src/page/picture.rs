//! A drawing of links: marks by colour, badges on the busiest, and where each link is for the
//! pointer.

use super::colours::STEPS;
use super::scale::{Loads, width};
use super::words::escaped;
use maud::{Markup, PreEscaped};
use std::fmt::Write;

/// How the marks of a layer are drawn.
#[derive(Clone, Copy)]
pub(super) enum Layer {
    /// As strokes, from the least to the most width.
    Strokes(f64, f64),
    /// As areas.
    Areas,
}

/// One link in a drawing.
pub(super) struct Mark {
    pub(super) layer: usize,
    pub(super) link: usize,
    /// The path of the drawing.
    pub(super) path: String,
    /// Where the pointer finds it: a point, or a line of points.
    pub(super) at: Vec<(f64, f64)>,
}

/// A drawing.
pub(super) struct Picture {
    pub(super) layers: Vec<Layer>,
    pub(super) marks: Vec<Mark>,
    /// What lies below the links, and above them.
    pub(super) under: String,
    pub(super) over: String,
    /// Left, top, width, height.
    pub(super) frame: (f64, f64, f64, f64),
    pub(super) label: String,
}

impl Picture {
    pub(super) fn new(layers: &[Layer], label: &str) -> Self {
        Self {
            layers: layers.to_vec(),
            marks: Vec::new(),
            under: String::new(),
            over: String::new(),
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

    /// The drawing of one side; the `hot` links get a badge with their number, from 1. `id` is its
    /// name in the data of the script.
    pub(super) fn html(
        &self,
        id: &str,
        side: usize,
        loads: &[f64],
        scale: &Loads,
        hot: &[usize],
    ) -> Markup {
        let (left, top, wide, high) = self.frame;
        let mut svg = format!(
            "<svg class=mach data-p={id} data-w={side} role=img aria-label=\"{}\" viewBox=\"{left:.0} {top:.0} {wide:.0} {high:.0}\">{}",
            escaped(&self.label),
            self.under
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
        svg.push_str(&self.over);
        self.badges(&mut svg, hot);
        svg.push_str("</svg>");
        PreEscaped(svg)
    }

    /// Badges beside the links of the list below, none on top of another.
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

    /// Where every link is, for the script: the link, as the difference to the one before, then the
    /// points in tenths, all but the first as differences.
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
    /// A point a badge's radius off the middle.
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
        match long > 0.0 {
            // To the right of the way the link leads.
            true => (middle.0 - down / long * 9.0, middle.1 + right / long * 9.0),
            false => (middle.0 + 9.0, middle.1 - 9.0),
        }
    }
}
