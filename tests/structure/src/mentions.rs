//! The paths an item mentions: in `use`, in types and expressions, and in the words given to macros
//! and attributes.

use crate::sources::{Mention, is_test};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::HashMap;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, Macro, MetaList, Path, UseTree, Visibility};

/// What is inside an item.
#[derive(Default)]
pub(crate) struct Inside {
    pub(crate) mentions: Vec<Mention>,
    pub(crate) imports: HashMap<String, Vec<String>>,
    pub(crate) globs: Vec<Vec<String>>,
}

pub(crate) fn of(item: &Item) -> Inside {
    let mut inside = Inside::default();
    inside.visit_item(item);
    inside
}

impl Inside {
    fn mention(&mut self, path: Vec<String>, line: usize) {
        self.mentions.push(Mention {
            path,
            line,
            reexported: false,
        });
    }

    /// Paths among the words of a macro, which only the macro can parse.
    fn scan(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Ident(first) => {
                    let mut path = vec![first.to_string()];
                    while let Some(next) = after_colons(&tokens[at + 1..]) {
                        path.push(next);
                        at += 3;
                    }
                    if path.len() > 1 {
                        self.mention(path, first.span().start().line);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// The identifier in `:: identifier`.
fn after_colons(tokens: &[TokenTree]) -> Option<String> {
    match tokens {
        [
            TokenTree::Punct(a),
            TokenTree::Punct(b),
            TokenTree::Ident(next),
            ..,
        ] if a.as_char() == ':' && b.as_char() == ':' => Some(next.to_string()),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Inside {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            ImplItem::Macro(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !is_test(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        // A single name is a local one, or a `use` has told of it.
        if path.segments.len() > 1 {
            let names = path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string());
            self.mention(names.collect(), path.segments[0].ident.span().start().line);
        }
        visit::visit_path(self, path);
    }

    /// `pub(in path)` says who may know the item, not whom it knows.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        import(&item.tree, &mut Vec::new(), &mut |path, name, line| {
            match name {
                Some(name) => drop(self.imports.insert(name, path.clone())),
                None => self.globs.push(path.clone()),
            }
            self.mention(path, line);
        });
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        if let Some(name) = call.path.get_ident() {
            self.mention(vec![name.to_string()], name.span().start().line);
        }
        self.scan(call.tokens.clone());
        visit::visit_macro(self, call);
    }

    fn visit_meta_list(&mut self, list: &'ast MetaList) {
        self.scan(list.tokens.clone());
        visit::visit_meta_list(self, list);
    }
}

/// Calls `each` with every path a `use` brings in, its name here (none for `*`), and its line.
pub(crate) fn import(
    tree: &UseTree,
    before: &mut Vec<String>,
    each: &mut impl FnMut(Vec<String>, Option<String>, usize),
) {
    let mut leaf = |ident: &proc_macro2::Ident, name: &proc_macro2::Ident| {
        // `use path::{self}` brings in the module `path`.
        let mut path = before.clone();
        let mut called = name.to_string();
        if ident != "self" {
            path.push(ident.to_string());
        } else if name == "self" {
            called = path.last().cloned().unwrap_or_default();
        }
        each(path, Some(called), ident.span().start().line);
    };
    match tree {
        UseTree::Name(name) => leaf(&name.ident, &name.ident),
        UseTree::Rename(rename) => leaf(&rename.ident, &rename.rename),
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            import(&path.tree, before, each);
            before.pop();
        }
        UseTree::Group(group) => group
            .items
            .iter()
            .for_each(|tree| import(tree, before, each)),
        UseTree::Glob(glob) => each(before.clone(), None, glob.star_token.spans[0].start().line),
    }
}

/// The name an item defines.
pub(crate) fn defined(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
