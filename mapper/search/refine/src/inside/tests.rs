use super::*;
use proptest::prelude::*;
use rankfold_graph::{CommGraph, Message};
use rankfold_machine::{self as machine, Hardware, HostList, InsideLevel, Insides, parse};
use rankfold_metric::inner_levels;
use rankfold_pattern as pattern;
use rankfold_problem::heuristic::Effort;

fn graph(ranks: usize, edges: &[(u32, u32, u64)]) -> CommGraph {
    let messages = edges.iter().map(|&(from, to, bytes)| Message {
        from: Rank(from),
        to: Rank(to),
        bytes,
    });
    CommGraph::from_messages(ranks, messages).unwrap()
}

/// A ring of nodes with two packages of two caches of two cores.
fn ring(nodes: usize, hosts: Option<HostList>) -> Machine {
    let level = |name: &str, cores: &[u32]| InsideLevel {
        name: name.into(),
        cores: cores.into(),
    };
    let levels = vec![level("package", &[4, 4]), level("l3", &[2, 2, 2, 2])];
    let inside = machine::Inside::new(8, levels).unwrap();
    let mut hardware = Hardware::from(parse(&format!("torus:{nodes}")).unwrap());
    hardware.insides = Insides::everywhere(inside);
    Machine::new(hardware, None, hosts).unwrap()
}

fn refined(graph: &CommGraph, machine: &Machine, mut placement: Placement) -> Placement {
    let problem = Problem {
        graph,
        affinity: &graph.affinity(),
        machine,
        constraints: rankfold_assess::Constraints::none(),
        pattern: &pattern::analyze(graph),
        seed: 0,
        objective: Default::default(),
        effort: Effort::default(),
        loops: None,
        options: &rankfold_problem::member_options::MemberOptions::default(),
        deadline: None,
        team: &rankfold_problem::team::Alone,
    };
    Inside.refine(&problem, &mut placement);
    placement
}

#[test]
fn pairs_share_a_cache_and_fours_a_package() {
    // Ranks r and r + 4 talk most, the pairs 0, 2 and 1, 3 less.
    let heavy = (0..4).map(|r| (r, r + 4, 100));
    let light = [(0, 2, 10), (1, 3, 10)];
    let graph = graph(8, &heavy.chain(light).collect::<Vec<_>>());
    let machine = ring(1, None);
    let block = Placement::block(8);
    assert_eq!(inner_levels(&graph, &machine, &block), 4 * 300 + 2 * 20);
    let placed = refined(&graph, &machine, block);
    assert_eq!(inner_levels(&graph, &machine, &placed), 4 * 100 + 2 * 20);
}

#[test]
fn nobody_leaves_the_node_and_nothing_changes_without_insides() {
    let edges: Vec<_> = (0..16)
        .map(|r| (r, (r * 5 + 3) % 16, 7 + u64::from(r)))
        .collect();
    let graph = graph(16, &edges);
    let machine = ring(2, None);
    let block = Placement::block(16);
    let placed = refined(&graph, &machine, block.clone());
    assert_eq!(placed.nodes(machine.slots()), block.nodes(machine.slots()));
    let before = inner_levels(&graph, &machine, &block);
    assert!(inner_levels(&graph, &machine, &placed) < before);
    let plain = Machine::uniform(parse("torus:2").unwrap(), 8);
    assert_eq!(refined(&graph, &plain, block.clone()), block);
}

#[test]
fn a_slot_of_fewer_than_there_are_cores_has_several() {
    let hosts = HostList::from_text("a slots=4\n", "hosts").unwrap();
    let machine = ring(1, Some(hosts));
    let cores: Vec<_> = (0..4).map(|s| machine.cores(SlotId(s)).unwrap()).collect();
    assert_eq!(cores, [0..2, 2..4, 4..6, 6..8]);
}

/// What is wrong with a placement: the ranks by which groups of cores have more than their share,
/// and bytes x levels.
fn faults(graph: &CommGraph, machine: &Machine, placement: &Placement) -> (u32, u128) {
    let nodes = placement.nodes(machine.slots());
    let mut crowded = 0;
    for node in (0..machine.slots().nodes()).map(NodeId::at) {
        let inside = machine.inside(node).unwrap();
        let here = (0..placement.ranks()).filter(|&rank| nodes[rank] == node);
        let cores: Vec<u32> = here
            .map(|rank| machine.core(placement.slot(Rank::at(rank))).unwrap().0)
            .collect();
        let singles = vec![1; inside.cores() as usize];
        let levels = inside.levels().iter().map(|level| &level.cores);
        for sizes in levels.chain([&singles]) {
            let mut first = 0;
            for &size in sizes {
                let within = cores
                    .iter()
                    .filter(|&&c| (first..first + size).contains(&c));
                let share = (cores.len() as u32 * size).div_ceil(inside.cores());
                crowded += (within.count() as u32).saturating_sub(share);
                first += size;
            }
        }
    }
    (crowded, inner_levels(graph, machine, placement))
}

