//! The axes of the matrix: the ranks at its places, and the parts of the machine.

use super::chart::Chart;
use crate::data::Report;

/// Side of the matrix, its left and its upper end, in units of the SVG.
pub(super) const SIDE: f64 = 500.0;
pub(super) const LEFT: f64 = 58.0;
pub(super) const TOP: f64 = 18.0;

/// The numbers of ranks at both axes, beside the places that hold them.
pub(super) fn ticks(text: &mut Chart, place: &[u32], places: usize) {
    const MOST: usize = 11;
    let steps = [1, 2, 4, 8, 16, 32, 64];
    let step = steps.into_iter().find(|step| places / step < MOST);
    let each = SIDE / places as f64;
    let mut ranks: Vec<(u32, usize)> = place.iter().copied().zip(0..).collect();
    ranks.sort_unstable();
    ranks.dedup_by_key(|&mut (place, _)| place);
    let labelled = |place: u32| (place as usize).is_multiple_of(step.unwrap_or(128));
    for (place, rank) in ranks.into_iter().filter(|&(place, _)| labelled(place)) {
        let middle = (f64::from(place) + 0.5) * each;
        text.text("end t9", (LEFT - 4.0, TOP + middle + 3.0), rank);
        text.text("mid t9", (LEFT + middle, TOP + SIDE + 13.0), rank);
    }
}

/// Thin lines between the parts of the machine, and the parts' names.
pub(super) fn bands(report: &Report, places: usize) -> (Chart, Chart) {
    const NAMED: usize = 40;
    let (mut lines, mut text) = (Chart::default(), Chart::default());
    let machine = report.machine.as_ref();
    let bands = machine.and_then(|machine| machine.bands.as_ref());
    let bands = bands.map_or(&[][..], |bands| &bands.bands);
    if bands.len() > NAMED {
        return (lines, text);
    }
    let each = SIDE / places as f64;
    for band in bands {
        if band.start > 0 {
            let path = format!("M0 {0}H{places}M{0} 0V{places}", band.start);
            lines.path("ax thin", path);
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
        text.text("mid t9", (LEFT + middle, 11.0), name);
        text.upwards((27.0, TOP + middle), name);
    }
    (lines, text)
}
