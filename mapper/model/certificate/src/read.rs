//! Reads the text of a certificate.

use super::{Certificate, Eigenvalues, Lines, PricedTriple, Proof, Refused};
use std::str::{FromStr, SplitAsciiWhitespace};

/// The versions of certificates, by what they are about.
pub(super) const HOP_BYTES: u32 = 1;
pub(super) const BUSIEST_LINK: u32 = 2;

/// More slots than this are not accepted: sums of the checker could overflow.
const MOST_SLOTS: usize = 512;

/// More pairs or triples than this are not accepted.
const MOST_STATEMENTS: usize = 1 << 22;

/// Reads all statements, in their order.
pub(super) fn read(text: &str) -> Result<Certificate, Refused> {
    let mut statements = Statements::new(text);
    let version: u32 = statements.number("rankfold-certificate")?;
    if ![HOP_BYTES, BUSIEST_LINK].contains(&version) {
        let problem = format!("certificates of version {version} are unknown");
        return Err(Refused::at(statements.line, problem));
    }
    let ranks: usize = statements.number("ranks")?;
    let slots: usize = statements.number("slots")?;
    if !(3..=MOST_SLOTS).contains(&slots) || ranks > slots {
        let problem = format!("there are not 3 to {MOST_SLOTS} slots, at least one for each rank");
        return Err(Refused::at(statements.line, problem));
    }
    let bandwidth = (version == BUSIEST_LINK)
        .then(|| bandwidth(&mut statements))
        .transpose()?;
    let mut lines = Lines::default();
    let count = statements.count("pairs")?;
    lines.pairs = statements.line + 1;
    let mut pairs = Vec::new();
    for _ in 0..count {
        let mut words = statements.next("pair")?;
        let pair = (words.below(ranks)?, words.below(ranks)?, words.number()?);
        if pair.0 >= pair.1 {
            return Err(words.refused("the first rank of a pair is not the lower one"));
        }
        pairs.push(pair);
        words.end()?;
    }
    lines.hops = statements.line + 1;
    let hops = hops(&mut statements, slots)?;
    let placement = statements.list("placement", ranks, |words| words.below(slots))?;
    lines.placement = statements.line;
    let hop_bytes = statements.number("hop-bytes")?;
    lines.hop_bytes = statements.line;
    let bound = statements.number("bound")?;
    lines.bound = statements.line;
    let proof = proof(&mut statements, slots, &mut lines)?;
    statements.checksum()?;
    Ok(Certificate {
        ranks,
        slots,
        bandwidth,
        pairs,
        hops,
        placement,
        hop_bytes,
        bound,
        proof,
        lines,
    })
}

fn bandwidth(statements: &mut Statements<'_>) -> Result<f64, Refused> {
    let bandwidth: f64 = statements.number("bandwidth")?;
    if bandwidth.is_finite() && bandwidth > 0.0 {
        return Ok(bandwidth);
    }
    let problem = "the bandwidth is not a number above 0";
    Err(Refused::at(statements.line, problem))
}

fn hops(statements: &mut Statements<'_>, slots: usize) -> Result<Vec<i64>, Refused> {
    let mut hops = vec![0; slots * slots];
    for slot in 0..slots {
        let mut words = statements.numbered("hops", slot)?;
        for other in slot + 1..slots {
            let between: u16 = words.number()?;
            hops[slot * slots + other] = i64::from(between);
            hops[other * slots + slot] = i64::from(between);
        }
        words.end()?;
    }
    Ok(hops)
}

fn proof(
    statements: &mut Statements<'_>,
    slots: usize,
    lines: &mut Lines,
) -> Result<Proof, Refused> {
    let unit = statements.number("unit")?;
    if !(-64..=48).contains(&unit) {
        let problem = "the unit is not within -64 and 48";
        return Err(Refused::at(statements.line, problem));
    }
    lines.shares = statements.line + 1;
    let mut shares = Vec::new();
    for rank in 0..slots {
        let mut words = statements.numbered("share", rank)?;
        for _ in 0..slots {
            shares.push(words.number()?);
        }
        words.end()?;
    }
    let diagonal = statements.list("diagonal", slots, Words::number)?;
    lines.diagonal = statements.line;
    let count = statements.count("triples")?;
    lines.triples = statements.line + 1;
    let mut triples = Vec::new();
    for _ in 0..count {
        let mut words = statements.next("triple")?;
        let is_detour = match words.word()? {
            "detour" => true,
            "perimeter" => false,
            _ => return Err(words.refused("the rule is neither detour nor perimeter")),
        };
        let ranks = [
            words.below(slots)?,
            words.below(slots)?,
            words.below(slots)?,
        ];
        let price = words.number()?;
        words.end()?;
        triples.push(PricedTriple {
            is_detour,
            ranks,
            price,
        });
    }
    let slot_prices = statements.list("slot-prices", slots, Words::number)?;
    lines.slot_prices = statements.line;
    let rest = eigenvalues(statements, "rest", slots)?;
    lines.rest = statements.line - slots;
    let distances = eigenvalues(statements, "distances", slots)?;
    lines.distances = statements.line - slots;
    Ok(Proof {
        unit,
        shares,
        diagonal,
        triples,
        slot_prices,
        rest,
        distances,
    })
}

