//! Tracks around a torus: a long and narrow grid wound up without a single bend.
//!
//! A track is a staircase of steps to the right, every g-th one a step up instead, in the plane
//! torus of `wide x high`. The next track is the same one a cell to the left and a cell up, begun
//! one step later: the tracks tile the plane, and the cells of one count lie one hop apart, three
//! next to a step up. Where the torus closes every staircase joins itself after `length` steps, so
//! the long dimension is a ring of single hops.
//!
//! Folding such a grid costs hops that grow with the number of tracks at every fold. Here it is 1 +
//! 2 / g hops between tracks and one along them, whatever the length. The construction is ours.

use super::IndexMap;

/// Steps up out of how many steps, and how many tracks that makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::regular) struct Helix {
    /// Steps up in every `period` steps.
    rise: usize,
    period: usize,
    torus: (usize, usize),
    tracks: usize,
}

impl Helix {
    /// The least steep winding of `tracks` tracks that fills the torus, if there is one.
    ///
    /// With f(w) steps up among the first w, the cell (x, y) of the unrolled plane is step w = x +
    /// y + track of track y - f(w). Going once around the torus either way must lead from track to
    /// track by a multiple of their number, which then is the greatest common divisor of the two.
    pub(in crate::regular) fn new(tracks: usize, torus: (usize, usize)) -> Option<Self> {
        let (wide, high) = torus;
        let period = gcd(wide, high);
        (1..period)
            .find(|rise| gcd(rise * (wide / period), (period - rise) * (high / period)) == tracks)
            .filter(|_| wide > 2 && high > 2)
            .map(|rise| Self {
                rise,
                period,
                torus,
                tracks,
            })
    }

    /// Steps up among all steps.
    pub(in crate::regular) fn steepness(&self) -> f64 {
        self.rise as f64 / self.period as f64
    }

    /// Maps `length x tracks` onto `wide x high`.
    pub(in crate::regular) fn map(&self) -> IndexMap {
        let (wide, high) = self.torus;
        let length = wide * high / self.tracks;
        let mut image = Vec::with_capacity(wide * high);
        for step in 0..length {
            for track in 0..self.tracks {
                let w = step + track;
                let up = (w * self.rise).div_ceil(self.period);
                let (x, y) = (w - up, up + track);
                let x = (x + self.tracks * wide - track) % wide;
                image.push((x * high + y % high) as u32);
            }
        }
        IndexMap::new(vec![length, self.tracks], vec![wide, high], image)
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
