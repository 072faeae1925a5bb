//! Other names and addresses of the hosts in a machine file.

use super::SpanError;
use std::collections::{BTreeMap, HashSet};
use toml::Spanned;

/// The table `[aliases]`: names and addresses, each with the name of its host.
pub(super) type GivenAliases = BTreeMap<String, Spanned<String>>;

/// The aliases of `hosts`.
///
/// # Errors
/// An alias of no host, or one that is a host itself.
pub(super) fn checked(
    given: &GivenAliases,
    hosts: &[Spanned<String>],
) -> Result<BTreeMap<String, String>, SpanError> {
    let known: HashSet<&String> = hosts.iter().map(Spanned::get_ref).collect();
    let mut aliases = BTreeMap::new();
    for (alias, host) in given {
        let name = host.get_ref();
        let problem = if known.contains(alias) {
            format!("{alias} is a host, and no other name of {name}")
        } else if !known.contains(name) {
            format!("there is no host named {name}")
        } else {
            aliases.insert(alias.clone(), name.clone());
            continue;
        };
        return Err((Some(host.span()), problem));
    }
    Ok(aliases)
}

#[cfg(test)]
mod tests {
    use super::super::Description;
    use crate::{HostList, Machine};
    use rankfold_base::NodeId;

    const HOSTS: &str = "network = \"torus:2\"\nhosts = [\"a\", \"b\"]\n[aliases]\n";

    #[test]
    fn a_job_may_call_hosts_by_their_other_names_and_addresses() {
        let text = format!("{HOSTS}\"10.0.0.2\" = \"b\"\ni-1 = \"a\"\n");
        let description = Description::parse(&text).unwrap();
        let again = Description::parse(&description.to_string()).unwrap();
        assert_eq!(again.aliases, description.aliases);
        let hardware = again.build("site.toml").unwrap();
        let hosts = HostList::from_list("10.0.0.2,a").unwrap();
        let machine = Machine::new(hardware, 1, Some(hosts)).unwrap();
        assert_eq!(machine.hosts().unwrap(), ["a", "10.0.0.2"]);
        assert_eq!(machine.slots().capacity(NodeId(1)), 1);
    }

    #[test]
    fn aliases_of_nobody_and_of_hosts_themselves_name_their_line() {
        for (line, problem) in [
            ("x = \"c\"", "there is no host named c"),
            ("b = \"a\"", "b is a host, and no other name of a"),
        ] {
            let (at, message) = Description::parse(&format!("{HOSTS}{line}")).unwrap_err();
            assert_eq!((at, message.as_str()), (Some(4), problem));
        }
    }
}
