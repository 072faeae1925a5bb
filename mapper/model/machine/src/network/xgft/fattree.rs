//! Full fat trees of three levels of switches: `fattree:K`.

use super::super::grammar::Family;
use super::super::speed::Speeds;
use super::Xgft;

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
