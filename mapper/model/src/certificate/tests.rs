use super::*;
use crate::comm::CommGraph;
use crate::machine::Machine;
use crate::metric::{BoundEffort, lower_bound};
use crate::placement::Placement;
use crate::samples::{graph, machine, message, shuffled, star_stencil, unequal_nodes};
use proptest::prelude::*;

fn certified(graph: &CommGraph, machine: &Machine) -> String {
    let placement = Placement::block(graph.ranks());
    certificate(
        &graph.affinity(),
        machine,
        &placement,
        BoundEffort::Standard,
    )
    .unwrap()
}

/// A shuffled grid of ranks on a mesh, a torus, and nodes of several slots with some free.
fn cases() -> Vec<(CommGraph, Machine)> {
    let grid = shuffled(&star_stencil(&[3, 4], false));
    vec![
        (grid.clone(), machine("mesh:3x4", 1)),
        (
            shuffled(&star_stencil(&[4, 4], true)),
            machine("torus:4x4", 1),
        ),
        (grid.clone(), machine("dragonfly:2,2,1,3", 1)),
        (grid, unequal_nodes("tree:2x3", &[4, 3, 1, 4, 2, 1])),
    ]
}

#[test]
fn what_is_written_is_proved_nearly_as_high_as_the_bound_in_floating_point() {
    for (graph, machine) in cases() {
        let proved = check(&certified(&graph, &machine)).unwrap();
        let placed = Placement::block(graph.ranks()).nodes(machine.slots());
        let hop_bytes = crate::metric::hop_bytes_of(&graph.affinity(), machine.topology(), &placed);
        assert_eq!(proved.hop_bytes, hop_bytes);
        let known = lower_bound(&graph, &machine, BoundEffort::Fast).hop_bytes;
        assert!(
            proved.bound <= hop_bytes && 10 * proved.bound >= 9 * known,
            "{proved:?}, {known}"
        );
    }
}

#[test]
fn bytes_beyond_the_unit_are_rounded_down() {
    let huge = (0..5).map(|rank| message(rank, rank + 1, (1 << 58) + 12345));
    let (path, mesh) = (graph(6, huge.collect()), machine("mesh:6", 1));
    let proved = check(&certified(&path, &mesh)).unwrap();
    assert!(proved.bound <= proved.hop_bytes);
    assert!(proved.bound > proved.hop_bytes / 10 * 9, "{proved:?}");
}

/// The text with one statement changed and its checksum made anew.
fn forged(text: &str, line: usize, change: impl Fn(&str) -> String) -> String {
    let lines = text.lines().enumerate();
    let changed: Vec<String> = lines
        .filter(|(_, it)| !it.starts_with("checksum"))
        .map(|(at, it)| {
            if at + 1 == line {
                change(it)
            } else {
                it.into()
            }
        })
        .collect();
    let body = changed.join("\n") + "\n";
    let sum = read::checksum(body.as_bytes());
    format!("{body}checksum {sum:016x}\n")
}

fn line_of(text: &str, keyword: &str) -> usize {
    let found = text.lines().position(|line| line.starts_with(keyword));
    found.unwrap() + 1
}

#[test]
fn what_is_not_true_is_refused_with_its_line() {
    let (graph, machine) = cases().remove(0);
    let text = certified(&graph, &machine);
    let refused_at = |keyword: &str, change: &dyn Fn(&str) -> String| {
        let line = line_of(&text, keyword);
        check(&forged(&text, line, change)).unwrap_err().line
    };
    let plus_one = |statement: &str| {
        let (words, number) = statement.rsplit_once(' ').unwrap();
        format!("{words} {}", number.parse::<i128>().unwrap() + 1)
    };
    for keyword in ["bound", "hop-bytes"] {
        assert_eq!(refused_at(keyword, &plus_one), line_of(&text, keyword));
    }
    let twice = |statement: &str| {
        let words: Vec<&str> = statement.split(' ').collect();
        format!("{} {} {}", words[0], words[2], words[2..].join(" "))
    };
    assert_eq!(refused_at("placement", &twice), line_of(&text, "placement"));
    let halved = |statement: &str| statement.replace(" 2", " 9");
    assert_eq!(refused_at("hops 0", &halved), line_of(&text, "hops 0"));
    // A wrong eigenvalue lowers what is proved.
    let zero = |statement: &str| {
        let words: Vec<&str> = statement.split(' ').collect();
        format!("{} {} {}", words[0], "99999999999999", words[2..].join(" "))
    };
    assert_eq!(refused_at("eigenvalue", &zero), line_of(&text, "bound"));
}

#[test]
fn missing_and_additional_lines_are_refused_with_their_line() {
    let (graph, machine) = cases().remove(0);
    let text = certified(&graph, &machine);
    let lines: Vec<&str> = text.lines().collect();
    for missing in [0, 5, 20, lines.len() - 1] {
        let rest = lines.iter().enumerate().filter(|(at, _)| *at != missing);
        let rest: Vec<&str> = rest.map(|(_, line)| *line).collect();
        let refused = check(&(rest.join("\n") + "\n")).unwrap_err();
        // Of a missing pair, the statement after the pairs tells.
        assert!(
            (missing + 1..=missing + 60).contains(&refused.line),
            "{refused}"
        );
    }
    let more = format!("{text}bound 7\n");
    assert_eq!(check(&more).unwrap_err().line, lines.len() + 1);
    assert_eq!(check("").unwrap_err().line, 1);
}

#[test]
fn too_many_slots_have_no_certificate() {
    let (pair, large) = (graph(2, vec![message(0, 1, 9)]), machine("torus:20x20", 1));
    let affinity = pair.affinity();
    let none = certificate(
        &affinity,
        &large,
        &Placement::block(2),
        BoundEffort::Standard,
    );
    assert_eq!(none, Err(Uncertified::TooLarge { slots: 400 }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_damaged_byte_is_refused(at in any::<prop::sample::Index>(), to in b'0'..=b'9') {
        static TEXT: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
            let (graph, machine) = cases().remove(0);
            certified(&graph, &machine)
        });
        let mut bytes = TEXT.clone().into_bytes();
        let at = at.index(bytes.len());
        let before = std::mem::replace(&mut bytes[at], to);
        let checked = check(std::str::from_utf8(&bytes).unwrap());
        prop_assert_eq!(checked.is_ok(), before == to);
    }
}