fn eigenvalues(
    statements: &mut Statements<'_>,
    of: &str,
    slots: usize,
) -> Result<Eigenvalues, Refused> {
    let lift = statements.number(of)?;
    let (mut values, mut vectors) = (Vec::new(), Vec::new());
    for _ in 0..slots {
        let mut words = statements.next("eigenvalue")?;
        values.push(words.number()?);
        let vector: Result<Vec<i64>, Refused> = (0..slots).map(|_| words.number()).collect();
        vectors.push(vector?);
        words.end()?;
    }
    Ok(Eigenvalues {
        lift,
        values,
        vectors,
    })
}

/// The statements of a text, one after the other.
struct Statements<'a> {
    text: &'a str,
    /// Where the next statement begins.
    at: usize,
    /// The line of the last statement.
    line: usize,
}

impl<'a> Statements<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            line: 0,
        }
    }

    /// The words of the next statement, which begins with `keyword`.
    fn next(&mut self, keyword: &str) -> Result<Words<'a>, Refused> {
        self.line += 1;
        let rest = &self.text[self.at..];
        let line = rest.split_inclusive('\n').next().unwrap_or("");
        self.at += line.len();
        let mut words = Words {
            words: line.split_ascii_whitespace(),
            line: self.line,
        };
        if !line.ends_with('\n') || words.words.next() != Some(keyword) {
            return Err(words.refused(format!("the statement {keyword:?} is missing")));
        }
        Ok(words)
    }

    /// The words of the next statement, which has a number of its own.
    fn numbered(&mut self, keyword: &str, number: usize) -> Result<Words<'a>, Refused> {
        let mut words = self.next(keyword)?;
        if words.number::<usize>()? != number {
            return Err(words.refused(format!("this is not {keyword} {number}")));
        }
        Ok(words)
    }

    /// A statement with one number.
    fn number<T: FromStr>(&mut self, keyword: &str) -> Result<T, Refused> {
        let mut words = self.next(keyword)?;
        let number = words.number()?;
        words.end()?;
        Ok(number)
    }

    /// A number of statements that follow.
    fn count(&mut self, keyword: &str) -> Result<usize, Refused> {
        let count = self.number(keyword)?;
        if count > MOST_STATEMENTS {
            return Err(Refused::at(self.line, "these are too many"));
        }
        Ok(count)
    }

    /// A statement with so many values.
    fn list<T>(
        &mut self,
        keyword: &str,
        count: usize,
        value: impl Fn(&mut Words<'a>) -> Result<T, Refused>,
    ) -> Result<Vec<T>, Refused> {
        let mut words = self.next(keyword)?;
        let values: Result<Vec<T>, Refused> = (0..count).map(|_| value(&mut words)).collect();
        words.end()?;
        values
    }

    /// The last statement: the checksum of all before it.
    fn checksum(&mut self) -> Result<(), Refused> {
        let counted = checksum(&self.text.as_bytes()[..self.at]);
        let mut words = self.next("checksum")?;
        if words.word()? != format!("{counted:016x}") {
            return Err(
                words.refused("the lines before have another checksum: the file is damaged")
            );
        }
        words.end()?;
        if self.at != self.text.len() {
            return Err(Refused::at(self.line + 1, "the certificate has ended"));
        }
        Ok(())
    }
}

/// FNV-1a with 64 bits.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The words of a statement behind its keyword.
struct Words<'a> {
    words: SplitAsciiWhitespace<'a>,
    line: usize,
}

impl<'a> Words<'a> {
    fn refused(&self, problem: impl Into<String>) -> Refused {
        Refused::at(self.line, problem)
    }

    fn word(&mut self) -> Result<&'a str, Refused> {
        self.words
            .next()
            .ok_or_else(|| self.refused("a word is missing"))
    }

    fn number<T: FromStr>(&mut self) -> Result<T, Refused> {
        let word = self.word()?;
        word.parse()
            .map_err(|_| self.refused(format!("{word:?} is no number of the range expected here")))
    }

    fn below(&mut self, limit: usize) -> Result<u32, Refused> {
        let number: u32 = self.number()?;
        if number as usize >= limit {
            return Err(self.refused(format!("{number} is not below {limit}")));
        }
        Ok(number)
    }

    fn end(&mut self) -> Result<(), Refused> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => Err(self.refused(format!("{word:?} is one word too many"))),
        }
    }
}
