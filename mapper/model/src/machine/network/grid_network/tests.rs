use super::*;
use crate::machine::Edge;

fn network(dims: &[usize], wraps: bool) -> GridNetwork {
    GridNetwork::new(Grid::new(dims.to_vec(), wraps))
}

fn path(grid: &GridNetwork, from: u32, to: u32) -> Vec<u32> {
    let mut channels = Vec::new();
    grid.route(NodeId(from), NodeId(to), &mut |c| channels.push(c.0));
    channels
}

#[test]
fn a_half_way_tie_goes_in_plus_direction() {
    let ring = network(&[4], true);
    assert_eq!(path(&ring, 0, 2), [0, 1]);
    assert_eq!(path(&ring, 2, 0), [2, 3]);
    assert_eq!(path(&ring, 0, 3), [4]);
}

#[test]
fn dimension_zero_is_routed_first() {
    let mesh = network(&[3, 3], false);
    // (0,0) -> (1,1): leaves node 0 along +dim 0, then node 3 along +dim 1
    assert_eq!(path(&mesh, 0, 4), [0, 2 * 9 + 3]);
}

#[test]
fn routes_are_as_long_as_the_distance() {
    for grid in [network(&[4, 3, 2], true), network(&[3, 1, 4], false)] {
        for a in 0..grid.nodes() as u32 {
            for b in 0..grid.nodes() as u32 {
                assert_eq!(
                    path(&grid, a, b).len() as u32,
                    grid.hops(NodeId(a), NodeId(b))
                );
            }
        }
    }
}

#[test]
fn size_two_rings_have_one_cable_and_size_one_none() {
    let edge = |to| Edge { to, bandwidth: 1.0 };
    let wiring = network(&[2, 1], true).wiring();
    assert_eq!(
        wiring.edges.iter().collect::<Vec<_>>(),
        [[edge(1)], [edge(0)]]
    );
    assert_eq!(Grid::new(vec![2], true).nearest(NodeId(0)), [NodeId(1)]);
}

#[test]
fn specs_survive_a_round_trip() {
    for text in ["torus:4x4@2,1", "mesh:3x5x7"] {
        assert_eq!(crate::machine::parse(text).unwrap().spec(), text);
    }
}
