//! The style of all drawings: colours that colour-blind readers can distinguish (Okabe and Ito), each with its own
//! marker, on white, with dark text.

use plotters::style::RGBColor;

/// Text.
pub const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
/// Secondary text, axes.
pub const FAINT_INK: RGBColor = RGBColor(0x55, 0x55, 0x55);
/// Grid lines.
pub const GRID: RGBColor = RGBColor(0xe1, 0xe1, 0xe1);
/// Paper.
pub const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);
/// Fonts in order of preference; each is a valid CSS name.
pub const FONTS: &str = "Helvetica, Arial, DejaVu Sans, sans-serif";

/// The colour and marker of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Colour of line and marker.
    pub colour: RGBColor,
    /// Shape of the points.
    pub marker: Marker,
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
    /// A cross.
    Cross,
    /// A ring.
    Ring,
    /// A square with a letter.
    Letter(char),
    /// A square with a number.
    Number(usize),
}

impl Look {
    /// The colour of letters on this one: the one with more contrast.
    #[must_use]
    pub fn ink(self) -> RGBColor {
        let RGBColor(red, green, blue) = self.colour;
        let luminance = 2 * u32::from(red) + 5 * u32::from(green) + u32::from(blue);
        if luminance > 8 * 118 { INK } else { PAPER }
    }

    /// The letter or the number in it.
    #[must_use]
    pub fn sign(self) -> String {
        match self.marker {
            Marker::Letter(letter) => letter.to_string(),
            Marker::Number(number) => number.to_string(),
            _ => String::new(),
        }
    }

    /// Blue discs.
    pub const FIRST: Self = Self { colour: RGBColor(0x00, 0x72, 0xb2), marker: Marker::Circle };
    /// Vermilion squares.
    pub const SECOND: Self = Self { colour: RGBColor(0xd5, 0x5e, 0x00), marker: Marker::Square };
    /// Green triangles.
    pub const THIRD: Self = Self { colour: RGBColor(0x00, 0x9e, 0x73), marker: Marker::Triangle };
    /// Purple crosses.
    pub const FOURTH: Self = Self { colour: RGBColor(0xcc, 0x79, 0xa7), marker: Marker::Cross };
    /// Orange discs.
    pub const FIFTH: Self = Self { colour: RGBColor(0xe6, 0x9f, 0x00), marker: Marker::Circle };
    /// Sky blue triangles.
    pub const SIXTH: Self = Self { colour: RGBColor(0x56, 0xb4, 0xe9), marker: Marker::Triangle };
    /// Blue crosses.
    pub const SEVENTH: Self = Self { colour: Self::FIRST.colour, marker: Marker::Cross };
    /// Vermilion rings.
    pub const EIGHTH: Self = Self { colour: Self::SECOND.colour, marker: Marker::Ring };
    /// Green squares.
    pub const NINTH: Self = Self { colour: Self::THIRD.colour, marker: Marker::Square };
    /// Purple triangles.
    pub const TENTH: Self = Self { colour: Self::FOURTH.colour, marker: Marker::Triangle };
    /// Orange crosses.
    pub const ELEVENTH: Self = Self { colour: Self::FIFTH.colour, marker: Marker::Cross };
    /// Wine-red rings.
    pub const TWELFTH: Self = Self { colour: RGBColor(0x88, 0x22, 0x55), marker: Marker::Ring };
    /// Sky blue squares.
    pub const THIRTEENTH: Self = Self { colour: Self::SIXTH.colour, marker: Marker::Square };
    /// Green rings.
    pub const FOURTEENTH: Self = Self { colour: Self::THIRD.colour, marker: Marker::Ring };
    /// Wine-red triangles.
    pub const FIFTEENTH: Self = Self { colour: Self::TWELFTH.colour, marker: Marker::Triangle };
    /// The looks for algorithms, in order.
    pub const ALL: [Self; 15] = [
        Self::FIRST,
        Self::SECOND,
        Self::THIRD,
        Self::FOURTH,
        Self::FIFTH,
        Self::SIXTH,
        Self::SEVENTH,
        Self::EIGHTH,
        Self::NINTH,
        Self::TENTH,
        Self::ELEVENTH,
        Self::TWELFTH,
        Self::THIRTEENTH,
        Self::FOURTEENTH,
        Self::FIFTEENTH,
    ];
    /// Grey squares: an algorithm without its own look.
    pub const OTHER: Self = Self { colour: RGBColor(0x88, 0x88, 0x88), marker: Marker::Square };
    /// Black rings: bounds and references.
    pub const REFERENCE: Self = Self { colour: INK, marker: Marker::Ring };
    /// Light grey: ties and unknown values.
    pub const NEUTRAL: Self = Self { colour: RGBColor(0xd8, 0xd8, 0xd8), marker: Marker::Square };
}