/// The least faults of any seating of the ranks on their nodes.
fn least_faults(graph: &CommGraph, machine: &Machine, block: &Placement) -> (u32, u128) {
    fn extend(
        (graph, machine): (&CommGraph, &Machine),
        nodes: &[NodeId],
        slots: &mut Vec<SlotId>,
    ) -> (u32, u128) {
        let Some(&node) = nodes.get(slots.len()) else {
            return faults(graph, machine, &Placement::new(slots.clone()));
        };
        let mut best = (u32::MAX, u128::MAX);
        for slot in machine.slots().on(node) {
            if !slots.contains(&slot) {
                slots.push(slot);
                best = best.min(extend((graph, machine), nodes, slots));
                slots.pop();
            }
        }
        best
    }
    extend(
        (graph, machine),
        &block.nodes(machine.slots()),
        &mut Vec::new(),
    )
}

/// A node of packages of memories of caches of cores, with adapters near to some groups of a level.
#[derive(Clone, Debug)]
struct Shape {
    sizes: [u32; 4],
    nics: Vec<(usize, u32)>,
}

impl Shape {
    fn any() -> impl Strategy<Value = Self> {
        let sizes = (1u32..3, 1u32..3, 1u32..3, 1u32..3);
        let nics = prop::collection::vec((0usize..3, 0u32..8), 0..3);
        (sizes, nics).prop_map(|((a, b, c, d), nics)| Self {
            sizes: [a, b, c, d],
            nics,
        })
    }

    fn inside(&self) -> machine::Inside {
        let cores: u32 = self.sizes.iter().product();
        let group = |level: usize| self.sizes[level + 1..].iter().product::<u32>();
        let level = |level: usize| InsideLevel {
            name: ["package", "numa", "l3"][level].into(),
            cores: vec![group(level); (cores / group(level)) as usize],
        };
        let nic = |&(level, number): &(usize, u32)| machine::Device {
            name: format!("nic{number}"),
            first: number % (cores / group(level)) * group(level),
            cores: group(level),
        };
        let inside = machine::Inside::new(cores, (0..3).map(level).collect()).unwrap();
        let nics = self.nics.iter().map(nic).collect();
        inside.with_devices(nics, Vec::new()).unwrap()
    }

    fn pair_of_nodes(&self, slots: u32) -> Machine {
        let mut hardware = Hardware::from(parse("torus:2").unwrap());
        hardware.insides = Insides::everywhere(self.inside());
        Machine::uniform(hardware, slots)
    }
}

#[test]
fn the_rank_that_talks_elsewhere_sits_near_the_adapter() {
    let shape = Shape {
        sizes: [2, 1, 1, 2],
        nics: vec![(0, 1)],
    };
    let machine = shape.pair_of_nodes(4);
    // Ranks 0 and 4 are alone in what they send from node to node.
    let graph = graph(8, &[(0, 4, 100), (1, 2, 10), (5, 6, 10)]);
    let placed = refined(&graph, &machine, Placement::block(8));
    assert!(
        placed.slot(Rank(0)).0 >= 2 && placed.slot(Rank(4)).0 >= 6,
        "{placed:?}"
    );
    assert_eq!(inner_levels(&graph, &machine, &placed), 2 * 10);
}

#[test]
fn ranks_spread_over_memories_where_there_is_room() {
    let shape = Shape {
        sizes: [2, 2, 1, 2],
        nics: Vec::new(),
    };
    let machine = shape.pair_of_nodes(8);
    let graph = graph(4, &[(0, 1, 5), (1, 2, 20), (2, 3, 5)]);
    let placed = refined(&graph, &machine, Placement::block(4));
    let mut memories: Vec<u32> = (0..4).map(|rank| placed.slot(Rank(rank)).0 / 2).collect();
    // 1 and 2 talk most.
    assert_eq!(memories[1] / 2, memories[2] / 2);
    memories.sort_unstable();
    assert_eq!(memories, [0, 1, 2, 3]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn no_seating_of_few_ranks_is_better_on_any_node(
        shape in Shape::any(),
        edges in prop::collection::vec((0u32..7, 0u32..7, 1u64..20), 1..12),
        spare in 0u32..5,
    ) {
        let (graph, machine) = (graph(7, &edges), shape.pair_of_nodes(4 + spare % 2));
        // 4 ranks on the first node and 3 on the second, or one more.
        let block = Placement::block(7);
        let placed = refined(&graph, &machine, block.clone());
        prop_assert_eq!(placed.nodes(machine.slots()), block.nodes(machine.slots()));
        prop_assert_eq!(
            faults(&graph, &machine, &placed),
            least_faults(&graph, &machine, &block)
        );
    }
}
