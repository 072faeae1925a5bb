//! Reads and writes bandwidths and times with units.

use super::super::Unit;

/// A bandwidth with its unit: `12.5GB/s`.
#[must_use]
pub fn bandwidth_in_words(bandwidth: f64) -> String {
    with_unit(bandwidth, BANDWIDTHS)
}

/// A time with its unit: `600ns`.
#[must_use]
pub fn time_in_words(seconds: f64) -> String {
    with_unit(seconds, LATENCIES)
}

/// Names of units, the largest unit first, and the number of base units in each.
type Units = &'static [(&'static str, f64)];

const BANDWIDTHS: Units = &[
    ("TB/s", 1e12),
    ("GB/s", 1e9),
    ("MB/s", 1e6),
    ("kB/s", 1e3),
    ("B/s", 1.0),
];
/// Read, and never written.
const BINARY: Units = &[
    ("TiB/s", 1099511627776.0),
    ("GiB/s", 1073741824.0),
    ("MiB/s", 1048576.0),
    ("KiB/s", 1024.0),
];
const BITS: Units = &[
    ("Tbit/s", 1e12),
    ("Gbit/s", 1e9),
    ("Mbit/s", 1e6),
    ("kbit/s", 1e3),
    ("bit/s", 1.0),
];
const LATENCIES: Units = &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)];

/// Reads a positive bandwidth with or without a unit.
pub(crate) fn read_bandwidth(text: &str) -> Result<(f64, Unit), String> {
    let (number, unit) = quantity(text, "bandwidth")?;
    let (value, meaning) = if unit.is_empty() {
        (number, Unit::BytesOverOneLink)
    } else if let Some(value) = scaled(number, unit, BANDWIDTHS) {
        (value, Unit::Seconds)
    } else if let Some(value) = scaled(number, unit, BINARY) {
        (value, Unit::Seconds)
    } else if let Some(value) = scaled(number, unit, BITS) {
        (value / 8.0, Unit::Seconds)
    } else {
        return Err(format!("bandwidth {text:?} {}", meant(number, unit)));
    };
    if value.is_finite() && value > 0.0 {
        Ok((value, meaning))
    } else {
        Err(format!("bandwidth {text} is not positive"))
    }
}

/// What to write in place of a unit that is none: `Gb/s` and `gbps` are bits to some and bytes to
/// others.
fn meant(number: f64, unit: &str) -> String {
    let prefix = unit
        .chars()
        .next()
        .map(|letter| letter.to_ascii_uppercase());
    let rest = unit.get(1..).unwrap_or_default().to_ascii_lowercase();
    let is_bits_or_bytes = ["b/s", "bps", "b", "ib/s", "bits", "bit"].contains(&&*rest);
    match prefix.filter(|prefix| "TGMK".contains(*prefix) && is_bits_or_bytes) {
        Some('K') => format!("is bits or bytes: write {number}kbit/s or {number}kB/s"),
        Some(prefix) => {
            format!("is bits or bytes: write {number}{prefix}bit/s or {number}{prefix}B/s")
        }
        None => "has no unit such as GB/s, MB/s or Gbit/s".into(),
    }
}

/// Reads a time with its unit; it must not be negative. The micro of `µs` is a sign of its own or
/// the Greek letter.
pub(crate) fn read_time(text: &str) -> Result<f64, String> {
    let (number, unit) = quantity(text, "time")?;
    let unit = unit.replace(['\u{b5}', '\u{3bc}'], "u");
    match scaled(number, &unit, LATENCIES) {
        None => Err(format!("time {text:?} has no unit such as us or ns")),
        Some(value) if value.is_finite() && value >= 0.0 => Ok(value),
        Some(_) => Err(format!("time {text} is negative or not finite")),
    }
}

/// Splits a text into the number at its start and the rest. `what` names the quantity in errors.
fn quantity<'a>(text: &'a str, what: &str) -> Result<(f64, &'a str), String> {
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let number = |at: usize| {
        let number = text[..at].trim_start().parse::<f64>().ok()?;
        Some((number, &text[at..]))
    };
    ends.rev()
        .find_map(number)
        .map(|(number, unit)| (number, unit.trim()))
        .ok_or_else(|| format!("{what} {text:?} is not a number"))
}

fn scaled(number: f64, unit: &str, units: Units) -> Option<f64> {
    let &(_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    Some(times(number, factor))
}

/// `number * factor`. A factor below 1 is the inverse of an integer; dividing by that integer
/// avoids rounding the factor.
fn times(number: f64, factor: f64) -> f64 {
    if factor < 1.0 {
        number / (1.0 / factor).round()
    } else {
        number * factor
    }
}

/// Writes a value in the largest unit that is not larger than the value and from which the same
/// value is read back. If there is none, all digits are written in the base unit.
fn with_unit(value: f64, units: Units) -> String {
    let fits = |&&(_, factor): &&(&str, f64)| {
        let number = value / factor;
        number >= 1.0 && times(shortest(number), factor) == value
    };
    let plain = units.iter().find(|(_, factor)| *factor == 1.0);
    let smallest = plain.map_or("", |(name, _)| name);
    match units.iter().find(fits) {
        Some(&(name, factor)) => format!("{}{name}", shortest(value / factor)),
        None => format!("{value}{smallest}"),
    }
}

/// The number rounded to fifteen significant digits, which removes the rounding error of a
/// division.
fn shortest(number: f64) -> f64 {
    format!("{number:.14e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_that_are_bits_to_some_and_bytes_to_others_are_asked_for() {
        let wrong = |text| read_bandwidth(text).map(|read| read.0).unwrap_err();
        for text in ["5Gb/s", "5Gbps", "5gb"] {
            let message = wrong(text);
            assert!(
                message.ends_with("is bits or bytes: write 5Gbit/s or 5GB/s"),
                "{message}"
            );
        }
        assert!(wrong("5kb/s").ends_with("write 5kbit/s or 5kB/s"));
        assert!(wrong("5parsecs").contains("has no unit such as GB/s"));
        let read = read_bandwidth("2GiB/s").map(|read| read.0);
        assert_eq!(read, Ok(2_147_483_648.0));
    }
}
