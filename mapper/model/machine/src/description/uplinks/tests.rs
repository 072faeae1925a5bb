use super::super::Description;
use super::*;

const TREE: &str = "hosts = ['a', 'b', 'c', 'd']\nswitches = ['l0', 'l1', 'm', 'top']\n\
    links = [['a', 'l0'], ['b', 'l0', 3.0], ['c', 'l1'], ['d', 'top'], ['l0', 'm'], ['l1', 'm'], ['m', 'top']]\n";

fn tree(ratios: &str) -> Result<Description, String> {
    let text = format!("oversubscription = {ratios}\n{TREE}");
    Description::parse(&text).map_err(|(line, problem)| format!("{line:?} {problem}"))
}

fn bandwidths(ratios: &str) -> Vec<f64> {
    let links = tree(ratios).unwrap().wired().wired_links().unwrap();
    links
        .iter()
        .skip(4)
        .map(|link| link.speed.bandwidth)
        .collect()
}

#[test]
fn an_up_link_carries_what_enters_from_below_over_the_ratio_of_its_level() {
    assert_eq!(bandwidths("'unknown'"), [4.0, 1.0, 5.0]);
    assert_eq!(bandwidths("['2:1']"), [2.0, 0.5, 2.5]);
    assert_eq!(bandwidths("['1:1', '5:2']"), [4.0, 1.0, 2.0]);
}

#[test]
fn ratios_are_written_as_they_are_read() {
    for ratios in ["\"unknown\"", "[\"1:1\", \"2.5:1\"]"] {
        let text = tree(ratios).unwrap().to_string();
        assert!(
            text.contains(&format!("oversubscription = {ratios}\n")),
            "{text}"
        );
        assert_eq!(Description::parse(&text).unwrap().to_string(), text);
    }
    assert_eq!(
        "1:1,5:2".parse::<Oversubscription>().unwrap().to_string(),
        "1:1,2.5:1"
    );
}

#[test]
fn what_is_no_ratio_or_no_tree_is_told_by_line() {
    for (ratios, problem) in [
        ("'2'", "Some(1) \"2\" is no ratio"),
        ("['2:0']", "Some(1) \"2:0\" is no ratio"),
        ("[]", "Some(1) \"\" is no ratio"),
        ("['1:1', '1:1', '2:1']", "Some(1) 3 ratios for 2 levels"),
    ] {
        let error = tree(ratios).unwrap_err();
        assert!(error.starts_with(problem), "{error}");
    }
    let two = TREE.replace("['d', 'top']", "['d', 'top'], ['l0', 'top']");
    let error = Description::parse(&format!("oversubscription = 'unknown'\n{two}"));
    assert!(error.unwrap_err().1.starts_with("l0 has two links up"));
}

#[test]
fn cables_are_unknown_where_nobody_told_them_nor_that_routes_adapt() {
    let may = |text: &str| Description::parse(text).unwrap().wired().may_have_cables();
    assert!(may(&format!("oversubscription = ['2:1']\n{TREE}")));
    assert!(!may(TREE));
    assert!(!may(&format!(
        "routes = 'spread'\noversubscription = 'unknown'\n{TREE}"
    )));
}

#[test]
fn narrow_links_fit_where_nobody_told_capacities() {
    let narrow = |ratios| tree(ratios).unwrap().wired().narrow();
    assert!(narrow("['2:1']").is_none());
    let levels = narrow("'unknown'").unwrap().hosts_by_switch().unwrap();
    let up: Vec<Vec<f64>> = levels
        .iter()
        .map(|level| level.iter().map(|it| it.up).collect())
        .collect();
    assert_eq!(up, [vec![0.25, 1.0], vec![1.25], vec![0.0]]);
}
