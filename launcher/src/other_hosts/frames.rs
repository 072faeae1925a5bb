//! Sends files through a launcher's standard output.
//!
//! Launchers pass on the output of processes in pieces of any size, and so mix the lines of several
//! processes. Files are therefore sent in short frames, each written at once. A damaged frame is
//! recognised by its checksum, and the whole transfer is repeated. A frame is a line of text:
//!
//! `RFK1 KIND SOURCE FILE OFFSET HEX CRC`
//!
//! KIND is N (a file begins: HEX is its name, OFFSET its length), D (HEX are the bytes at OFFSET)
//! or E (the source has sent all: FILE is the number of its files, OFFSET the number of its frames
//! before this one, HEX the name of its host). SOURCE is a number that no other sending process
//! has. Bytes of a file that no frame holds are zero. All other lines are skipped.

use std::collections::BTreeMap;
use std::io::{self, Write};

/// Most bytes of a file in a frame. Chosen by hand; not measured.
const CARGO: usize = 480;
/// The beginning of a frame.
const MARK: &str = "RFK1";
/// The most bytes of a file. No journal is longer.
const LONGEST: u64 = 1 << 32;

/// Writes files in frames.
pub(super) struct Sender<W> {
    out: W,
    source: u64,
    files: u32,
    frames: u64,
}

impl<W: Write> Sender<W> {
    /// A sender with the number `source`, which no other sender has.
    pub(super) fn new(out: W, source: u64) -> Self {
        Self {
            out,
            source,
            files: 0,
            frames: 0,
        }
    }

    /// Sends one file.
    pub(super) fn file(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.files += 1;
        self.frame('N', self.files, bytes.len() as u64, name.as_bytes())?;
        for (number, cargo) in bytes.chunks(CARGO).enumerate() {
            if cargo.iter().any(|&byte| byte != 0) {
                self.frame('D', self.files, (number * CARGO) as u64, cargo)?;
            }
        }
        Ok(())
    }

    /// Sends the last frame, which says that `host` has sent all files.
    pub(super) fn end(mut self, host: &str) -> io::Result<()> {
        self.frame('E', self.files, self.frames, host.as_bytes())
    }

    fn frame(&mut self, kind: char, file: u32, offset: u64, cargo: &[u8]) -> io::Result<()> {
        let cargo = &cargo[..cargo.len().min(CARGO)];
        let hex: String = cargo.iter().map(|byte| format!("{byte:02x}")).collect();
        let content = format!("{kind} {:016x} {file:x} {offset:x} {hex}", self.source);
        let sum = crc32fast::hash(content.as_bytes());
        let line = format!("{MARK} {content} {sum:08x}\n");
        self.frames += 1;
        self.out.write_all(line.as_bytes())?;
        self.out.flush()
    }
}

/// The frames of one source that have arrived.
#[derive(Debug, Default)]
struct Source {
    /// Names and lengths by file number.
    files: BTreeMap<u32, (String, usize)>,
    /// Bytes by file number and offset.
    cargo: BTreeMap<(u32, usize), Vec<u8>>,
    /// The last frame: the host, the number of files and the number of frames.
    end: Option<(String, u32, u64)>,
}

impl Source {
    /// The host, if all frames have arrived.
    fn whole(&self) -> Option<&str> {
        let (host, files, frames) = self.end.as_ref()?;
        let found = self.files.len() + self.cargo.len();
        let all = self.files.len() == *files as usize && found as u64 == *frames;
        all.then_some(host.as_str())
    }
}

/// All frames that have arrived.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    sources: BTreeMap<u64, Source>,
}

impl Arrived {
    /// Adds the frames in `text`.
    pub(super) fn add(&mut self, text: &[u8]) {
        for line in text.split(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(line);
            // A launcher may put a tag before a frame, or a frame into the middle of another one.
            for (start, mark) in line.match_indices(MARK) {
                // A damaged frame is skipped. The number in the last frame shows that it is
                // missing.
                let _ = self.take(&line[start + mark.len()..]);
            }
        }
    }

