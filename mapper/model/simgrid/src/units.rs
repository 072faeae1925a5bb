//! Bandwidths and times as SimGrid writes them: `10GBps`, `125MiBps`, `1.5Gbps`, `50us`.
//!
//! `Bps` are bytes, `bps` bits per second. Prefixes `k`, `M`, `G` and so on are powers of 1000,
//! `Ki`, `Mi`, `Gi` and so on powers of 1024. Without a unit, a number is in `Bps` or `s`.

/// The letters of prefixes; each stands for a thousand of the one before.
const PREFIXES: &str = "KMGTPEZY";

/// Times without prefix, in seconds. A time below a second is given as the number of parts of a
/// second, so that no factor is rounded.
const TIMES: [(&str, f64); 6] = [
    ("w", 604_800.0),
    ("d", 86400.0),
    ("h", 3600.0),
    ("m", 60.0),
    ("s", 1.0),
    ("", 1.0),
];
const PARTS_OF_A_SECOND: [(&str, f64); 4] = [("ms", 1e3), ("us", 1e6), ("ns", 1e9), ("ps", 1e12)];

/// A bandwidth in bytes per second, which must be positive.
///
/// # Errors
/// A message that names the text.
pub(super) fn bandwidth(text: &str) -> Result<f64, String> {
    let (number, unit) = quantity(text)?;
    let bits = unit.strip_suffix("bps").map(|prefix| (prefix, 0.125));
    let bytes = unit.strip_suffix("Bps").map(|prefix| (prefix, 1.0));
    let known = if unit.is_empty() {
        Some(("", 1.0))
    } else {
        bits.or(bytes)
    };
    let factor = known.and_then(|(prefix, factor)| Some(power(prefix)? * factor));
    let factor = factor.ok_or_else(|| {
        format!("{text:?} has no unit of SimGrid such as Bps, MBps, Gbps or MiBps")
    })?;
    let value = number * factor;
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(format!("bandwidth {text} is not positive"))
    }
}

/// A time in seconds, which must not be negative.
///
/// # Errors
/// A message that names the text.
pub(super) fn time(text: &str) -> Result<f64, String> {
    let (number, unit) = quantity(text)?;
    let of = |units: &[(&str, f64)]| units.iter().find(|(name, _)| *name == unit).map(|u| u.1);
    let value = match (of(&TIMES), of(&PARTS_OF_A_SECOND)) {
        (Some(seconds), _) => number * seconds,
        (_, Some(parts)) => number / parts,
        _ => {
            return Err(format!(
                "{text:?} has no unit of SimGrid such as s, us or ns"
            ));
        }
    };
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(format!("time {text} is negative or not finite"))
    }
}

/// Splits a text into the longest number at its start and the rest.
fn quantity(text: &str) -> Result<(f64, &str), String> {
    let text = text.trim_start();
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let number = |at: usize| Some((text[..at].parse::<f64>().ok()?, &text[at..]));
    let mut numbers = ends.rev().filter_map(number);
    numbers
        .next()
        .ok_or_else(|| format!("{text:?} is not a number"))
}

/// The number that a prefix stands for; `None` if there is no such prefix.
fn power(prefix: &str) -> Option<f64> {
    let (letter, base) = match prefix.strip_suffix('i') {
        Some(letter) => (letter, 1024.0_f64),
        None => (prefix, 1000.0),
    };
    match (letter, base as u32) {
        ("", 1000) => return Some(1.0),
        ("k", 1024) | ("K", 1000) => return None,
        _ => {}
    }
    let place = PREFIXES.find(letter.to_uppercase().as_str())?;
    let known = letter.len() == 1 && (letter == "k" || PREFIXES.contains(letter));
    known.then(|| base.powi(place as i32 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_simgrid() {
        for (text, bytes) in [
            ("10GBps", 1e10),
            ("1.25e3Bps", 1250.0),
            ("41.279125MBps", 41_279_125.0),
            ("1Gbps", 1.25e8),
            ("8Kibps", 1024.0),
            ("2MiBps", 2_097_152.0),
            ("1EBps", 1e18),
            ("100kBps", 1e5),
            ("700", 700.0),
        ] {
            assert_eq!(bandwidth(text), Ok(bytes), "{text}");
        }
        for (text, seconds) in [
            ("50us", 50e-6),
            ("59.904us", 59.904 / 1e6),
            ("1ms", 1e-3),
            ("100ns", 1e-7),
            ("0", 0.0),
            ("2m", 120.0),
            ("1E-4s", 1e-4),
        ] {
            assert_eq!(time(text), Ok(seconds), "{text}");
        }
    }

    #[test]
    fn other_units_and_impossible_values_are_refused() {
        for text in [
            "fast", "1KBps", "1kiBps", "1GB/s", "1GGBps", "0Bps", "-1Bps", "infBps",
        ] {
            assert!(bandwidth(text).is_err(), "{text}");
        }
        for text in ["", "1min", "-1s", "nan"] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}
