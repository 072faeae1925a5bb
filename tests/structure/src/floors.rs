//! Who may know whom: references go from upper floors to lower ones, never back and never along.

use crate::references::Reference;
use crate::sources::{Module, Sources};
use std::path::Path;

/// A crate, and the crates of the workspace it may know.
pub(crate) type Crate<'a> = (&'a str, &'a [&'a str]);

/// A crate, or a module such as `crate::module`, and the modules right below it floor by floor, the
/// lowest first. Modules of one floor do not know each other; the root of the house stands above
/// all of them.
pub(crate) type House<'a> = (&'a str, &'a [&'a [&'a str]]);

/// What breaks the rules for crates: in manifests, in sources, and crates without a rule.
pub(crate) fn crates(sources: &Sources, references: &[Reference], rules: &[Crate]) -> Vec<String> {
    let mut broken = Vec::new();
    let rule = |name: &str| rules.iter().find(|(ruled, _)| *ruled == name);
    for package in &sources.packages {
        let manifest = package.manifest.display();
        let Some((_, allowed)) = rule(&package.name) else {
            broken.push(format!(
                "{manifest}: no rule says whom {} may know",
                package.name
            ));
            continue;
        };
        for other in package
            .dependencies
            .iter()
            .filter(|other| !allowed.contains(&other.as_str()))
        {
            broken.push(format!(
                "{manifest}: {} may not depend on {other}",
                package.name
            ));
        }
    }
    for reference in references {
        let (from, to) = (
            &sources.modules[reference.from],
            &sources.modules[reference.to],
        );
        let allowed =
            rule(&from.package).is_some_and(|(_, known)| known.contains(&to.package.as_str()));
        if from.package != to.package && from.shipped && !allowed {
            broken.push(format!(
                "{}; {} may not know {}",
                sources.tell(reference),
                from.package,
                to.package
            ));
        }
    }
    broken
}

/// What breaks the rules for modules, modules without a floor, and floors without their module.
pub(crate) fn modules(
    sources: &Sources,
    references: &[Reference],
    houses: &[House],
) -> Vec<String> {
    let house = |house| {
        [
            unplaced(sources, house),
            upwards(sources, references, house),
        ]
        .concat()
    };
    houses.iter().flat_map(house).collect()
}

/// The path of a module below the root of a house; `None` for modules outside of the house.
fn path_in<'a>(module: &'a Module, house: &str) -> Option<&'a [String]> {
    let mut words = house.split("::");
    let crate_name = words.next();
    let root: Vec<&str> = words.collect();
    let (above, path) = module.path.split_at_checked(root.len())?;
    (module.shipped && crate_name == Some(&module.package) && above == root).then_some(path)
}

/// The modules right below the root of a house that have no floor, and the other way round.
fn unplaced(sources: &Sources, (name, floors): &House) -> Vec<String> {
    let placed: Vec<&str> = floors.iter().copied().flatten().copied().collect();
    let tops: Vec<(&str, &Path)> = sources
        .modules
        .iter()
        .filter_map(|module| match path_in(module, name)? {
            [top] => Some((top.as_str(), module.file.as_path())),
            _ => None,
        })
        .collect();
    let homeless = tops.iter().filter(|(top, _)| !placed.contains(top));
    let homeless = homeless
        .map(|(top, file)| format!("{}: module {top} of {name} has no floor", file.display()));
    let empty = placed
        .iter()
        .filter(|placed| !tops.iter().any(|(top, _)| top == *placed))
        .map(|placed| format!("{name} has no module {placed}, but it has a floor"));
    homeless.chain(empty).collect()
}

/// The references that do not lead to a lower floor.
fn upwards(sources: &Sources, references: &[Reference], (name, floors): &House) -> Vec<String> {
    let mut broken = Vec::new();
    let number = |module: &String| floors.iter().position(|floor| floor.contains(&&**module));
    for reference in references {
        let (from, to) = (
            &sources.modules[reference.from],
            &sources.modules[reference.to],
        );
        let (Some([top, ..]), Some(to)) = (path_in(from, name), path_in(to, name)) else {
            continue;
        };
        if to.first() == Some(top) {
            continue;
        }
        let upper = number(top);
        let lower = to.first().and_then(number);
        let text = sources.tell(reference);
        if let (Some(upper), Some(lower)) = (upper, lower)
            && upper <= lower
        {
            broken.push(format!(
                "{text}; that leads from floor {upper} to floor {lower}"
            ));
        } else if to.is_empty() {
            broken.push(format!("{text}; that leads back to the root"));
        }
    }
    broken
}
