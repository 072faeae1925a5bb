//! The Rust sources of the workspace: every crate as a tree of modules, each with the names it
//! defines and imports and the paths it mentions. Test code is left out.

use crate::mentions;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::{Attribute, Item, Meta, UseTree};

/// Index of a module in [`Sources::modules`].
pub(crate) type ModuleId = usize;

/// A path as written, `["crate", "machine", "Topology"]`, and its line.
#[derive(Clone, Debug)]
pub(crate) struct Mention {
    pub(crate) path: Vec<String>,
    pub(crate) line: usize,
    /// The path is re-exported: it tells others where a name is, and is no use of it.
    pub(crate) reexported: bool,
}

#[derive(Default)]
pub(crate) struct Module {
    /// Name of the package.
    pub(crate) package: String,
    /// Path from the crate's root, which has none: `["machine", "spec"]`.
    pub(crate) path: Vec<String>,
    /// Relative to the workspace; modules written inside a file share it.
    pub(crate) file: PathBuf,
    /// Part of the library or a binary, and not of an example or a benchmark.
    pub(crate) shipped: bool,
    pub(crate) parent: Option<ModuleId>,
    pub(crate) root: ModuleId,
    pub(crate) children: HashMap<String, ModuleId>,
    /// Names of what is defined here: types, functions, macros and so on.
    pub(crate) items: HashSet<String>,
    /// Those of them that are `macro_rules`.
    pub(crate) macros: HashSet<String>,
    /// Names brought in by `use`, with their paths.
    pub(crate) imports: HashMap<String, Vec<String>>,
    /// Paths of `use path::*`.
    pub(crate) globs: Vec<Vec<String>>,
    pub(crate) mentions: Vec<Mention>,
}

/// A member of the workspace.
pub(crate) struct Package {
    pub(crate) name: String,
    /// Relative to the workspace.
    pub(crate) manifest: PathBuf,
    /// Packages of the workspace that it depends on, not only in tests.
    pub(crate) dependencies: Vec<String>,
}

#[derive(Default)]
pub(crate) struct Sources {
    pub(crate) modules: Vec<Module>,
    pub(crate) packages: Vec<Package>,
    /// Root of every library, by the name other crates call it.
    pub(crate) libraries: HashMap<String, ModuleId>,
}

impl Sources {
    /// Reads the workspace in `directory`.
    pub(crate) fn read(directory: &Path) -> Self {
        let manifest = toml(&directory.join("Cargo.toml"));
        let members = manifest["workspace"]["members"].as_array().unwrap();
        let mut sources = Self::default();
        for member in members {
            sources.package(directory, Path::new(member.as_str().unwrap()));
        }
        let names: HashSet<String> = sources.packages.iter().map(|p| p.name.clone()).collect();
        for package in &mut sources.packages {
            package.dependencies.retain(|name| names.contains(name));
        }
        sources
    }

    fn package(&mut self, directory: &Path, member: &Path) {
        let manifest = toml(&directory.join(member).join("Cargo.toml"));
        let name = manifest["package"]["name"].as_str().unwrap().to_owned();
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        self.packages.push(Package {
            name: name.clone(),
            manifest: member.join("Cargo.toml"),
            dependencies: dependencies.map_or_else(Vec::new, |all| all.keys().cloned().collect()),
        });
        // The crate of tests is not looked into: it may know everything it judges.
        if manifest["package"].get("publish") == Some(&toml::Value::Boolean(false)) {
            return;
        }
        let library = member.join("src/lib.rs");
        if directory.join(&library).exists() {
            let called = manifest.get("lib").and_then(|lib| lib.get("name"));
            let called = called.and_then(toml::Value::as_str).unwrap_or(&name);
            let root = self.root(directory, &name, &library, true);
            self.libraries.insert(called.replace('-', "_"), root);
        }
        for (folder, shipped) in [
            ("src", true),
            ("src/bin", true),
            ("examples", false),
            ("benches", false),
        ] {
            for root in roots(directory, &member.join(folder), folder == "src") {
                self.root(directory, &name, &root, shipped);
            }
        }
    }

