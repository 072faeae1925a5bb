//! The families of trees that are given from the nodes up: `xgft` and `fattree`.

use super::super::grammar::{Family, list};
use super::super::speed::Speeds;
use super::Xgft;

/// The `xgft` family.
pub(in crate::network) const XGFT: Family = Family {
    name: "xgft",
    grammar: "xgft:m1,m2,..:w1,w2,..[@speed,..] (children, parents and speeds per level, from the nodes up)",
    build: |text| {
        let (levels, speeds) = Speeds::split(text)?;
        let (children, parents) = levels
            .split_once(':')
            .ok_or("two lists are needed, children and parents")?;
        let children = list(children, ',', "child count")?;
        let parents = list(parents, ',', "parent count")?;
        let tree = Xgft::new(format!("xgft:{text}"), children, &parents)?;
        Ok(tree.with_speeds(speeds)?.into())
    },
};

/// The `fattree` family: a full fat tree of three levels of switches with K ports.
pub(in crate::network) const FATTREE: Family = Family {
    name: "fattree",
    grammar: "fattree:K[@speed,..] (K ports a switch, even; three speeds, from the nodes up)",
    build: |text| {
        let (ports, speeds) = Speeds::split(text)?;
        match ports.parse() {
            Ok(ports) if ports >= 2 && ports % 2 == 0 => {
                let half = ports / 2;
                let tree = Xgft::new(
                    format!("fattree:{text}"),
                    vec![half, half, ports],
                    &[1, half, half],
                )?;
                Ok(tree.with_speeds(speeds)?.into())
            }
            _ => Err(format!("{ports:?} is not an even number of ports")),
        }
    },
};
