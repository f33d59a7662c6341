//! A page of numbers in the Prometheus text exposition format (0.0.4).

use std::fmt::Write;

/// The content type of the format.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A page in the making.
#[derive(Default)]
pub(crate) struct Page {
    text: String,
}

impl Page {
    /// One number that goes up and down.
    pub(crate) fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.family(name, "gauge", help, value);
    }

    /// One number that only grows.
    pub(crate) fn counter(&mut self, name: &str, help: &str, value: f64) {
        self.family(name, "counter", help, value);
    }

    fn family(&mut self, name: &str, kind: &str, help: &str, value: f64) {
        writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}")
            .expect("a string takes all that is written");
    }

    pub(crate) fn text(self) -> String {
        self.text
    }
}
