//! Who may know whom: references go from upper floors to lower ones, never back and never along.

use crate::references::Reference;
use crate::sources::Sources;
use std::path::Path;

/// A crate, and the crates of the workspace it may know.
pub(crate) type Crate<'a> = (&'a str, &'a [&'a str]);

/// A crate, and its modules floor by floor, the lowest first. Modules of one floor do not know each
/// other; the crate's root stands above them all.
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

/// The modules right below a crate's root that have no floor, and the other way round.
fn unplaced(sources: &Sources, (name, floors): &House) -> Vec<String> {
    let placed: Vec<&str> = floors.iter().copied().flatten().copied().collect();
    let all = sources.modules.iter();
    let shipped = all.filter(|module| module.package == *name && module.shipped);
    let tops: Vec<(&str, &Path)> = shipped
        .filter(|module| module.path.len() == 1)
        .map(|module| (module.path[0].as_str(), module.file.as_path()))
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
        let inside = [from, to]
            .iter()
            .all(|end| end.package == *name && end.shipped);
        let Some(top) = from
            .path
            .first()
            .filter(|top| inside && to.path.first() != Some(top))
        else {
            continue;
        };
        let upper = number(top);
        let lower = to.path.first().and_then(number);
        let told = sources.tell(reference);
        if let (Some(upper), Some(lower)) = (upper, lower)
            && upper <= lower
        {
            broken.push(format!(
                "{told}; that leads from floor {upper} to floor {lower}"
            ));
        } else if to.path.is_empty() {
            broken.push(format!("{told}; that leads back to the root"));
        }
    }
    broken
}
