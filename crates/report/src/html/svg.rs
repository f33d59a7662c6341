//! Drawing that fits any width without a script.
//!
//! A picture is as wide as the page lets it be and has a fixed height: places
//! across are in per cent, places down and all type are in pixels, so type is
//! as large on a phone as on a desk. Whatever needs a path is drawn on a
//! [`Panel`] whose coordinates are stretched while its strokes are not.

use super::markup::escape;
use std::fmt::Write;

/// Units across a panel.
const ACROSS: f64 = 1000.0;

/// Where a text stands against its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture under construction.
pub(super) struct Svg {
    height: f64,
    body: String,
}

impl Svg {
    pub(super) fn new(height: f64) -> Svg {
        Svg { height, body: String::new() }
    }

    /// A line between two places, each (per cent across, pixels down).
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(&format!(
            "<line class=\"{class}\" x1=\"{x1:.2}%\" y1=\"{y1:.1}\" x2=\"{x2:.2}%\" y2=\"{y2:.1}\"/>"
        ));
    }

    /// A rectangle from its upper left corner, with a title to point at if there is one.
    pub(super) fn rect(&mut self, corner: (f64, f64), size: (f64, f64), class: &str, title: Option<&str>) {
        let ((x, y), (width, height)) = (corner, size);
        let title = title.map(|title| format!("<title>{}</title>", escape(title))).unwrap_or_default();
        self.push(&format!(
            "<rect class=\"{class}\" x=\"{x:.3}%\" y=\"{y:.1}\" width=\"{width:.3}%\" height=\"{height:.1}\">{title}</rect>"
        ));
    }

    /// Text at a place; `nudge` moves it by pixels to the right.
    pub(super) fn text(&mut self, at: (f64, f64), nudge: f64, anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.push(&format!(
            "<text class=\"{class}\" x=\"{:.2}%\" y=\"{:.1}\" dx=\"{nudge:.0}\" text-anchor=\"{anchor}\">{}</text>",
            at.0,
            at.1,
            escape(text)
        ));
    }

    /// A shape of [`SHAPES`] centred on a place, with a title to point at.
    pub(super) fn shape(&mut self, name: &str, at: (f64, f64), class: &str, title: &str) {
        self.push(&format!(
            "<use href=\"#{name}\" class=\"{class}\" x=\"{:.2}%\" y=\"{:.1}\"><title>{}</title></use>",
            at.0,
            at.1,
            escape(title)
        ));
    }

    /// A panel over part of the width, with what was drawn on it.
    pub(super) fn panel(&mut self, panel: Panel, class: &str) {
        let Panel { left, width, path } = panel;
        self.push(&format!(
            "<svg x=\"{left:.2}%\" width=\"{width:.2}%\" height=\"{0:.0}\" viewBox=\"0 0 {ACROSS:.0} {0:.0}\" \
             preserveAspectRatio=\"none\" overflow=\"visible\"><path class=\"{class} vector\" d=\"{path}\"/></svg>",
            self.height
        ));
    }

    fn push(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// The finished picture; `label` tells those who cannot see it what it shows.
    pub(super) fn finish(self, label: &str) -> String {
        format!(
            "<div class=\"plot\"><svg role=\"img\" aria-label=\"{}\" height=\"{:.0}\">\n{}</svg></div>\n",
            escape(label),
            self.height,
            self.body
        )
    }
}

/// Part of a picture on which a path is drawn.
pub(super) struct Panel {
    left: f64,
    width: f64,
    path: String,
}

impl Panel {
    /// From `left` per cent on, `width` per cent wide.
    pub(super) fn new(left: f64, width: f64) -> Panel {
        Panel { left, width, path: String::new() }
    }

    /// A dot at a share of the panel's width and a height in pixels. It is a
    /// line of no length, which round caps turn into a dot.
    pub(super) fn dot(&mut self, across: f64, down: f64) {
        self.write(format_args!("M{:.0} {down:.1}h0", across * ACROSS));
    }

    /// Moves the pen: a gap in a line.
    pub(super) fn move_to(&mut self, across: f64, down: f64) {
        self.write(format_args!("M{:.1} {down:.1}", across * ACROSS));
    }

    /// Draws a straight line from where the pen is.
    pub(super) fn line_to(&mut self, across: f64, down: f64) {
        self.write(format_args!("L{:.1} {down:.1}", across * ACROSS));
    }

    fn write(&mut self, piece: std::fmt::Arguments<'_>) {
        self.path.write_fmt(piece).expect("writing to a string does not fail");
    }
}

/// The shapes that [`Svg::shape`] knows, once a page.
pub(super) const SHAPES: &str = "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>\
    <path id=\"cross\" d=\"M-3.5-3.5 3.5 3.5M-3.5 3.5 3.5-3.5\"/><circle id=\"ring\" r=\"4\"/>\
    <circle id=\"dot\" r=\"3.4\"/><path id=\"more\" d=\"M-3-4 5 0-3 4z\"/></defs></svg>\n";
