//! From the SVG of a page, where attributes need no quotes, to the SVG of a file, which is XML.

use super::words::escaped;

/// The SVG with quotes around all values of attributes. Every element with the number of a node in
/// `data-n` gets that node's title.
pub(super) fn well_formed(svg: &str, titles: &[String]) -> String {
    let mut file = String::with_capacity(svg.len() + svg.len() / 8);
    let mut rest = svg;
    while let Some(open) = rest.find('<') {
        file.push_str(&rest[..open]);
        let tag = &rest[open..];
        let end = tag.find('>').map_or(tag.len(), |end| end + 1);
        push_tag(&mut file, &tag[..end], titles);
        rest = &tag[end..];
    }
    file.push_str(rest);
    file
}

fn push_tag(file: &mut String, tag: &str, titles: &[String]) {
    let body = tag.trim_start_matches('<').trim_end_matches('>');
    let (body, is_closed) = match body.strip_suffix('/') {
        Some(body) => (body, true),
        None => (body, false),
    };
    let mut parts = attributes(body).into_iter();
    let name = parts.next().unwrap_or("");
    let mut node = None;
    file.push('<');
    file.push_str(name);
    for part in parts {
        file.push(' ');
        let Some((key, value)) = part.split_once('=') else {
            file.push_str(part);
            continue;
        };
        let value = value.trim_matches('"');
        if key == "data-n" {
            node = value.parse::<usize>().ok();
        }
        file.push_str(&format!("{key}=\"{value}\""));
    }
    let title = node.and_then(|node| titles.get(node));
    match (title, is_closed) {
        (Some(title), true) => {
            file.push_str(&format!("><title>{}</title></{name}>", escaped(title)));
        }
        (Some(title), false) => file.push_str(&format!("><title>{}</title>", escaped(title))),
        (None, true) => file.push_str("/>"),
        (None, false) => file.push('>'),
    }
}

/// The name of an element and its attributes: the parts between spaces outside quotes.
fn attributes(body: &str) -> Vec<&str> {
    let mut quoted = false;
    let parts = body.split(|letter: char| {
        quoted ^= letter == '"';
        letter == ' ' && !quoted
    });
    parts.filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_quoted_and_nodes_are_named() {
        let svg = "<g class=\"nd free\" data-n=1><rect x=-1.5 y=2 /></g><text x=1>a &lt; b</text>";
        let titles = ["a".to_owned(), "b < c".to_owned()];
        assert_eq!(
            well_formed(svg, &titles),
            "<g class=\"nd free\" data-n=\"1\"><title>b &lt; c</title><rect x=\"-1.5\" y=\"2\"/></g><text x=\"1\">a &lt; b</text>"
        );
    }
}
