//! A drawing as PDF: paths stay vectors, texts stay texts in a subset of their font. The same bytes for the same drawing
//! and fonts: no date, no random identifier, nothing compressed.

use std::collections::BTreeMap;

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Finish as _, Name, Pdf, Rect, Ref, Str, TextStr};
use resvg::usvg::tiny_skia_path::{PathSegment, Point, Transform};
use resvg::usvg::{self, Group, Node, Paint, Text, fontdb};
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider as _};
use subsetter::GlyphRemapper;

use super::{PageFit, fonts};
use crate::base::failure::{Failure, Result};
use crate::print::markup;

/// Points of a pixel, of which an inch has 96.
const POINTS: f32 = 72.0 / 96.0;
/// Widths are stated in thousandths of the size.
const EM: f32 = 1000.0;
/// Thickness of a letter, which a reader takes only to replace a font.
const USUAL_STEM: f32 = 80.0;
/// How the characters of a font are numbered: as its glyphs.
const NUMBERED: SystemInfo<'_> = SystemInfo {
    registry: Str(b"Adobe"),
    ordering: Str(b"Identity"),
    supplement: 0,
};

/// Writes an SVG of castbench as one page; the document states this text under the key `castbench`.
///
/// # Errors
/// No font, or none with that name. Exit code 1: a bug, or a font that cannot be embedded.
pub fn from_svg(svg: &str, fit: &PageFit, text: &str) -> Result<Vec<u8>> {
    let tree = fonts::laid_out(svg, fit)?;
    let size = tree.size();
    let wide = size.width() * POINTS;
    let high = size.height() * POINTS;
    let mut page = Page {
        content: Content::new(),
        down: Transform::from_row(POINTS, 0.0, 0.0, -POINTS, 0.0, high),
        fonts: Vec::new(),
        opacities: Vec::new(),
        database: tree.fontdb(),
    };
    page.group(tree.root(), 1.0)?;

    let mut last = Ref::new(1);
    let mut id = || last.bump();
    let [catalog, pages, leaf, content, info] = std::array::from_fn(|_| id());
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([leaf]).count(1);
    let title = markup::text_of(svg, "title").unwrap_or_default();
    pdf.document_info(info)
        .title(TextStr(&title))
        .producer(TextStr("castbench"))
        .pair(Name(b"castbench"), TextStr(text));
    pdf.stream(content, &page.content.finish());
    let fonts: Vec<Ref> = page.fonts.iter().map(|_| id()).collect();
    let mut leaf = pdf.page(leaf);
    leaf.parent(pages)
        .media_box(Rect::new(0.0, 0.0, wide, high))
        .contents(content);
    let mut resources = leaf.resources();
    let mut names = resources.fonts();
    for (font, id) in page.fonts.iter().zip(&fonts) {
        names.pair(Name(font.name.as_bytes()), *id);
    }
    names.finish();
    let mut states = resources.ext_g_states();
    for (number, opacity) in page.opacities.iter().enumerate() {
        let mut state = states
            .insert(Name(state_name(number).as_bytes()))
            .start::<pdf_writer::writers::ExtGraphicsState<'_>>();
        state.non_stroking_alpha(*opacity).stroking_alpha(*opacity);
    }
    states.finish();
    resources.finish();
    leaf.finish();
    for (font, own) in page.fonts.iter().zip(fonts) {
        font.embed(&mut pdf, own, [id(), id(), id(), id()])?;
    }
    Ok(pdf.finish())
}

fn state_name(number: usize) -> String {
    format!("S{number}")
}

/// A font and what is written in it.
struct Font {
    /// Its name on the page.
    name: String,
    id: fontdb::ID,
    /// Its name for other programs.
    postscript: String,
    /// Its file, and its number in it.
    data: Vec<u8>,
    index: u32,
    /// The glyphs used, by their numbers in the subset.
    subset: GlyphRemapper,
    /// Width in thousandths of the size, and characters, of each glyph used.
    used: BTreeMap<u16, (f32, String)>,
}

/// A page while it is written.
struct Page<'a> {
    content: Content,
    /// From pixels, downwards, to points, upwards.
    down: Transform,
    /// In the order of their first use, which does not depend on the order of files on a disk.
    fonts: Vec<Font>,
    opacities: Vec<f32>,
    database: &'a fontdb::Database,
}

