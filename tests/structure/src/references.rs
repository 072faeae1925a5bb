//! Which file refers to which: every path mentioned is followed to the file that defines what it
//! names.

use crate::sources::{Mention, ModuleId, Sources};
use std::collections::HashSet;

/// One file knows another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference {
    pub(crate) from: ModuleId,
    pub(crate) to: ModuleId,
    pub(crate) line: usize,
}

/// What a path names.
#[derive(Clone, Copy)]
enum Named {
    Module(ModuleId),
    /// Something defined in this module.
    ItemOf(ModuleId),
}

impl Named {
    fn module(self) -> ModuleId {
        match self {
            Self::Module(module) | Self::ItemOf(module) => module,
        }
    }
}

/// All references between files, in the order of the sources.
pub(crate) fn all(sources: &Sources) -> Vec<Reference> {
    let mut found = Vec::new();
    for (from, module) in sources.modules.iter().enumerate() {
        for mention in &module.mentions {
            let Some(to) = target(sources, from, mention) else {
                continue;
            };
            let own_part = mention.reexported && sources.is_part(to, from);
            if sources.modules[to].file != module.file && !own_part {
                found.push(Reference {
                    from,
                    to,
                    line: mention.line,
                });
            }
        }
    }
    found
}

fn target(sources: &Sources, from: ModuleId, mention: &Mention) -> Option<ModuleId> {
    let mut seen = HashSet::new();
    match sources.resolve(from, &mention.path, &mut seen)? {
        // A single name calls a macro, and a module of the same name is something else.
        Named::Module(_) if mention.path.len() == 1 => None,
        named => Some(named.module()),
    }
}

impl Sources {
    /// Whether `part` lies below `whole` in the same crate.
    pub(crate) fn is_part(&self, part: ModuleId, whole: ModuleId) -> bool {
        let (part, whole) = (&self.modules[part], &self.modules[whole]);
        part.root == whole.root && part.path.starts_with(&whole.path)
    }

    /// What `path` names in module `from`; `None` for what is not of this workspace.
    fn resolve(&self, from: ModuleId, path: &[String], seen: &mut Seen) -> Option<Named> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => Named::Module(self.modules[from].root),
            "self" => Named::Module(from),
            "super" => Named::Module(self.modules[from].parent?),
            name => self
                .lookup(from, name, seen)
                .or_else(|| self.libraries.get(name).copied().map(Named::Module))
                .or_else(|| self.macro_named(from, path).map(Named::ItemOf))?,
        };
        rest.iter().try_fold(start, |at, name| match at {
            Named::ItemOf(_) => Some(at),
            Named::Module(module) if name == "super" => {
                self.modules[module].parent.map(Named::Module)
            }
            // What a macro defines is not seen; it is somewhere in the module.
            Named::Module(module) => self
                .lookup(module, name, seen)
                .or(Some(Named::ItemOf(module))),
        })
    }

    /// What `name` is in module `at`: a part, something defined there, or something brought in.
    fn lookup(&self, at: ModuleId, name: &str, seen: &mut Seen) -> Option<Named> {
        if !seen.insert((at, name.to_owned())) {
            return None;
        }
        let module = &self.modules[at];
        if let Some(&child) = module.children.get(name) {
            return Some(Named::Module(child));
        }
        if module.items.contains(name) {
            return Some(Named::ItemOf(at));
        }
        if let Some(path) = module.imports.get(name) {
            return self.resolve(at, path, seen);
        }
        module.globs.iter().find_map(|glob| {
            let Named::Module(module) = self.resolve(at, glob, seen)? else {
                return None;
            };
            self.lookup(module, name, seen)
        })
    }

    /// The module that defines the `macro_rules` a single name calls; such names reach all modules
    /// after them.
    fn macro_named(&self, from: ModuleId, path: &[String]) -> Option<ModuleId> {
        let [name] = path else { return None };
        let root = self.modules[from].root;
        let mut defining = (0..self.modules.len())
            .filter(|&at| self.modules[at].root == root && self.modules[at].macros.contains(name));
        defining.next().filter(|_| defining.next().is_none())
    }
}

/// Names looked up already: imports can lead round in a circle.
type Seen = HashSet<(ModuleId, String)>;

impl Sources {
    /// The innermost module both lie in, and its parts that they belong to; `None` for a module and
    /// one inside it, and for modules of two crates.
    pub(crate) fn siblings(
        &self,
        from: ModuleId,
        to: ModuleId,
    ) -> Option<(ModuleId, ModuleId, ModuleId)> {
        let (from, to) = (self.upwards(from), self.upwards(to));
        let mut pairs = from.iter().rev().zip(to.iter().rev());
        let mut whole = pairs.next().filter(|(from, to)| from == to)?.0;
        for (from, to) in pairs {
            if from != to {
                return Some((*whole, *from, *to));
            }
            whole = from;
        }
        None
    }

    /// The module and those it lies in, the crate's root last.
    fn upwards(&self, module: ModuleId) -> Vec<ModuleId> {
        std::iter::successors(Some(module), |&at| self.modules[at].parent).collect()
    }

    /// `rankfold-machine::network::rules`; in examples and benchmarks the file of their root stands
    /// for the package.
    pub(crate) fn name(&self, module: ModuleId) -> String {
        let module = &self.modules[module];
        let root = if module.shipped {
            module.package.clone()
        } else {
            self.modules[module.root].file.display().to_string()
        };
        let names = std::iter::once(&root).chain(&module.path);
        names.map(String::as_str).collect::<Vec<_>>().join("::")
    }

    /// `file:line: module refers to module`.
    pub(crate) fn tell(&self, reference: &Reference) -> String {
        let file = self.modules[reference.from].file.display();
        let (from, to) = (self.name(reference.from), self.name(reference.to));
        format!("{file}:{}: {from} refers to {to}", reference.line)
    }
}
