//! What is kept of an answer besides its times: the name of the work that it
//! accepted, for whoever follows that work to its end.

use model::Nanos;
use serde_json::Value;
use std::sync::mpsc::Sender;

/// Where an answer names the work that it accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Capture {
    /// In the value of this header; its name is compared whatever the case of letters.
    Header(String),
    /// At this pointer (RFC 6901) of its JSON body.
    Json(String),
}

/// Work that an answer has accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The request's number in the schedule.
    pub index: u64,
    /// When the request was due.
    pub scheduled: Nanos,
    /// When its answer was whole.
    pub answered: Nanos,
    /// Whether the request counts.
    pub counted: bool,
    /// The work's name; `None` if the answer named none.
    pub name: Option<Box<str>>,
}

/// Where accepted work is told, in the order of answers. Never waits for
/// whoever takes it.
pub type Follow = Sender<Accepted>;

impl Capture {
    pub(crate) fn looks_at_head(&self) -> bool {
        matches!(self, Capture::Header(_))
    }

    pub(crate) fn looks_at_body(&self) -> bool {
        matches!(self, Capture::Json(_))
    }

    /// The name in an answer: texts without their quotes, numbers as JSON
    /// writes them; nothing else is a name.
    pub(crate) fn name<'h>(
        &self,
        header: &dyn Fn(&str) -> Option<&'h [u8]>,
        body: &[u8],
    ) -> Option<Box<str>> {
        match self {
            Capture::Header(name) => {
                let value = std::str::from_utf8(header(name)?).ok()?.trim();
                (!value.is_empty()).then(|| value.into())
            }
            Capture::Json(pointer) => {
                let json: Value = serde_json::from_slice(body).ok()?;
                match json.pointer(pointer)? {
                    Value::String(text) if !text.is_empty() => Some(text.as_str().into()),
                    Value::Number(number) => Some(number.to_string().into()),
                    _ => None,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_header_or_a_text_or_number_in_the_body_and_nothing_else() {
        let body = br#"{"id": 7, "name": "t-7", "none": "", "list": [1]}"#;
        let header = |name: &str| (name == "location").then_some(&b" /tickets/7 "[..]);
        let name = |capture: Capture| capture.name(&header, body).map(String::from);
        let json = |pointer: &str| name(Capture::Json(pointer.to_owned()));
        assert_eq!(name(Capture::Header("location".to_owned())).as_deref(), Some("/tickets/7"));
        assert_eq!(name(Capture::Header("x-id".to_owned())), None);
        assert_eq!((json("/id").as_deref(), json("/name").as_deref()), (Some("7"), Some("t-7")));
        assert_eq!((json("/none"), json("/list"), json("/missing")), (None, None, None));
        assert_eq!(Capture::Json("/id".to_owned()).name(&header, b"not json"), None);
    }
}
