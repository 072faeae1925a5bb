"""A copy of the sources whose constants can be varied from outside.

`const STEPS: usize = 48;` becomes a function of the same name that returns 48 times the factor that
the environment gives, and every use of the constant becomes a call. Where the compiler needs a
constant, this does not compile, and the constant is left as it was.
"""

import json
import os
import re
import shutil
import subprocess

# The crates whose constants are varied, by their directories.
CRATES = ["mapper/search/src", "mapper/search/refine/src", "mapper/search/problem/src"]
# The crate that all of them know, and the module that it gets in the copy.
BASE = "mapper/model/base/src"
READER = '''//! Factors of constants, for the benchmark `tuning`.
#![allow(missing_docs)]

pub trait Number: Copy {
    fn times(self, factor: f64) -> Self;
}

macro_rules! integers {
    ($($kind:ty)*) => {$(
        impl Number for $kind {
            fn times(self, factor: f64) -> Self {
                if factor == 1.0 { self } else { ((self as f64 * factor).round() as Self).max(1) }
            }
        }
    )*};
}
integers!(u8 u16 u32 u64 usize i32 i64);

macro_rules! reals {
    ($($kind:ty)*) => {$(
        impl Number for $kind {
            fn times(self, factor: f64) -> Self {
                (f64::from(self) * factor) as Self
            }
        }
    )*};
}
reals!(f32 f64);

impl<A: Number, B: Number> Number for (A, B) {
    fn times(self, factor: f64) -> Self {
        (self.0.times(factor), self.1.times(factor))
    }
}

/// `value` times the factor in `RANKFOLD_TUNING`, which is "NAME=FACTOR". The name is noted in the
/// file `RANKFOLD_TUNING_READ`.
pub fn varied<N: Number>(name: &str, value: N) -> N {
    if let Ok(path) = std::env::var("RANKFOLD_TUNING_READ") {
        use std::io::Write;
        let mut file = std::fs::File::options().create(true).append(true).open(path).unwrap();
        file.write_all(format!("{name}\\n").as_bytes()).unwrap();
    }
    match std::env::var("RANKFOLD_TUNING").ok().as_deref().and_then(|text| text.split_once('=')) {
        Some((varied, factor)) if varied == name => value.times(factor.parse().unwrap()),
        _ => value,
    }
}
'''
NUMBER = r"(?:u8|u16|u32|u64|usize|i32|i64|f32|f64)"
CONSTANT = re.compile(
    rf"^(?P<indent>[ ]*)(?P<visible>pub(?:\([^)]*\))? )?const (?P<name>[A-Z][A-Z0-9_]*): "
    rf"(?P<kind>{NUMBER}|\({NUMBER}, {NUMBER}\)) = (?P<value>[^;]+);",
    re.MULTILINE,
)
# Marks and roundings are no choices.
NO_CHOICE = re.compile(r"MAX\b|MIN\b|EPSILON|INFINITY|^-?1e-(9|1\d)$")


