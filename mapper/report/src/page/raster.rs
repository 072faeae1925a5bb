//! Large matrices as pictures with a palette. The script reads the values from the picture: every
//! value has a colour of its own.

use super::colours::{self, Ramp};
use super::words::escaped;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, PreEscaped, html};

/// A matrix of values from 0 (nothing) to 255.
pub(super) struct Raster<'a> {
    pub(super) width: usize,
    pub(super) values: Vec<u8>,
    pub(super) ramp: Ramp,
    pub(super) label: &'a str,
    /// What rows and columns stand for, and the number of the last one; `None` where the caption
    /// says it.
    pub(super) axis: Option<(&'a str, usize)>,
    /// More attributes of the HTML element, with what the script needs to describe a pixel.
    pub(super) data: String,
}

impl Raster<'_> {
    pub(super) fn html(&self) -> Markup {
        let (ramp, label) = match self.ramp {
            Ramp::Bytes => ("b", escaped(self.label)),
            Ramp::Loads => ("l", escaped(self.label)),
            Ramp::Changes => ("d", escaped(self.label)),
        };
        let png = STANDARD.encode(self.png());
        let height = self.values.len() / self.width.max(1);
        let picture = PreEscaped(format!(
            "<img class=ras data-ramp={ramp} width={} height={height} alt=\"{label}\" {} src=\"data:image/png;base64,{png}\">",
            self.width, self.data
        ));
        let Some((word, last)) = self.axis else {
            return picture;
        };
        html! { div class="axes" {
            div class="down" { span { "0" } span { "from " (word) } span { (last) } }
            div { (picture) }
            div class="across" { span { "0" } span { "to " (word) } span { (last) } }
        } }
    }

    fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let height = self.values.len() / self.width.max(1);
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let colours = colours::palette(self.ramp);
        let palette: Vec<u8> = [255; 3]
            .into_iter()
            .chain(colours.into_iter().flatten())
            .collect();
        encoder.set_palette(palette);
        encoder.set_trns(vec![0]);
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.values));
        // Writing to memory does not fail, and the number of values fits the size.
        written.map_or_else(|_| Vec::new(), |()| bytes)
    }
}
