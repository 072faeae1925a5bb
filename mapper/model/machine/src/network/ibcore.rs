//! Leaf switches below director-class core switches: `ibcore:hosts=512,leaf=30,..`.
//!
//! A core switch is a two-level network of line and spine switches in one chassis:
//!
//! ```text
//!            spine ... spine          core switch: every line switch has `ls` cables
//!              │  ╲   ╱  │            to every spine switch
//!            line   ...  line
//!             │ (up cables)           a line switch serves `line` leaf switches
//!            leaf   ...  leaf
//!            hosts       hosts        a leaf switch has `leaf` hosts
//! ```
//!
//! The defaults are the InfiniBand network of SciNet's GPC cluster as in Mirsadeghi & Afsahi,
//! "PTRAM: A Parallel Topology- and Routing-Aware Mapping Framework for Large-Scale HPC Systems",
//! figure 4.
//!
//! Speeds behind an `@` are given for host links, for links between leaf and core switches, and for
//! links between line and spine switches inside a core switch, or one with a unit for all links.
//! Without speeds, all links have bandwidth 1 and no latency.

use super::fabric::{Cabling, Fabric, check_size};
use super::grammar::{Family, product, speeds};
use super::speed::Speed;

/// The `ibcore` family.
pub(super) const IBCORE: Family = Family {
    name: "ibcore",
    grammar: "ibcore:hosts=512,leaf=30,up=3,cores=2,line=6,lines=18,spines=9,ls=2[@host,leaf,spine] (all optional; speeds)",
    build: |text| {
        let (settings, speeds) = speeds(text, &["host", "leaf", "spine"], &[1.0; 3])?;
        let mut cabling = Settings::parse(settings)?.cabling(text, &speeds.of)?;
        cabling.unit = speeds.unit;
        Ok(Fabric::new(cabling)?.into())
    },
};

/// The parameters of a network of this family. Hosts fill the leaf switches one after the other.
struct Settings {
    hosts: usize,
    /// Number of hosts of a leaf switch.
    leaf: usize,
    /// Number of cables from a leaf switch to each core switch.
    up: usize,
    /// Number of core switches.
    cores: usize,
    /// Number of leaf switches that one line switch serves.
    line: usize,
    /// Number of line switches that a core switch has room for.
    lines: usize,
    /// Number of spine switches of a core switch.
    spines: usize,
    /// Number of cables from each line switch to each spine switch.
    ls: usize,
}

impl Settings {
    fn parse(text: &str) -> Result<Self, String> {
        let mut parsed = Self {
            hosts: 512,
            leaf: 30,
            up: 3,
            cores: 2,
            line: 6,
            lines: 18,
            spines: 9,
            ls: 2,
        };
        for setting in text.split(',').filter(|setting| !setting.is_empty()) {
            let (name, value) = setting
                .split_once('=')
                .ok_or_else(|| format!("{setting:?} is not name=number"))?;
            let field = match name {
                "hosts" => &mut parsed.hosts,
                "leaf" => &mut parsed.leaf,
                "up" => &mut parsed.up,
                "cores" => &mut parsed.cores,
                "line" => &mut parsed.line,
                "lines" => &mut parsed.lines,
                "spines" => &mut parsed.spines,
                "ls" => &mut parsed.ls,
                _ => return Err(format!("there is no setting {name:?}")),
            };
            *field = match value.parse() {
                Ok(number @ 1..) => number,
                _ => return Err(format!("{name}={value}: at least 1 is needed")),
            };
        }
        Ok(parsed)
    }

    fn cabling(&self, text: &str, speeds: &[Speed]) -> Result<Cabling, String> {
        let leaves = self.hosts.div_ceil(self.leaf);
        let lines = leaves.div_ceil(self.line);
        if lines > self.lines {
            return Err(format!(
                "{} hosts need {lines} line switches, there are {}: raise lines",
                self.hosts, self.lines
            ));
        }
        product(&[self.hosts], "hosts")?;
        product(&[leaves, self.cores, self.up], "cables")?;
        product(&[self.cores, lines, self.spines, self.ls], "cables")?;
        let spread = product(&[self.up, self.cores, self.spines], "cables")?;

        let core = lines + self.spines;
        check_size(self.hosts, leaves, leaves + self.cores * core)?;
        let first_core = self.hosts + leaves;
        let vertices = first_core + self.cores * core;
        let mut cabling = Cabling::new(format!("ibcore:{text}"), self.hosts, vertices);
        for host in 0..self.hosts {
            cabling.join(host, self.hosts + host / self.leaf, speeds[0], 1);
        }
        for first in (first_core..vertices).step_by(core) {
            for leaf in 0..leaves {
                cabling.join(
                    self.hosts + leaf,
                    first + leaf / self.line,
                    speeds[1],
                    self.up,
                );
            }
            for line in first..first + lines {
                cabling.divisors[line] = (self.up * self.cores) as u32;
                for spine in 0..self.spines {
                    cabling.join(line, first + lines + spine, speeds[2], self.ls);
                }
            }
            cabling.divisors[first + lines..first + core].fill(spread as u32);
        }
        Ok(cabling)
    }
}

#[cfg(test)]
mod tests {
    use crate::parse;
    use rankfold_base::NodeId;

    #[test]
    fn the_default_is_the_512_host_part_of_the_gpc() {
        let gpc = parse("ibcore:").unwrap();
        assert_eq!(gpc.nodes(), 512);
        // hosts of one leaf, of one line switch, of two line switches
        let hops = [29, 30, 180].map(|to| gpc.hops(NodeId(0), NodeId(to)));
        assert_eq!(hops, [2, 4, 6]);
        // 18 leaves, 2 cores of 3 line and 9 spine switches
        assert_eq!(gpc.wiring().vertices(), 512 + 18 + 2 * (3 + 9));
        let cables = 512 + 18 * 2 * 3 + 2 * 3 * 9 * 2;
        assert_eq!(gpc.channels(), 2 * cables);
    }

    #[test]
    fn mistakes_are_explained() {
        for (spec, problem) in [
            ("ibcore:hosts", "is not name=number"),
            ("ibcore:hosts=0", "at least 1"),
            ("ibcore:blades=3", "no setting \"blades\""),
            ("ibcore:hosts=4000", "raise lines"),
            (
                "ibcore:hosts=99999999,lines=99999999",
                "more than 2^24 hosts",
            ),
            ("ibcore:up=99999999", "more than 2^24 cables"),
        ] {
            let error = parse(spec).unwrap_err().to_string();
            assert!(error.contains(problem), "{spec}: {error}");
        }
    }
}
