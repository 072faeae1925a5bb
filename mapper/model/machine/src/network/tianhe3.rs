//! The Tianhe-3 prototype as in table 1 of the OHTMA paper ("an optimised heuristic topology-aware
//! mapping algorithm"): `tianhe3:RxC[,h][@speed,..]`, R x C chips of h hosts each.
//!
//! A chip has two sides. Each side has half of the hosts of the chip, a link to the other side, and
//! links to the row switch and to the column switch of its side. These links yield the hops of the
//! table between hosts of one side, chip, row or column, plus one: here the links of both hosts
//! count.
//!
//! Speeds are given for host links, for links between the sides of a chip, and for links to row and
//! column switches, or one with a unit for all links. Without speeds, all links have bandwidth 1
//! and no latency.

use super::fabric::{Cabling, Fabric, check_size};
use super::grammar::{Family, list, product, speeds};
use super::speed::Speed;

/// The `tianhe3` family.
pub(super) const TIANHE3: Family = Family {
    name: "tianhe3",
    grammar: "tianhe3:RxC[,h][@host,chip,switch] (rows and columns of chips, hosts a chip, 96 unless given; speeds)",
    build: |text| {
        let (sizes, speeds) = speeds(text, &["host", "chip", "switch"], &[1.0; 3])?;
        let (chips, hosts) = sizes.split_once(',').unwrap_or((sizes, "96"));
        let &[rows, columns] = &list(chips, 'x', "size")?[..] else {
            return Err("rows and columns are needed".into());
        };
        let &[hosts] = &list(hosts, ',', "host count")?[..] else {
            return Err("one number of hosts a chip is needed".into());
        };
        let sizes = (rows, columns, hosts);
        let mut cabling = cabling(format!("tianhe3:{text}"), sizes, &speeds.of)?;
        cabling.unit = speeds.unit;
        Ok(Fabric::new(cabling)?.into())
    },
};

fn cabling(
    spec: String,
    (rows, columns, hosts): (usize, usize, usize),
    speeds: &[Speed],
) -> Result<Cabling, String> {
    let nodes = product(&[rows, columns, hosts], "hosts")?;
    let chips = rows * columns;
    let sides = hosts.min(2);
    check_size(nodes, chips * sides, 2 * (chips + rows + columns))?;
    let chip_side = |chip: usize, side: usize| nodes + 2 * chip + side;
    let row_switch = |row: usize, side: usize| nodes + 2 * (chips + row) + side;
    let column_switch = |column: usize, side: usize| nodes + 2 * (chips + rows + column) + side;
    let mut cabling = Cabling::new(spec, nodes, nodes + 2 * (chips + rows + columns));
    // Rows, columns and so chips are alike; the sides of a chip may differ in hosts.
    cabling.views = Some(sides);
    for host in 0..nodes {
        let side = host % hosts / hosts.div_ceil(2);
        cabling.join(host, chip_side(host / hosts, side), speeds[0], 1);
    }
    for chip in 0..chips {
        cabling.join(chip_side(chip, 0), chip_side(chip, 1), speeds[1], 1);
        for side in 0..2 {
            let here = chip_side(chip, side);
            cabling.join(here, row_switch(chip / columns, side), speeds[2], 1);
            cabling.join(here, column_switch(chip % columns, side), speeds[2], 1);
        }
    }
    Ok(cabling)
}

#[cfg(test)]
mod tests {
    use crate::parse;
    use rankfold_base::NodeId;

    #[test]
    fn hops_are_one_more_than_the_papers_table_says() {
        let tianhe = parse("tianhe3:2x2,4").unwrap();
        let hops = [1, 2, 4, 6, 12, 14].map(|to| tianhe.hops(NodeId(0), NodeId(to)));
        assert_eq!(hops, [2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_chip_has_96_hosts_unless_told() {
        assert_eq!(parse("tianhe3:2x3").unwrap().nodes(), 2 * 3 * 96);
    }

    #[test]
    fn mistakes_are_explained() {
        for (spec, problem) in [
            ("tianhe3:4", "rows and columns"),
            ("tianhe3:2x2,0", "host count 0"),
            ("tianhe3:2x2,4,4", "one number"),
            ("tianhe3:9999x9999", "more than 2^24 hosts"),
            ("tianhe3:1000x1000,16", "more than the 2^20 that a list"),
            ("tianhe3:200x200,8", "80000 switches with hosts"),
        ] {
            let error = parse(spec).unwrap_err().to_string();
            assert!(error.contains(problem), "{spec}: {error}");
        }
    }
}
