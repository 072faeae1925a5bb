//! Tracks wound around a torus: a long and narrow grid laid onto a plane torus without a fold.
//!
//! A track is a staircase in the plane torus of `wide x high` cells: it steps to the right, and at
//! regular intervals it steps up instead. The next track is the same staircase shifted one cell to
//! the left and one cell up, and it starts one step later. The tracks tile the plane, and every
//! staircase joins itself after `length` steps, so the long dimension becomes a ring of single
//! hops.
//!
//! ```text
//! 12x3 grid on a torus of 6x6: tracks a, b and c with steps 0 to b, every second step goes up
//! c3 c4 b6 b7 a9 aa
//! c2 b4 b5 a7 a8 c1
//! b2 b3 a5 a6 cb c0
//! b1 a3 a4 c9 ca b0
//! a1 a2 c7 c8 ba bb
//! a0 c5 c6 b8 b9 ab      ab is one hop from a0 across the wrap-around
//! ```
//!
//! A fold costs more hops the more tracks there are. Here a step between tracks costs 1 + 2 / g
//! hops on average, where g is the number of steps from one step up to the next, and a step along a
//! track costs one hop, whatever the length. The construction is new here. Cost: O(n) for n cells.

use super::IndexMap;

/// A winding: how steep the tracks are, and how many of them fill the torus.
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
    /// Let f(w) be the number of steps up among the first w steps. The cell (x, y) of the unrolled
    /// plane is step w = x + y + track of track y - f(w). One turn around the torus in either
    /// direction must change the track by a multiple of the number of tracks. That number then is
    /// the greatest common divisor of the changes in the two directions.
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

    /// Share of the steps that go up.
    pub(in crate::regular) fn steepness(&self) -> f64 {
        self.rise as f64 / self.period as f64
    }

    /// The map of `length x tracks` cells onto `wide x high` cells.
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