    fn root(&mut self, directory: &Path, package: &str, file: &Path, shipped: bool) -> ModuleId {
        let id = self.modules.len();
        self.modules.push(Module {
            package: package.into(),
            file: file.to_owned(),
            shipped,
            root: id,
            ..Module::default()
        });
        let items = parse(&directory.join(file));
        self.fill(directory, id, file.parent().unwrap(), &items);
        id
    }

    /// Reads what `items` say of module `id`; files of its parts are searched in `folder`.
    fn fill(&mut self, directory: &Path, id: ModuleId, folder: &Path, items: &[Item]) {
        for item in items
            .iter()
            .filter(|item| !is_test(mentions::attributes(item)))
        {
            match item {
                Item::Mod(part) => self.part(directory, id, folder, part),
                Item::Use(import) => {
                    let reexported = !matches!(import.vis, syn::Visibility::Inherited);
                    self.import(id, &import.tree, &mut Vec::new(), reexported);
                }
                _ => {
                    let module = &mut self.modules[id];
                    let inner = mentions::of(item);
                    module.items.extend(mentions::defined(item));
                    if let Item::Macro(item) = item {
                        module
                            .macros
                            .extend(item.ident.as_ref().map(ToString::to_string));
                    }
                    module.imports.extend(inner.imports);
                    module.globs.extend(inner.globs);
                    module.mentions.extend(inner.mentions);
                }
            }
        }
    }

    fn part(&mut self, directory: &Path, parent: ModuleId, folder: &Path, part: &syn::ItemMod) {
        let name = part.ident.to_string();
        let above = &self.modules[parent];
        let mut path = above.path.clone();
        path.push(name.clone());
        let inner = folder.join(&name);
        let file = match &part.content {
            Some(_) => above.file.clone(),
            None => [inner.join("mod.rs"), folder.join(format!("{name}.rs"))]
                .into_iter()
                .find(|file| directory.join(file).exists())
                .unwrap_or_else(|| panic!("{}: no file of module {name}", above.file.display())),
        };
        let module = Module {
            package: above.package.clone(),
            path,
            file: file.clone(),
            shipped: above.shipped,
            parent: Some(parent),
            root: above.root,
            ..Module::default()
        };
        let id = self.modules.len();
        self.modules.push(module);
        self.modules[parent].children.insert(name, id);
        match &part.content {
            Some((_, items)) => self.fill(directory, id, &inner, items),
            None => self.fill(directory, id, &inner, &parse(&directory.join(file))),
        }
    }

    /// Notes what `use` brings in, and that it mentions it.
    fn import(&mut self, id: ModuleId, tree: &UseTree, before: &mut Vec<String>, reexported: bool) {
        let module = &mut self.modules[id];
        mentions::import(tree, before, &mut |path, name, line| {
            match name {
                Some(name) => drop(module.imports.insert(name, path.clone())),
                None => module.globs.push(path.clone()),
            }
            module.mentions.push(Mention {
                path,
                line,
                reexported,
            });
        });
    }
}

/// The files in `folder` that are roots of crates; in `src` that is `main.rs` alone.
fn roots(directory: &Path, folder: &Path, only_main: bool) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory.join(folder)) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .map(|entry| folder.join(entry.unwrap().file_name()))
        .map(|path| {
            if directory.join(&path).is_dir() {
                path.join("main.rs")
            } else {
                path
            }
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter(|path| directory.join(path).is_file())
        .filter(|path| {
            !only_main || path.file_name().unwrap() == "main.rs" && path.parent() == Some(folder)
        })
        .collect();
    found.sort();
    found
}

fn parse(file: &Path) -> Vec<Item> {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let parsed =
        syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    parsed.items
}

fn toml(file: &Path) -> toml::Value {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Whether the attributes say that something exists in tests only.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}