class Sources:
    """The copy in `tree`; `refused` are the names of constants that stay constants."""

    def __init__(self, root, tree):
        self.root, self.tree = root, tree
        self.known = tree.parent / "refused.txt"
        self.refused = set(self.known.read_text().split()) if self.known.is_file() else set()
        self.constants = {}

    def copy(self):
        """Copies what git knows, with the contents that the files have now. What is rewritten
        anyway is not copied: it would be compiled again."""
        rewritten = (*(f"{crate}/" for crate in CRATES), f"{BASE}/lib.rs")
        listed = subprocess.run(
            ["git", "-C", self.root, "ls-files", "-z"], check=True, capture_output=True, text=True
        ).stdout
        for name in filter(None, listed.split("\0")):
            source, target = self.root / name, self.tree / name
            if name.startswith(rewritten) and name.endswith(".rs") and not is_test(source):
                continue
            if source.is_file() and not (target.is_file() and target.read_bytes() == source.read_bytes()):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)

    def rewrite(self):
        """Rewrites all crates until they compile."""
        self._add_reader()
        while errors := self._errors(self._rewrite_all()):
            if not errors - self.refused:
                raise SystemExit("the copy with varied constants does not compile")
            self.refused |= errors
            self.known.write_text("\n".join(sorted(self.refused)))

    def _add_reader(self):
        write(self.tree / BASE / "tuning.rs", READER)
        library = f"{BASE}/lib.rs"
        write(self.tree / library, (self.root / library).read_text() + "\n#[allow(missing_docs)]\npub mod tuning;\n")

    def _rewrite_all(self):
        """Rewrites the crates; returns the names of the varied constants in every file."""
        self.constants, used = {}, {}
        for crate in CRATES:
            files = [file for file in (self.root / crate).rglob("*.rs") if not is_test(file)]
            texts = {file.relative_to(self.root): file.read_text() for file in files}
            owned = {file: self._declared(file, text) for file, text in texts.items()}
            for file, text in texts.items():
                used[file] = self._called(file, text, owned)
                write(self.tree / file, self._rewritten(file, text, used[file], owned[file]))
        return used

    def _declared(self, file, text):
        found = {}
        for match in CONSTANT.finditer(text):
            key = f"{file}::{match['name']}"
            in_block = re.search(r"^(impl|trait|pub trait|pub\(.*\) trait)\b", enclosing(text, match), re.MULTILINE)
            if key not in self.refused and not NO_CHOICE.search(match["value"]) and not in_block:
                found[match["name"]] = key
                self.constants[key] = match["value"]
        return found

    def _called(self, file, text, owned):
        """Names of the constants that a file calls, with their keys."""
        called = dict(owned[file])
        imported = " ".join(re.findall(r"^\s*(?:pub(?:\([^)]*\))? )?use [^;]+;", text, re.MULTILINE))
        for other, names in owned.items():
            for name, key in names.items():
                if name not in called and re.search(rf"\b{name}\b", imported):
                    called[name] = key
                elif name not in called and re.search(rf"\b{other.stem}::{name}\b", text):
                    called[name] = key
        return called

    def _rewritten(self, file, text, called, owned):
        def call(code):
            for name in called:
                code = re.sub(rf"(?<![A-Za-z0-9_]){name}\b(?!\s*[:(])", f"{name}()", code)
                code = re.sub(rf"\b((?:Self|[A-Z][a-z]\w*)::{name})\(\)", r"\1", code)
            return code

        def function(match):
            if match["name"] not in owned:
                return call_outside(match.group(0), call)
            kind, name = match["kind"], match["name"]
            return (
                f"{match['indent']}#[allow(non_snake_case, missing_docs)]\n"
                f"{match['indent']}{match['visible'] or ''}fn {name}() -> {kind} {{ "
                f"static V: std::sync::OnceLock<{kind}> = std::sync::OnceLock::new(); "
                f'*V.get_or_init(|| rankfold_base::tuning::varied("{owned[name]}", {call(match["value"])})) }}'
            )

        pieces, end = [], 0
        for match in CONSTANT.finditer(text):
            pieces += [call_outside(text[end : match.start()], call), function(match)]
            end = match.end()
        return "".join(pieces) + call_outside(text[end:], call)

    def _errors(self, used):
        """Keys of the constants that stand where the compiler reports errors."""
        checked = subprocess.run(
            ["cargo", "check", "--release", "--quiet", "--message-format=json", "-p", "rankfold-mapper"],
            cwd=self.tree, capture_output=True, text=True, env=environment(self.tree),
        )
        found = set()
        for line in checked.stdout.splitlines():
            message = json.loads(line).get("message", {})
            if message.get("level") != "error":
                continue
            for span in message["spans"]:
                text = " ".join(part["text"] for part in span["text"])
                for name, key in used_in(span["file_name"], used).items():
                    if re.search(rf"\b{name}\b", text):
                        found.add(key)
        if checked.returncode and not found:
            raise SystemExit(checked.stdout[-4000:] + checked.stderr[-4000:])
        return found


def environment(tree):
    return os.environ | {"CARGO_TARGET_DIR": str(tree.parent / "target")}


def used_in(file_name, used):
    for file, names in used.items():
        if file_name.endswith(str(file)):
            return names
    return {}


def is_test(file):
    return "tests" in file.parts or file.name == "tests.rs"


def enclosing(text, match):
    """The line that opens the block in which an indented constant stands."""
    if not match["indent"]:
        return ""
    lines = text[: match.start()].splitlines()
    return next((line for line in reversed(lines) if line and not line[0].isspace() and line[0] not in "}/#)"), "")


def call_outside(text, call):
    """Rewrites code, not comments, strings or what `use` names."""
    parts = re.split(r'(//[^\n]*|"(?:[^"\\]|\\.)*"|^\s*(?:pub(?:\([^)]*\))? )?use [^;]+;)', text, flags=re.MULTILINE)
    return "".join(part if i % 2 else call(part) for i, part in enumerate(parts))


def write(path, text):
    """Writes a file unless it has that text: what did not change is not compiled again."""
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)
