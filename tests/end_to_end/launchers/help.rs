//! The options that launchers name in their help, one reader for each layout of help.

/// An option, as a launcher's help shows it.
#[derive(Debug)]
pub(super) struct Named {
    /// All spellings, with their dashes.
    pub(super) spellings: Vec<String>,
    /// The number of words behind it; `None` where the help leaves that open.
    pub(super) values: Option<usize>,
    /// The words that the help has in parentheses: often the values that it takes.
    pub(super) examples: Vec<String>,
}

impl Named {
    /// An option whose spellings stand between the characters `between`, and what follows them.
    fn new(spellings: &str, between: char, values: Option<usize>, text: &str) -> Self {
        let in_parentheses = text
            .split_once('(')
            .and_then(|(_, rest)| rest.split_once(')'));
        let examples = in_parentheses.map_or("", |(words, _)| words);
        Self {
            spellings: spellings.split(between).map(str::to_owned).collect(),
            values,
            examples: examples.split_whitespace().map(str::to_owned).collect(),
        }
    }
}

/// The text before two spaces, and the spaces at its beginning.
fn head(line: &str) -> (usize, &str) {
    let text = line.trim_start();
    let head = text.split("  ").next().unwrap_or(text);
    (line.len() - text.len(), head.trim_end())
}

/// `-gmca|--gmca <arg0> <arg1>  what it does`: Open MPI 4.
pub(super) fn orterun(help: &str) -> Vec<Named> {
    let lines = help.lines().filter_map(|line| {
        let (indented, head) = head(line);
        let is_option = indented <= 3 && head.starts_with('-');
        let mut words = head.split(' ').filter(|_| is_option);
        let spellings = words.next()?;
        Some(Named::new(spellings, '|', Some(words.count()), ""))
    });
    lines.collect()
}

/// Tables whose first column has `"-n" | "--n <num>"`, over several lines: PRRTE.
pub(super) fn prterun(help: &str) -> Vec<Named> {
    let mut all = Vec::new();
    let (mut cell, mut width) = (String::new(), 0);
    for line in help.lines() {
        if let Some(rule) = line.strip_prefix('+') {
            all.extend(quoted(&cell));
            cell.clear();
            width = rule.find('+').unwrap_or(0);
        } else if let Some(column) = line.strip_prefix('|').and_then(|row| row.get(..width)) {
            // A name is broken behind a hyphen.
            let is_broken = cell.ends_with('-') || cell.is_empty();
            cell.push_str(if is_broken { "" } else { " " });
            cell.push_str(column.trim());
        } else {
            cell.clear();
        }
    }
    all
}

/// The option of a cell: names in quotation marks, the last one with its values.
fn quoted(cell: &str) -> Option<Named> {
    let names: Vec<&str> = cell.split('"').skip(1).step_by(2).collect();
    let values = names.last()?.split_whitespace().count() - 1;
    let first = |name: &&str| name.split(' ').next().unwrap_or_default().to_owned();
    let spellings: Vec<String> = names.iter().map(first).collect();
    let all = spellings.join("|");
    all.starts_with('-')
        .then(|| Named::new(&all, '|', Some(values), ""))
}

/// `-n/-np {value}  what it does`: Hydra. Values are shown for some options only.
pub(super) fn hydra(help: &str) -> Vec<Named> {
    let lines = help.lines().filter_map(|line| {
        let (_, head) = head(line);
        let shown = head.matches(['{', '<']).count();
        let spellings = head
            .split(' ')
            .next()
            .filter(|word| word.starts_with('-'))?;
        Some(Named::new(
            spellings,
            '/',
            (shown > 0).then_some(shown),
            line,
        ))
    });
    lines.collect()
}

/// `-n, --ntasks=ntasks  what it does`: Slurm. Values that are shown may be left out or not.
pub(super) fn srun(help: &str) -> Vec<Named> {
    let lines = help.lines().filter_map(|line| {
        let text = line.trim_start();
        let is_option = matches!(line.len() - text.len(), 2 | 6) && text.starts_with('-');
        let words = text.split_whitespace().filter(|_| is_option);
        let names = words.take_while(|word| word.starts_with('-'));
        let name = |word: &str| word.split(['=', '[', ',']).next().map(str::to_owned);
        let names: Vec<String> = names.filter_map(name).collect();
        (!names.is_empty()).then(|| Named::new(&names.join(","), ',', None, ""))
    });
    lines.collect()
}
