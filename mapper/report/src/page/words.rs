//! Numbers as people read them: three significant digits and SI units. A share is printed as 0 or
//! 100 % only if it is exactly that.

use crate::data::LoadUnit;

/// A number of bytes: `667 kB`.
pub(super) fn bytes(bytes: f64) -> String {
    scaled(bytes, &["B", "kB", "MB", "GB", "TB", "PB"], 1e3)
}

/// The load of a link in its unit.
pub(super) fn load(load: f64, unit: LoadUnit) -> String {
    match unit {
        LoadUnit::Bytes | LoadUnit::BytesOverBandwidth => bytes(load),
        LoadUnit::Seconds => seconds(load),
    }
}

/// A duration: `1.24 ms`.
pub(super) fn seconds(seconds: f64) -> String {
    if seconds >= 1.0 || seconds <= 0.0 {
        return format!("{} s", digits(seconds));
    }
    let (unit, parts) = [("ms", 1e3), ("µs", 1e6), ("ns", 1e9)]
        .into_iter()
        .find(|(_, parts)| seconds * parts >= 0.9995)
        .unwrap_or(("ns", 1e9));
    format!("{} {unit}", digits(seconds * parts))
}

/// A predicted time: seconds, or bytes over one link where no bandwidth is known. The label of the
/// figure says which: see [`predicted_time_label`].
pub(super) fn predicted_time(time: f64, unit: &str) -> String {
    if unit == "seconds" {
        seconds(time)
    } else {
        bytes(time)
    }
}

/// The name of the predicted time, with its unit where the unit is not seconds.
pub(super) fn predicted_time_label(unit: &str) -> &'static str {
    if unit == "seconds" {
        "Predicted time"
    } else {
        "Predicted time, as bytes over one link"
    }
}

fn scaled(value: f64, units: &[&str], step: f64) -> String {
    let (mut value, mut unit) = (value, 0);
    while value >= 999.5 && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    match unit {
        0 if value.fract() == 0.0 => format!("{value:.0} {}", units[0]),
        _ => format!("{} {}", digits(value), units[unit]),
    }
}

/// A value with three significant digits; trailing zeros are kept.
pub(super) fn digits(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        99.95.. => format!("{value:.0}"),
        9.995.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Two values within this ratio of each other count as equal. Chosen by hand.
pub(super) const SAME: f64 = 0.97;

/// How many times as fast, in words: the ratio of the times, or the least that is `promised`, a
/// share of the time, where that is less.
pub(super) fn faster(ratio: f64, promised: Option<f64>) -> String {
    let least = promised.map_or(ratio, |saving| 1.0 / (1.0 - saving.max(0.0)));
    match digits(least.min(ratio)) {
        times if times == digits(ratio) => format!("{times} x faster"),
        times if least > 1.0 / SAME => format!("at least {times} x faster"),
        _ => "perhaps faster".into(),
    }
}

/// A class of message sizes: `4 KiB`.
pub(super) fn size(log2: usize) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    format!("{} {}", 1u64 << (log2 % 10), units[(log2 / 10).min(6)])
}

/// A share as a percentage: `74 %`, `under 1 %`.
pub(super) fn share(share: f64) -> String {
    match share {
        s if s <= 0.0 => "0 %".into(),
        s if s < 0.01 => "under 1 %".into(),
        s if s >= 1.0 => "100 %".into(),
        s if s >= 0.995 => "over 99 %".into(),
        s => format!("{:.0} %", 100.0 * s),
    }
}

/// The text as the beginning of a sentence.
pub(super) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + rest.as_str()
}

/// A share as a percentage with one decimal.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A whole number with commas.
pub(super) fn number(value: impl Into<u128>) -> String {
    let digits = value.into().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with commas.
pub(super) fn count(value: usize) -> String {
    number(value as u128)
}

/// "1 link", "2 links", "2 switches".
pub(super) fn plural(value: usize, noun: &str) -> String {
    match value {
        1 => format!("1 {noun}"),
        _ => format!("{} {}", count(value), many(noun)),
    }
}

/// The plural of a noun.
pub(super) fn many(noun: &str) -> String {
    if noun.ends_with("ch") {
        format!("{noun}es")
    } else {
        format!("{noun}s")
    }
}

/// The text with no line break between a number and its unit, nor behind a hyphen.
pub(super) fn unbroken(text: &str) -> String {
    const UNITS: [&str; 13] = [
        "B", "kB", "MB", "GB", "TB", "PB", "s", "ms", "µs", "ns", "%", "×", "x",
    ];
    let mut whole = String::with_capacity(text.len());
    for word in text.split(' ') {
        let unit = word.trim_end_matches(['.', ',', ';', ':']);
        let after_number = whole.ends_with(|last: char| last.is_ascii_digit());
        if !whole.is_empty() {
            let joined = after_number && UNITS.contains(&unit);
            whole.push(if joined { '\u{a0}' } else { ' ' });
        }
        whole.push_str(&word.replace('-', "-\u{2060}"));
    }
    whole
}

/// Text with the characters escaped that are special in SVG and attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_shares_do_not_lie() {
        let in_words = [0.0, 7.0, 999.0, 1000.0, 666_900.0, 2.88e6, 1.5e16].map(bytes);
        let want = [
            "0 B", "7 B", "999 B", "1.00 kB", "667 kB", "2.88 MB", "15.0 PB",
        ];
        assert_eq!(in_words, want);
        let in_words = [0.0, 0.004, 0.744, 0.9951, 1.0].map(share);
        assert_eq!(in_words, ["0 %", "under 1 %", "74 %", "over 99 %", "100 %"]);
        assert_eq!(
            [3.2, 0.0125, 2e-6, 0.0].map(seconds),
            ["3.20 s", "12.5 ms", "2.00 µs", "0 s"]
        );
        assert_eq!([count(999), count(1_234_567)], ["999", "1,234,567"]);
        assert_eq!(
            unbroken("693 µs instead of 968 µs: 66 % of 9 groups"),
            "693\u{a0}µs instead of 968\u{a0}µs: 66\u{a0}% of 9 groups"
        );
        assert_eq!(unbroken("1.40 x faster"), "1.40\u{a0}x faster");
        assert_eq!(unbroken("a 27-point stencil"), "a 27-\u{2060}point stencil");
        assert_eq!([size(0), size(12), size(33)], ["1 B", "4 KiB", "8 GiB"]);
    }
}
