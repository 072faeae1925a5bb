//! Heuristics by name, with options.

use crate::request;
use rankfold_problem::testing::{machine, star_stencil};
use rankfold_search::select::{Request, SelectError, select};

#[test]
fn options_behind_the_name_reach_the_heuristic_and_unknown_ones_are_named() {
    let graph = star_stencil(&[4, 4], false);
    let machine = machine("xgft:4,4:1,2", 1);
    let chosen = |heuristic: &str| {
        let request = Request {
            refine: false,
            ..request(Some(heuristic))
        };
        let selection = select(&graph, &machine, &request)?;
        Ok(selection.winner().1.placement().clone())
    };
    let chosen: &dyn Fn(&str) -> Result<_, SelectError> = &chosen;
    assert_eq!(chosen("ptram:k=7").unwrap(), chosen("ptram").unwrap());
    let refused = |heuristic| chosen(heuristic).unwrap_err().to_string();
    assert_eq!(
        refused("ptram:size=3"),
        "--heuristic ptram: no option \"size\"; known are k, weights"
    );
    assert!(refused("rcm:k=3").contains("no options"));
    assert!(refused("nothing:k=3").contains("no such heuristic"));
}