impl Page<'_> {
    fn group(&mut self, group: &Group, opacity: f32) -> Result {
        // Parts of a group of castbench do not overlap, so each takes its opacity.
        let opacity = opacity * group.opacity().get();
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group, opacity)?,
                Node::Path(path) => self.path(path, opacity),
                Node::Text(text) => self.text(text, opacity)?,
                Node::Image(_) => return Err(internal("a drawing has no images")),
            }
        }
        Ok(())
    }

    fn opacity(&mut self, opacity: f32) {
        let number = self
            .opacities
            .iter()
            .position(|known| known.total_cmp(&opacity).is_eq())
            .unwrap_or_else(|| {
                self.opacities.push(opacity);
                self.opacities.len() - 1
            });
        self.content
            .set_parameters(Name(state_name(number).as_bytes()));
    }

    /// A path is filled or drawn as a line; castbench draws solid colours only.
    fn path(&mut self, path: &usvg::Path, opacity: f32) {
        let to_page = self.down.pre_concat(path.abs_transform());
        let Some(data) = path.data().clone().transform(to_page) else {
            return;
        };
        for (fill, stroke) in [(path.fill(), None), (None, path.stroke())] {
            let paint = fill
                .map(|fill| (fill.paint(), fill.opacity()))
                .or(stroke.map(|stroke| (stroke.paint(), stroke.opacity())));
            let Some((Paint::Color(colour), own)) = paint else {
                continue;
            };
            self.opacity(opacity * own.get());
            let [red, green, blue] = rgb(*colour);
            if let Some(stroke) = stroke {
                self.content
                    .set_stroke_rgb(red, green, blue)
                    .set_line_width(stroke.width().get() * length(to_page));
            } else {
                self.content.set_fill_rgb(red, green, blue);
            }
            self.outline(&data);
            if stroke.is_some() {
                self.content.stroke()
            } else {
                self.content.fill_nonzero()
            };
        }
    }

    fn outline(&mut self, data: &usvg::tiny_skia_path::Path) {
        let mut last = Point::zero();
        for segment in data.segments() {
            let content = &mut self.content;
            match segment {
                PathSegment::MoveTo(to) => content.move_to(to.x, to.y),
                PathSegment::LineTo(to) => content.line_to(to.x, to.y),
                PathSegment::QuadTo(by, to) => {
                    // The cubic curve of the same shape.
                    let towards = |end: Point| {
                        (
                            end.x + (by.x - end.x) * 2.0 / 3.0,
                            end.y + (by.y - end.y) * 2.0 / 3.0,
                        )
                    };
                    let (x1, y1) = towards(last);
                    let (x2, y2) = towards(to);
                    content.cubic_to(x1, y1, x2, y2, to.x, to.y)
                }
                PathSegment::CubicTo(one, two, to) => {
                    content.cubic_to(one.x, one.y, two.x, two.y, to.x, to.y)
                }
                PathSegment::Close => content.close_path(),
            };
            last = match segment {
                PathSegment::MoveTo(to) | PathSegment::LineTo(to) => to,
                PathSegment::QuadTo(_, to) | PathSegment::CubicTo(_, _, to) => to,
                PathSegment::Close => last,
            };
        }
    }

    fn text(&mut self, text: &Text, opacity: f32) -> Result {
        let to_page = self.down.pre_concat(text.abs_transform());
        for span in text.layouted() {
            let Some(fill) = &span.fill else { continue };
            let Paint::Color(colour) = fill.paint() else {
                continue;
            };
            self.opacity(opacity * fill.opacity().get());
            let [red, green, blue] = rgb(*colour);
            self.content.set_fill_rgb(red, green, blue);
            let runs = span
                .positioned_glyphs
                .chunk_by(|one, other| one.font == other.font);
            for run in runs {
                self.run(run, span.font_size.get() * length(to_page), to_page)?;
            }
        }
        Ok(())
    }

    /// Glyphs of one font, size and line, in one string, so that a reader finds words.
    fn run(
        &mut self,
        run: &[usvg::layout::PositionedGlyph],
        size: f32,
        to_page: Transform,
    ) -> Result {
        let placed: Vec<Transform> = run
            .iter()
            .map(|glyph| to_page.pre_concat(glyph.outline_transform()))
            .collect();
        let (Some(first), Some(glyph)) = (placed.first(), run.first()) else {
            return Ok(());
        };
        let number = self.font(glyph.font)?;
        let font = &mut self.fonts[number];
        let em = length(*first);
        let turned = [
            first.sx / em,
            first.ky / em,
            first.kx / em,
            first.sy / em,
            first.tx,
            first.ty,
        ];
        let widths: Vec<f32> = {
            let metrics = font
                .read()?
                .glyph_metrics(Size::new(EM), LocationRef::default());
            run.iter()
                .map(|glyph| metrics.advance_width(glyph.id.into()).unwrap_or_default())
                .collect()
        };
        let mut glyphs: Vec<(f32, [u8; 2])> = Vec::new();
        let mut pen = first.tx;
        for ((glyph, at), width) in run.iter().zip(&placed).zip(widths) {
            let id = u16::try_from(glyph.id.0).map_err(internal)?;
            let code = font.subset.remap(id);
            font.used
                .entry(code)
                .or_insert_with(|| (width, glyph.text.clone()));
            glyphs.push(((pen - at.tx) / size * EM, code.to_be_bytes()));
            pen = at.tx + width * size / EM;
        }
        self.content
            .begin_text()
            .set_font(Name(font.name.as_bytes()), size)
            .set_text_matrix(turned);
        let mut shown = self.content.show_positioned();
        let mut items = shown.items();
        for (back, code) in glyphs {
            // Less than a thousandth of the size is a rounding error.
            if back.abs() >= 1.0 {
                items.adjust(back);
            }
            items.show(Str(&code));
        }
        items.finish();
        shown.finish();
        self.content.end_text();
        Ok(())
    }

    /// The number of a font on this page.
    fn font(&mut self, id: fontdb::ID) -> Result<usize> {
        if let Some(known) = self.fonts.iter().position(|font| font.id == id) {
            return Ok(known);
        }
        let data = self
            .database
            .with_face_data(id, |data, index| (data.to_vec(), index));
        let (face, (data, index)) = self
            .database
            .face(id)
            .zip(data)
            .ok_or_else(|| internal("a font of the system cannot be read"))?;
        let postscript = face.post_script_name.clone();
        let name = format!("F{}", self.fonts.len());
        let subset = GlyphRemapper::new();
        self.fonts.push(Font {
            name,
            id,
            postscript,
            data,
            index,
            subset,
            used: BTreeMap::new(),
        });
        Ok(self.fonts.len() - 1)
    }
}

