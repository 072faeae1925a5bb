//! Splits a script into words and operators. Quotes and expansions stay in the words.

/// A word as it is written, or an assignment of an array.
#[derive(Clone, Debug)]
pub(super) enum Word {
    Plain(String),
    /// `NAME=(...)` or `NAME+=(...)`: what stands before the parenthesis, and the elements.
    Array(String, Vec<String>),
}

#[derive(Clone, Debug)]
pub(super) enum Token {
    Word(Word),
    Operator(&'static str),
}

/// What is assigned: a value, or the elements of an array.
pub(super) type Assigned<'a> = Result<&'a str, &'a [String]>;

impl Word {
    /// The word as written; of an array the part before the parenthesis.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Array(text, _) => text,
        }
    }

    /// Name, whether the value is appended, and the value or the elements of an assignment.
    pub(super) fn assignment(&self) -> Option<(&str, bool, Assigned<'_>)> {
        let (name, value) = self.text().split_once('=')?;
        let (name, appends) = match name.strip_suffix('+') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let value = match self {
            Self::Plain(_) => Ok(value),
            Self::Array(_, elements) => Err(elements.as_slice()),
        };
        is_name.then_some((name, appends, value))
    }
}

/// The operators, the longer ones first.
const OPERATORS: [&str; 10] = [";;", "&&", "||", ";", "&", "|", "(", ")", "\n", "<<<"];

/// The tokens of a script.
pub(super) fn read(text: &str) -> Vec<Token> {
    let mut reader = Reader {
        text,
        at: 0,
        ends: Vec::new(),
    };
    let mut tokens = Vec::new();
    while let Some(token) = reader.token() {
        tokens.push(token);
    }
    tokens
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Words that end the documents announced on this line.
    ends: Vec<String>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips white space within a line, continued lines and comments.
    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let skipped = if rest.starts_with("\\\n") {
                2
            } else if rest.starts_with("\\\r\n") {
                3
            } else if let Some(space) = rest
                .chars()
                .next()
                .filter(|c| *c != '\n' && c.is_whitespace())
            {
                space.len_utf8()
            } else if rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else {
                return;
            };
            self.at += skipped;
        }
    }

    fn token(&mut self) -> Option<Token> {
        self.skip_space();
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        if rest.starts_with("<<") && !rest.starts_with("<<<") {
            self.at += 2 + usize::from(rest[2..].starts_with('-'));
            self.skip_space();
            let end = self.word();
            self.ends.push(end.replace(['"', '\'', '\\'], ""));
            return self.token_after();
        }
        if rest.starts_with(['<', '>']) {
            // The file of a redirection is no word of the command.
            self.at += rest.len() - rest.trim_start_matches(['<', '>', '&', '|']).len();
            self.skip_space();
            self.word();
            return self.token_after();
        }
        if let Some(operator) = OPERATORS
            .iter()
            .find(|operator| rest.starts_with(**operator))
        {
            self.at += operator.len();
            if *operator == "\n" {
                self.skip_documents();
            }
            return Some(Token::Operator(operator));
        }
        let word = self.word();
        let is_descriptor = self.rest().starts_with(['<', '>']);
        if is_descriptor && word.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.token_after();
        }
        if word.ends_with('=') && self.rest().starts_with('(') {
            self.at += 1;
            return Some(Token::Word(Word::Array(word, self.elements())));
        }
        Some(Token::Word(Word::Plain(word)))
    }

    /// The next token. An operator that means nothing stands for a redirection, so that long runs
    /// of them are no deep recursion.
    fn token_after(&self) -> Option<Token> {
        Some(Token::Word(Word::Plain(String::new())))
    }

    /// Skips the documents (`<<END`) that follow this line.
    fn skip_documents(&mut self) {
        for end in std::mem::take(&mut self.ends) {
            while !self.rest().is_empty() {
                let line = self.rest().split('\n').next().unwrap_or_default();
                self.at = (self.at + line.len() + 1).min(self.text.len());
                if line.trim() == end {
                    break;
                }
            }
        }
    }

    /// The elements of an array up to its closing parenthesis.
    fn elements(&mut self) -> Vec<String> {
        let mut elements = Vec::new();
        loop {
            self.skip_space();
            let rest = self.rest();
            match rest.chars().next() {
                None => return elements,
                Some(')') => {
                    self.at += 1;
                    return elements;
                }
                Some(c) if "\n;&|(<>".contains(c) => self.at += 1,
                Some(_) => elements.push(self.word()),
            }
        }
    }

    /// The word that starts here, with its quotes.
    fn word(&mut self) -> String {
        let rest = self.rest();
        let mut length = 0;
        while let Some(c) = rest[length..].chars().next() {
            if c.is_whitespace() || ";&|()<>".contains(c) {
                break;
            }
            let after = &rest[length..];
            if after.starts_with("\\\n") || after.starts_with("\\\r\n") {
                break;
            }
            length += piece(after);
        }
        self.at += length;
        rest[..length].to_owned()
    }
}

/// Length of the piece of a word at the start of a text: a quoted part, an expansion, a character.
pub(super) fn piece(text: &str) -> usize {
    let mut chars = text.char_indices();
    let Some((_, first)) = chars.next() else {
        return 0;
    };
    let behind = |end: Option<usize>| end.unwrap_or(text.len());
    match first {
        '\\' => behind(chars.nth(1).map(|(at, _)| at)),
        '\'' => behind(text[1..].find('\'').map(|at| at + 2)),
        '`' => behind(text[1..].find('`').map(|at| at + 2)),
        '"' => behind(quoted(text)),
        '$' if text.starts_with("$(") => behind(closed(text, 1, '(', ')')),
        '$' if text.starts_with("${") => behind(closed(text, 1, '{', '}')),
        _ => first.len_utf8(),
    }
}

/// The end of a part in double quotes.
fn quoted(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '(' if depth > 0 || text[..at].ends_with('$') => depth += 1,
            ')' if depth > 0 => depth -= 1,
            '"' if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    // Without its partner, a parenthesis was none of an expansion.
    text[1..].find('"').map(|at| at + 2)
}

/// The end of a part in brackets that open at byte `from`.
fn closed(text: &str, from: usize, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().skip(from) {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}
