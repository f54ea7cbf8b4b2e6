//! The style of all drawings: colours and markers that colour-blind readers can distinguish (colours of Okabe and Ito,
//! and three more), on white, with dark text.

pub use plotters::style::RGBColor;

/// A point of a picture, in pixels, or of a plot, in the values of its axes.
pub type Point = (f64, f64);

/// Text.
pub const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// Secondary text, axes.
pub const FAINT_INK: RGBColor = RGBColor(0x55, 0x55, 0x55);
/// Grid lines.
pub const GRID: RGBColor = RGBColor(0xe1, 0xe1, 0xe1);
/// Every other row of a plot.
pub const ROW: RGBColor = RGBColor(0xf3, 0xf3, 0xf3);
/// The part of its colour that an area has.
pub const TINT: f64 = 0.16;
/// Paper.
pub const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);
/// Size of labels and captions.
pub const LABEL: f64 = 13.0;
/// Fonts in order of preference; each is a valid CSS name.
pub const FONTS: &str = "Helvetica, Arial, DejaVu Sans, sans-serif";

/// The colour, marker and pen of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Colour of line and marker.
    pub colour: RGBColor,
    /// Shape of the points.
    pub marker: Marker,
    /// How its line is drawn.
    pub pen: Pen,
}

/// How a line is drawn: the first line of a colour is whole, those after it differ in their dashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pen {
    /// A whole line.
    Whole,
    /// Dots.
    Dots,
    /// Long dashes with short gaps.
    Long,
    /// Dots far apart.
    Sparse,
}

impl Pen {
    /// The pen of each line of a colour, in order.
    pub const ALL: [Self; 4] = [Self::Whole, Self::Dots, Self::Long, Self::Sparse];

    /// The length of a dash and of the gap behind it; none of a whole line.
    pub fn dashes(self) -> Option<[f64; 2]> {
        match self {
            Self::Whole => None,
            Self::Dots => Some([2.0, 3.0]),
            Self::Long => Some([12.0, 3.0]),
            Self::Sparse => Some([2.0, 8.0]),
        }
    }
}

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
    /// A triangle on its tip.
    Nabla,
    /// A square on its tip.
    Diamond,
    /// A cross of falling and rising lines.
    Cross,
    /// A cross of level and upright lines.
    Plus,
    /// A ring.
    Ring,
    /// A cross and a plus.
    Star,
    /// A part of an area.
    Area,
    /// A line with a bar at both ends.
    Interval,
    /// A part of an axis with short strokes.
    Rug,
    /// A square with a letter.
    Letter(char),
    /// A square with a number.
    Number(usize),
}

/// A look with whole lines.
const fn look(colour: RGBColor, marker: Marker) -> Look {
    let pen = Pen::Whole;
    Look {
        colour,
        marker,
        pen,
    }
}

impl Look {
    /// The colour of letters on this one: the one with more contrast.
    pub fn ink(self) -> RGBColor {
        let RGBColor(red, green, blue) = self.colour;
        let luminance = 2 * u32::from(red) + 5 * u32::from(green) + u32::from(blue);
        if luminance > 8 * 118 { INK } else { PAPER }
    }

    /// Another marker in its colour.
    pub fn with(self, marker: Marker) -> Self {
        Self { marker, ..self }
    }

    /// The letter or the number in it.
    pub fn sign(self) -> String {
        match self.marker {
            Marker::Letter(letter) => letter.to_string(),
            Marker::Number(number) => number.to_string(),
            _ => String::new(),
        }
    }

    /// Blue discs.
    pub const FIRST: Self = Self::ALL[0];
    /// Vermilion squares.
    pub const SECOND: Self = Self::ALL[1];
    /// Green triangles.
    pub const THIRD: Self = Self::ALL[2];
    /// Purple crosses.
    pub const FOURTH: Self = Self::ALL[3];
    /// The looks for algorithms, in order. Two with the same marker have colours that differ in grey print and for colour-blind
    /// readers, too.
    pub const ALL: [Self; 28] = {
        const BLUE: RGBColor = RGBColor(0x00, 0x72, 0xb2);
        const VERMILION: RGBColor = RGBColor(0xd5, 0x5e, 0x00);
        const GREEN: RGBColor = RGBColor(0x00, 0x9e, 0x73);
        const PURPLE: RGBColor = RGBColor(0xcc, 0x79, 0xa7);
        const ORANGE: RGBColor = RGBColor(0xe6, 0x9f, 0x00);
        const SKY: RGBColor = RGBColor(0x56, 0xb4, 0xe9);
        const WINE: RGBColor = RGBColor(0x88, 0x22, 0x55);
        const VIOLET: RGBColor = RGBColor(0x69, 0x00, 0xc3);
        const BROWN: RGBColor = RGBColor(0x6b, 0x4c, 0x00);
        use Marker::{Circle, Cross, Diamond, Nabla, Plus, Ring, Square, Star, Triangle};
        [
            look(BLUE, Circle),
            look(VERMILION, Square),
            look(GREEN, Triangle),
            look(PURPLE, Cross),
            look(ORANGE, Diamond),
            look(SKY, Nabla),
            look(WINE, Plus),
            look(BLUE, Plus),
            look(VERMILION, Star),
            look(GREEN, Diamond),
            look(PURPLE, Circle),
            look(ORANGE, Ring),
            look(SKY, Triangle),
            look(WINE, Square),
            look(BLUE, Ring),
            look(GREEN, Plus),
            look(WINE, Triangle),
            look(SKY, Plus),
            look(BLUE, Cross),
            look(GREEN, Ring),
            look(WINE, Ring),
            look(SKY, Square),
            look(BLUE, Triangle),
            look(WINE, Diamond),
            look(BLUE, Diamond),
            look(VIOLET, Star),
            look(BROWN, Cross),
            look(VIOLET, Nabla),
        ]
    };
    /// Grey triangles: an algorithm without its own look.
    pub const OTHER: Self = look(RGBColor(0x88, 0x88, 0x88), Marker::Triangle);
    /// Black rings: bounds and references.
    pub const REFERENCE: Self = look(INK, Marker::Ring);
    /// Light grey: ties and unknown values.
    pub const NEUTRAL: Self = look(RGBColor(0xd8, 0xd8, 0xd8), Marker::Square);
}