impl Font {
    /// Writes the font with the glyphs used only.
    fn embed(&self, pdf: &mut Pdf, own: Ref, parts: [Ref; 4]) -> Result {
        let [descendant, descriptor, file, codes] = parts;
        let base = format!("CASTBE+{}", self.postscript);
        let base = Name(base.as_bytes());
        let metrics = self.read()?.metrics(Size::new(EM), LocationRef::default());
        let bounds = metrics.bounds.unwrap_or_default();
        let subset = subsetter::subset(&self.data, self.index, &self.subset).map_err(internal)?;
        let is_cff = subset.starts_with(b"OTTO");

        pdf.type0_font(own)
            .base_font(base)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(descendant)
            .to_unicode(codes);
        let mut font = pdf.cid_font(descendant);
        font.subtype(if is_cff {
            CidFontType::Type0
        } else {
            CidFontType::Type2
        });
        font.base_font(base)
            .system_info(NUMBERED)
            .font_descriptor(descriptor)
            .default_width(0.0);
        if !is_cff {
            font.cid_to_gid_map_predefined(Name(b"Identity"));
        }
        let mut widths = font.widths();
        for (number, (width, _)) in &self.used {
            widths.consecutive(*number, [*width]);
        }
        widths.finish();
        font.finish();

        let mut described = pdf.font_descriptor(descriptor);
        described
            .name(base)
            .flags(FontFlags::SYMBOLIC)
            .italic_angle(metrics.italic_angle)
            .ascent(metrics.ascent);
        described
            .descent(metrics.descent)
            .cap_height(metrics.cap_height.unwrap_or(metrics.ascent))
            .stem_v(USUAL_STEM);
        described.bbox(Rect::new(
            bounds.x_min,
            bounds.y_min,
            bounds.x_max,
            bounds.y_max,
        ));
        if is_cff {
            described.font_file3(file)
        } else {
            described.font_file2(file)
        };
        described.finish();
        let mut program = pdf.stream(file, &subset);
        if is_cff {
            program.pair(Name(b"Subtype"), Name(b"OpenType"));
        }
        program.finish();

        let mut map = UnicodeCmap::new(Name(b"castbench"), NUMBERED);
        for (number, (_, text)) in &self.used {
            map.pair_with_multiple(*number, text.chars());
        }
        pdf.cmap(codes, &map.finish());
        Ok(())
    }

    fn read(&self) -> Result<FontRef<'_>> {
        FontRef::from_index(&self.data, self.index).map_err(internal)
    }
}

/// Red, green and blue, 0 to 1.
fn rgb(colour: usvg::Color) -> [f32; 3] {
    [colour.red, colour.green, colour.blue].map(|part| f32::from(part) / 255.0)
}

/// By how much a transform scales lengths.
fn length(transform: Transform) -> f32 {
    (transform.sx * transform.sy - transform.kx * transform.ky)
        .abs()
        .sqrt()
}

fn internal(error: impl std::fmt::Display) -> Failure {
    failure!(Internal, "PDF: {error}")
}
