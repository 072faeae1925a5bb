//! Figures as people read them: four digits, in a unit that leaves one to three of them before the
//! point.

use rankfold_machine::Unit;

/// Units of time with the number of them in a second, the largest first.
const SECONDS: &[(&str, f64)] = &[("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)];
/// Units of bytes with the number of them in a byte, the largest first.
const BYTES: &[(&str, f64)] = &[
    ("PB", 1e-15),
    ("TB", 1e-12),
    ("GB", 1e-9),
    ("MB", 1e-6),
    ("kB", 1e-3),
    ("B", 1.0),
];

/// A time: `1.234ms`, or bytes over one link: `9.333kB`.
#[must_use]
pub fn printed_time(value: f64, unit: Unit) -> String {
    let (unit, parts) = fitting(value, units(unit));
    format!("{}{unit}", printed_number(value * parts))
}

/// The square of a time: `1.234us²`.
#[must_use]
pub fn printed_squared_time(value: f64, unit: Unit) -> String {
    let (small, parts) = fitting(value.sqrt(), units(unit));
    match printed_number(value * parts * parts).as_str() {
        "0" => format!("0{}²", fitting(0.0, units(unit)).0),
        digits => format!("{digits}{small}²"),
    }
}

/// A number without a unit, to four digits.
#[must_use]
pub fn printed_number(value: f64) -> String {
    let after_point = match value.abs() {
        1000.0.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        1.0.. => 3,
        _ => 4,
    };
    let digits = format!("{value:.after_point$}");
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        digits
    }
}

fn units(unit: Unit) -> &'static [(&'static str, f64)] {
    match unit {
        Unit::Seconds => SECONDS,
        Unit::BytesOverOneLink => BYTES,
    }
}

/// The largest unit of which the value has at least one; the unit itself for 0, and the smallest
/// unit for values below it.
fn fitting(value: f64, units: &[(&'static str, f64)]) -> (&'static str, f64) {
    let has_one = |&&(_, parts): &&(&str, f64)| value * parts >= 1.0;
    let whole = units.iter().find(|(_, parts)| *parts == 1.0);
    let smallest = units.last().copied().unwrap_or(("", 1.0));
    match units.iter().find(has_one) {
        Some(&fitting) => fitting,
        None if value == 0.0 => whole.copied().unwrap_or(smallest),
        None => smallest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_four_digits_in_a_fitting_unit() {
        let printed = |value| printed_time(value, Unit::Seconds);
        let printed = [12.0, 0.25, 1.5e-5, 3e-10, 4e4, 0.0, 0.001_234_56].map(printed);
        assert_eq!(
            printed,
            ["12s", "250ms", "15us", "0.3ns", "40000s", "0s", "1.235ms"]
        );
    }

    #[test]
    fn bytes_over_one_link_have_four_digits_in_a_fitting_unit() {
        let printed = |value| printed_time(value, Unit::BytesOverOneLink);
        let printed = [0.0, 0.5, 812.0, 9333.3, 2_097_152.0].map(printed);
        assert_eq!(printed, ["0B", "0.5B", "812B", "9.333kB", "2.097MB"]);
    }

    #[test]
    fn squared_times_have_the_unit_of_their_root() {
        let printed = |value| printed_squared_time(value, Unit::Seconds);
        let rounding = 1e-30;
        assert_eq!(
            [4e-12, 9e-5, 0.0, rounding].map(printed),
            ["4us²", "90ms²", "0s²", "0s²"]
        );
        let bytes = printed_squared_time(3_555_555.5, Unit::BytesOverOneLink);
        assert_eq!(bytes, "3.556kB²");
    }
}
