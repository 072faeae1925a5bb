//! Two colour ramps of nine steps each, evenly spaced in OKLCH lightness: blue for bytes, and
//! yellow over red to plum for loads. Changes have a third one, from brown over grey to blue, which
//! people with any colour vision tell apart. A strong colour stands out from the background in both
//! themes. Kinds without an order have seven colours of their own. Everything else is grey, the
//! colour of text, or one blue for bounds and the cursor.

use std::fmt::Write;

/// Number of steps of a ramp.
pub(super) const STEPS: usize = 9;
/// Number of colours for kinds: as many as there are classes of calls.
pub(super) const KINDS: usize = 7;

/// The colour ramps of a theme.
struct Ramps {
    loads: [&'static str; STEPS],
    bytes: [&'static str; STEPS],
    /// From less to more; the step in the middle stands for no change.
    changes: [&'static str; STEPS],
    /// What tells kinds apart that have no order. People with any colour vision see no two alike.
    kinds: [&'static str; KINDS],
    /// From this step on, text on the colour is written in the background's colour.
    turns: usize,
}

const LIGHT: Ramps = Ramps {
    loads: [
        "edcd87", "edad4c", "eb890b", "dd6a02", "cf4502", "b72825", "981433", "750e38", "501133",
    ],
    bytes: [
        "a4dfdf", "6cccd7", "38b5cf", "069bc3", "0881b1", "04679f", "0f4d8b", "163573", "161d5b",
    ],
    changes: [
        "6b3502", "a55a0a", "d98a2b", "f0bd7c", "d9dce1", "93c0e6", "4a90cf", "195fa8", "0b2f63",
    ],
    kinds: [
        "2f55f0", "e9ad19", "8c1d12", "35b9f5", "cf4a62", "16181d", "3a1fa0",
    ],
    turns: 4,
};

const DARK: Ramps = Ramps {
    loads: [
        "6e3855", "97395a", "bd3e51", "db4e3f", "f26824", "fe8905", "feae3f", "ffce66", "ffec95",
    ],
    bytes: [
        "38417d", "365898", "2d70b0", "178ac4", "01a4d1", "15bedb", "4cd5df", "81eae3", "b9fbeb",
    ],
    changes: [
        "ffd28f", "e8a04a", "b8742a", "75501f", "3c424d", "27527f", "3580c2", "6fb4f2", "bfe0ff",
    ],
    kinds: [
        "787fff", "e56a2c", "a5261a", "66e52a", "c9a6c0", "f4f5f7", "5145ac",
    ],
    turns: 3,
};

const LIGHT_REST: &str = "--bg:#fff;--wash:#f5f6f8;--ink:#16181d;--ink2:#535a67;--ink3:#868d9a;--line:#dfe2e7;--idle:#ccd1d9;\
    --node:#e8eaee;--was:#9aa1ad;--mark:#0a66c2;--paper:#fff;";
const DARK_REST: &str = "--bg:#14161a;--wash:#1c1f25;--ink:#eceef2;--ink2:#a9b0bc;--ink3:#7d8592;--line:#2e333c;--idle:#3c424d;\
    --node:#272b33;--was:#717987;--mark:#6fb3ff;--paper:#1c1f25;";

/// The ramps.
#[derive(Clone, Copy)]
pub(super) enum Ramp {
    Bytes,
    Loads,
    Changes,
}

/// The colours of both themes as CSS variables, and the classes that use them: `b3` fills with the
/// fourth colour of bytes, `L3` draws lines in the fourth colour of loads.
pub(super) fn css() -> String {
    let (light, dark) = (variables(&LIGHT, LIGHT_REST), variables(&DARK, DARK_REST));
    // The dark theme applies to screens only, so that paper is always light.
    let mut css = format!(
        ":root{{color-scheme:light;{light}}}\
         @media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\
         @media screen{{:root[data-theme=dark]{{color-scheme:dark;{dark}}}}}"
    );
    for step in 0..STEPS {
        let _ = write!(
            css,
            ".l{step}{{fill:var(--l{step})}}.L{step}{{stroke:var(--l{step})}}\
             .d{step}{{fill:var(--d{step})}}.b{step}{{fill:var(--b{step})}}.B{step}{{stroke:var(--b{step})}}.o{step}{{fill:var(--o{step})!important}}"
        );
    }
    css
}

fn variables(ramps: &Ramps, rest: &str) -> String {
    let mut css = rest.to_owned();
    for (kind, colour) in ramps.kinds.iter().enumerate() {
        let _ = write!(css, "--k{kind}:#{colour};");
    }
    for step in 0..STEPS {
        let text = if step < ramps.turns { "ink" } else { "bg" };
        let (load, bytes) = (ramps.loads[step], ramps.bytes[step]);
        let change = ramps.changes[step];
        let _ = write!(
            css,
            "--l{step}:#{load};--b{step}:#{bytes};--d{step}:#{change};--o{step}:var(--{text});"
        );
    }
    css
}

/// 255 different colours along the light ramp, for the values 1 to 255 of a picture.
pub(super) fn palette(ramp: Ramp) -> Vec<[u8; 3]> {
    let ramp = match ramp {
        Ramp::Bytes => LIGHT.bytes,
        Ramp::Loads => LIGHT.loads,
        Ramp::Changes => LIGHT.changes,
    };
    let channel = |hex: &str, at: usize| {
        f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap_or_default())
    };
    let mut seen = std::collections::HashSet::new();
    (0..255)
        .map(|value| {
            let place = f64::from(value) / 254.0 * (STEPS - 1) as f64;
            let step = (place as usize).min(STEPS - 2);
            let part = place - step as f64;
            let mut colour = [0, 2, 4].map(|at| {
                let (low, high) = (channel(ramp[step], at), channel(ramp[step + 1], at));
                (low + (high - low) * part).round() as u8
            });
            // The script reads values from colours, so no two colours may be equal.
            while !seen.insert(colour) {
                colour[2] = colour[2].wrapping_add(1);
            }
            colour
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linear red, green and blue as people see them with usual vision, and without one kind of
    /// cones (Machado, Oliveira, Fernandes 2009, severity 1).
    const VISIONS: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ];

    fn times(matrix: [[f64; 3]; 3], of: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row.iter().zip(of).map(|(a, b)| a * b).sum())
    }

    fn linear(hex: &str) -> [f64; 3] {
        [0, 2, 4].map(|at| {
            let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            match value {
                dark if dark <= 0.04045 => dark / 12.92,
                value => ((value + 0.055) / 1.055).powf(2.4),
            }
        })
    }

    /// A colour in OKLab, where distances are as large as they look.
    fn oklab(linear: [f64; 3]) -> [f64; 3] {
        let cones = [
            [0.412_221_47, 0.536_332_54, 0.051_445_99],
            [0.211_903_5, 0.680_699_55, 0.107_396_96],
            [0.088_302_46, 0.281_718_84, 0.629_978_7],
        ];
        let axes = [
            [0.210_454_26, 0.793_617_79, -0.004_072_05],
            [1.977_998_5, -2.428_592_2, 0.450_593_71],
            [0.025_904_04, 0.782_771_77, -0.808_675_77],
        ];
        times(
            axes,
            times(cones, linear.map(|part| part.clamp(0.0, 1.0))).map(f64::cbrt),
        )
    }

    #[test]
    fn people_with_any_colour_vision_tell_kinds_apart_in_both_themes() {
        for (ramps, ground) in [(&LIGHT, "ffffff"), (&DARK, "14161a")] {
            let luminance = |hex: &str| times([[0.2126, 0.7152, 0.0722]; 3], linear(hex))[0] + 0.05;
            for (number, one) in ramps.kinds.iter().enumerate() {
                let ratio = luminance(one) / luminance(ground);
                assert!(ratio.max(1.0 / ratio) > 1.9, "{one} on {ground}: {ratio}");
                for (vision, other) in VISIONS.iter().flat_map(|vision| {
                    ramps.kinds[..number]
                        .iter()
                        .map(move |other| (vision, other))
                }) {
                    let seen = |hex| oklab(times(*vision, linear(hex)));
                    let (a, b) = (seen(one), seen(other));
                    let apart: f64 = (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum();
                    assert!(apart.sqrt() > 0.14, "{one} and {other}: {}", apart.sqrt());
                }
            }
        }
    }

    #[test]
    fn every_value_has_a_colour_of_its_own() {
        for ramp in [Ramp::Bytes, Ramp::Loads, Ramp::Changes] {
            let mut colours = palette(ramp);
            colours.sort_unstable();
            colours.dedup();
            assert_eq!(colours.len(), 255);
        }
    }
}
