//! The axes of the matrix: the ranks at its places, and the parts of the machine.

use super::words;
use crate::data::Report;
use std::fmt::Write;

/// Side of the matrix, its left and its upper end, in units of the SVG.
pub(super) const SIDE: f64 = 500.0;
pub(super) const LEFT: f64 = 58.0;
pub(super) const TOP: f64 = 18.0;

/// The numbers of ranks at both axes, beside the places that hold them.
pub(super) fn ticks(text: &mut String, place: &[u32], places: usize) {
    const MOST: usize = 11;
    let steps = [1, 2, 4, 8, 16, 32, 64];
    let step = steps.into_iter().find(|step| places / step < MOST);
    let each = SIDE / places as f64;
    let mut ranks: Vec<(u32, usize)> = place.iter().copied().zip(0..).collect();
    ranks.sort_unstable();
    ranks.dedup_by_key(|&mut (place, _)| place);
    for (place, rank) in ranks {
        if !(place as usize).is_multiple_of(step.unwrap_or(128)) {
            continue;
        }
        let middle = (f64::from(place) + 0.5) * each;
        let _ = write!(
            text,
            "<text class=\"end t9\" x={:.0} y={:.1}>{rank}</text><text class=\"mid t9\" x={:.1} y={:.0}>{rank}</text>",
            LEFT - 4.0,
            TOP + middle + 3.0,
            LEFT + middle,
            TOP + SIDE + 13.0
        );
    }
}

/// Thin lines between the parts of the machine, and the parts' names.
pub(super) fn bands(report: &Report, places: usize) -> (String, String) {
    const NAMED: usize = 40;
    let (mut lines, mut text) = (String::new(), String::new());
    let Some(bands) = report
        .machine
        .as_ref()
        .and_then(|machine| machine.bands.as_ref())
    else {
        return (lines, text);
    };
    if bands.bands.len() > NAMED {
        return (lines, text);
    }
    let each = SIDE / places as f64;
    for band in &bands.bands {
        if band.start > 0 {
            let _ = write!(
                lines,
                "<path class=\"ax thin\" d=\"M0 {0}H{places}M{0} 0V{places}\"/>",
                band.start
            );
        }
        let middle = (band.start + band.end) as f64 / 2.0 * each;
        // Where the name does not fit, only its number is written.
        let room = (band.end - band.start) as f64 * each;
        let name = if room > 7.0 * band.name.len() as f64 {
            band.name.as_str()
        } else if room > 11.0 {
            band.name.rsplit(' ').next().unwrap_or("")
        } else {
            ""
        };
        let name = words::escaped(name);
        let _ = write!(
            text,
            "<text class=\"mid t9\" x={:.1} y=11>{name}</text><text class=\"mid t9\" transform=\"translate(27 {:.1}) rotate(-90)\">{name}</text>",
            LEFT + middle,
            TOP + middle
        );
    }
    (lines, text)
}
