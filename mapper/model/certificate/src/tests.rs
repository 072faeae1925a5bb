use super::*;
use proptest::prelude::*;
use rankfold_base::Placement;
use rankfold_graph::CommGraph;
use rankfold_graph::samples::{graph, message, shuffled, star_stencil};
use rankfold_machine::Machine;
use rankfold_machine::samples::{machine, unequal_nodes};
use rankfold_metric::{BoundEffort, congestion_bound, lower_bound, score};

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
        let hop_bytes =
            rankfold_metric::hop_bytes_of(&graph.affinity(), machine.topology(), &placed);
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

fn certified_link(graph: &CommGraph, machine: &Machine) -> Result<String, Uncertified> {
    let placement = Placement::block(graph.ranks());
    busiest_link_certificate(&graph.affinity(), machine, &placement)
}

#[test]
fn a_certified_bound_on_the_busiest_link_is_nearly_that_of_cuts_in_floating_point() {
    let all = (0..16).flat_map(|a| (0..16).map(move |b| message(a, b, 1000)));
    let all = graph(16, all.collect());
    for spec in ["torus:8x2", "mesh:8x2", "tree:4x4@2,1"] {
        let machine = machine(spec, 1);
        let proved = check(&certified_link(&all, &machine).unwrap()).unwrap();
        let certified = proved.bound as f64 / proved.bandwidth.unwrap();
        let known = congestion_bound(&all, &machine, 0, BoundEffort::Long);
        assert_eq!(known.which, "cuts");
        assert!(
            certified <= known.congestion && certified >= 0.95 * known.congestion,
            "{spec}: {certified}, {known:?}"
        );
        assert!(proved.bound <= proved.hop_bytes);
        let reached = score(&all, &machine, &Placement::block(16)).max_congestion;
        assert!(certified <= reached, "{spec}: {certified}, {reached}");
    }
}

#[test]
fn where_nothing_must_leave_a_group_the_busiest_link_has_no_certificate() {
    let pair = graph(2, vec![message(0, 1, 9)]);
    let none = certified_link(&pair, &machine("tree:2x3", 1));
    assert_eq!(none, Err(Uncertified::NoCut));
}

#[test]
fn hops_and_bandwidth_of_a_cut_that_cannot_be_are_refused_with_their_line() {
    let (ring, tree) = (star_stencil(&[8], true), machine("tree:2x4@1,4", 1));
    let text = certified_link(&ring, &tree).unwrap();
    let refused_at = |keyword: &str, change: &dyn Fn(&str) -> String| {
        let line = line_of(&text, keyword);
        let refused = check(&forged(&text, line, change)).unwrap_err();
        assert_eq!(refused.line, line, "{refused}");
    };
    refused_at("bandwidth", &|_| "bandwidth 0".into());
    refused_at("bandwidth", &|_| "bandwidth inf".into());
    refused_at("rankfold-certificate", &|_| "rankfold-certificate 3".into());
    // Slot 7 is in another group than slot 0, and all hops between groups are doubled.
    let lines = text.lines().filter(|line| !line.starts_with("checksum"));
    let twice = lines.map(|line| match line.strip_prefix("hops ") {
        Some(rest) => {
            let (slot, hops) = rest.split_once(' ').unwrap_or((rest, ""));
            format!("hops {slot} {}", hops.replace('1', "2"))
                .trim_end()
                .to_string()
        }
        None => line.to_string(),
    });
    let body = twice.collect::<Vec<String>>().join("\n") + "\n";
    let doubled = format!("{body}checksum {:016x}\n", read::checksum(body.as_bytes()));
    let refused = check(&doubled).unwrap_err();
    assert_eq!(refused.line, line_of(&text, "hop-bytes"), "{refused}");
    let hop_bytes = |line: &str| {
        let bytes: u128 = line["hop-bytes ".len()..].parse().unwrap();
        format!("hop-bytes {}", 2 * bytes)
    };
    let whole = forged(&doubled, line_of(&text, "hop-bytes"), hop_bytes);
    assert_eq!(check(&whole).unwrap_err().line, line_of(&text, "hops 0"));
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
