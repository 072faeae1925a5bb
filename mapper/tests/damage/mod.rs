//! Texts damaged at random.

use proptest::prelude::*;

/// A random change to a text.
#[derive(Clone, Debug)]
pub(crate) enum Damage {
    Cut(usize),
    DropLine(usize),
    RepeatLine(usize),
    Replace(usize, char),
}

/// One to three changes.
pub(crate) fn damage() -> impl Strategy<Value = Vec<Damage>> {
    let character = prop_oneof![
        Just('0'),
        Just('9'),
        Just('['),
        Just(']'),
        Just('"'),
        Just(' '),
        Just('\n'),
        Just('-'),
        Just('é'),
        any::<char>(),
    ];
    let one = prop_oneof![
        any::<usize>().prop_map(Damage::Cut),
        any::<usize>().prop_map(Damage::DropLine),
        any::<usize>().prop_map(Damage::RepeatLine),
        (any::<usize>(), character).prop_map(|(at, c)| Damage::Replace(at, c)),
    ];
    proptest::collection::vec(one, 1..4)
}

/// The text after all changes.
pub(crate) fn damaged(text: &str, damage: &[Damage]) -> String {
    let mut text = text.to_owned();
    for one in damage {
        let mut lines: Vec<&str> = text.lines().collect();
        let mut characters: Vec<char> = text.chars().collect();
        if lines.is_empty() {
            break;
        }
        text = match *one {
            Damage::Cut(at) => characters[..at % characters.len()].iter().collect(),
            Damage::DropLine(at) => {
                lines.remove(at % lines.len());
                lines.join("\n")
            }
            Damage::RepeatLine(at) => {
                lines.push(lines[at % lines.len()]);
                lines.join("\n")
            }
            Damage::Replace(at, c) => {
                let count = characters.len();
                characters[at % count] = c;
                characters.into_iter().collect()
            }
        };
    }
    text
}