    /// Adds the frame whose text follows the mark; `None` if it is damaged.
    fn take(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.trim_end().strip_prefix(' ')?.splitn(6, ' ').collect();
        let (&sum, content) = words.split_last()?;
        let [kind, source, file, offset, hex] = content else {
            return None;
        };
        if u32::from_str_radix(sum, 16).ok()? != crc32fast::hash(content.join(" ").as_bytes()) {
            return None;
        }
        let number = |word: &str| u64::from_str_radix(word, 16).ok();
        let file = u32::try_from(number(file)?).ok()?;
        let offset = number(offset)?;
        let cargo = unhex(hex)?;
        let source = self.sources.entry(number(source)?).or_default();
        match *kind {
            "N" if offset <= LONGEST => {
                let name = String::from_utf8(cargo).ok()?;
                source
                    .files
                    .insert(file, (name, usize::try_from(offset).ok()?));
            }
            "D" if offset <= LONGEST => {
                source
                    .cargo
                    .insert((file, usize::try_from(offset).ok()?), cargo);
            }
            "E" => source.end = Some((String::from_utf8(cargo).ok()?, file, offset)),
            _ => return None,
        }
        Some(())
    }

    /// The hosts whose frames have all arrived.
    pub(super) fn hosts(&self) -> Vec<&str> {
        self.sources.values().filter_map(Source::whole).collect()
    }

    /// Whether a frame of a known source is missing.
    pub(super) fn is_short(&self) -> bool {
        self.sources.values().any(|source| source.whole().is_none())
    }

    /// The names and the bytes of all files, with zeros for missing frames.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, Vec<u8>)> {
        self.sources.values().flat_map(|source| {
            source.files.iter().map(|(file, (name, length))| {
                let mut bytes = vec![0; *length];
                for ((_, start), cargo) in source.cargo.range((*file, 0)..=(*file, *length)) {
                    if let Some(place) = bytes.get_mut(*start..start + cargo.len()) {
                        place.copy_from_slice(cargo);
                    }
                }
                (name.as_str(), bytes)
            })
        })
    }
}

/// The bytes that hexadecimal digits stand for.
fn unhex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frames of `files`.
    fn sent(source: u64, host: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut sender = Sender::new(&mut out, source);
        files
            .iter()
            .for_each(|(name, bytes)| sender.file(name, bytes).unwrap());
        sender.end(host).unwrap();
        out
    }

    fn arrived(text: &[u8]) -> Arrived {
        let mut arrived = Arrived::default();
        arrived.add(text);
        arrived
    }

    /// A file of mostly zeros.
    fn sparse() -> Vec<u8> {
        let mut bytes = vec![0; 5000];
        (bytes[0], bytes[2500], bytes[4999]) = (1, 2, 3);
        bytes
    }

    #[test]
    fn files_of_several_hosts_arrive_whatever_the_order_of_their_frames() {
        let long = sparse();
        let (a, b) = (
            sent(7, "n0", &[("x", &long), ("y", b"")]),
            sent(8, "n1", &[("z", b"abc")]),
        );
        let lines: Vec<&[u8]> = [&a[..], &b]
            .into_iter()
            .flat_map(|sent| sent.split_inclusive(|&b| b == b'\n'))
            .collect();
        let mixed = [
            b"a line of the launcher's\n",
            &lines.iter().rev().copied().collect::<Vec<_>>().concat()[..],
        ]
        .concat();
        let arrived = arrived(&mixed);
        assert_eq!(arrived.hosts(), ["n0", "n1"]);
        assert!(!arrived.is_short());
        let files: Vec<_> = arrived.files().collect();
        assert_eq!(files, [("x", long), ("y", vec![]), ("z", b"abc".to_vec())]);
    }

    #[test]
    fn what_was_cut_is_told_and_arrives_with_the_next_attempt() {
        let (a, b) = (
            sent(7, "n0", &[("x", &sparse())]),
            sent(8, "n1", &[("z", b"abc")]),
        );
        for cut in 0..a.len() {
            // The launcher puts all of the one into the middle of the other.
            let mut arrived = arrived(&[&a[..cut], &b, &a[cut..]].concat());
            let starts = a[..cut]
                .split(|&byte| byte == b'\n')
                .next_back()
                .unwrap_or_default();
            assert!(arrived.is_short() || starts.is_empty(), "{cut}");
            assert!(arrived.hosts().contains(&"n1"), "{cut}");
            arrived.add(&a);
            assert_eq!(arrived.hosts(), ["n0", "n1"], "{cut}");
            assert!(arrived.files().any(|file| file == ("x", sparse())));
        }
    }

    #[test]
    fn what_was_damaged_is_told() {
        let whole = sent(7, "n0", &[("x", &[1; 3000])]);
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            let arrived = arrived(&damaged);
            let unhurt = arrived.files().eq([("x", vec![1; 3000])]);
            assert!(unhurt || arrived.hosts().is_empty(), "{place}");
        }
    }
}