#[cfg(test)]
mod tests {
    use super::*;

    type Matrix = [[f64; 3]; 3];

    /// What is seen of linear red, green and blue: all; nothing but luminance, as in grey print; without long, middle or
    /// short cones (Machado, Oliveira and Fernandes 2009, severity 1).
    const VIEWS: [(&str, Matrix); 5] = [
        (
            "colour",
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        ),
        ("grey", [[0.2126, 0.7152, 0.0722]; 3]),
        (
            "protanopia",
            [
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ],
        ),
        (
            "deuteranopia",
            [
                [0.367_322, 0.860_646, -0.227_968],
                [0.280_085, 0.672_501, 0.047_413],
                [-0.011_820, 0.042_940, 0.968_881],
            ],
        ),
        (
            "tritanopia",
            [
                [1.255_528, -0.076_749, -0.178_779],
                [-0.078_411, 0.930_809, 0.147_602],
                [0.004_733, 0.691_367, 0.303_900],
            ],
        ),
    ];
    /// From linear sRGB to XYZ, divided by its white.
    const XYZ: Matrix = [
        [0.4339, 0.3762, 0.1899],
        [0.2126, 0.7152, 0.0722],
        [0.0177, 0.1095, 0.8727],
    ];
    /// Least distance in CIELAB; a distance of about 2 is just seen when two areas touch.
    const LEAST: f64 = 10.0;

    fn times(matrix: &Matrix, [x, y, z]: [f64; 3]) -> [f64; 3] {
        matrix.map(|[a, b, c]| a * x + b * y + c * z)
    }

    /// Lightness and two opponent colours, in which a distance is a visible difference.
    fn seen(RGBColor(red, green, blue): RGBColor, view: &Matrix) -> [f64; 3] {
        let linear = [red, green, blue].map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        });
        let [x, y, z] =
            times(&XYZ, times(view, linear).map(|part| part.clamp(0.0, 1.0))).map(|part| {
                if part > 0.008_856 {
                    part.cbrt()
                } else {
                    7.787 * part + 16.0 / 116.0
                }
            });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    fn distance(one: RGBColor, other: RGBColor, view: &Matrix) -> f64 {
        let [one, other] = [one, other].map(|colour| seen(colour, view));
        one.iter()
            .zip(other)
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f64>()
            .sqrt()
    }

    /// Two looks that a figure may give differ in their markers, or in colours that stay apart whatever the reader sees.
    #[test]
    fn looks_survive_grey_print_and_colour_blindness() {
        assert!((distance(PAPER, RGBColor(0, 0, 0), &VIEWS[1].1) - 100.0).abs() < 0.1);
        let all: Vec<Look> = Look::ALL.into_iter().chain([Look::REFERENCE]).collect();
        for (index, one) in all.iter().enumerate() {
            for other in all[..index]
                .iter()
                .filter(|other| other.marker == one.marker)
            {
                for (view, matrix) in &VIEWS {
                    let distance = distance(one.colour, other.colour, matrix);
                    assert!(
                        distance >= LEAST,
                        "{one:?} and {other:?} in {view}: {distance:.1}"
                    );
                }
            }
            for (view, matrix) in &VIEWS {
                assert!(
                    distance(one.colour, PAPER, matrix) >= 2.0 * LEAST,
                    "{one:?} on paper in {view}"
                );
            }
        }
        // Each colour is one for every reader, in colour at least.
        for (index, one) in all.iter().enumerate() {
            let others = all[..index].iter();
            for other in others.filter(|other| other.colour != one.colour) {
                for (view, matrix) in VIEWS.iter().filter(|(view, _)| *view != "grey") {
                    let distance = distance(one.colour, other.colour, matrix);
                    assert!(
                        distance >= 1.5 * LEAST,
                        "{one:?} and {other:?} in {view}: {distance:.1}"
                    );
                }
            }
        }
        // Two dashed lines without markers: the optimum and the bound beside it.
        assert!(VIEWS.iter().all(|(_, view)| distance(
            Look::REFERENCE.colour,
            Look::OTHER.colour,
            view
        ) >= LEAST));
    }
}
