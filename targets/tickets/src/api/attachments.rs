//! Attachments: their bytes go to the blob store, what is known of them to the
//! database, in this order: a row without its blob must never be seen.

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::{Api, Shared};
use crate::database::Attachment;
use crate::refusal::Refusal;

/// As long as a file's name may be.
const LONGEST_NAME: usize = 255;

/// What bytes are that nobody named.
const ANY_TYPE: &str = "application/octet-stream";

type Place = Result<Path<(i64, String)>, PathRejection>;

pub(super) async fn upload(
    State(api): Shared,
    place: Place,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let Path((ticket, name)) = place.map_err(|_| Refusal::Missing("such ticket".to_owned()))?;
    check_name(&name)?;
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let attachment = keep(&api, name, content_type, body?).await?;
    let about = json!(attachment);
    if !api.parts.database.attach(ticket, attachment).await? {
        // The blob stays: it may be another ticket's too.
        return Err(Refusal::Missing(format!("ticket {ticket}")));
    }
    Ok((StatusCode::CREATED, Json(about)).into_response())
}

pub(super) async fn download(State(api): Shared, place: Place) -> Result<Response, Refusal> {
    let Path((ticket, name)) = place.map_err(|_| Refusal::Missing("such ticket".to_owned()))?;
    let found = api.parts.database.attachment(ticket, &name).await?;
    let found = found.ok_or_else(|| Refusal::Missing(format!("attachment {name:?} of ticket {ticket}")))?;
    let bytes = api.parts.blobs.get(&found.blob).await?;
    let bytes = bytes.ok_or(Refusal::Failing("the blob of this attachment is gone"))?;
    let content_type =
        HeaderValue::from_str(&found.content_type).unwrap_or(HeaderValue::from_static(ANY_TYPE));
    // A customer's file must not run as a page of ours.
    let safe = [
        (CONTENT_TYPE, content_type),
        (CONTENT_DISPOSITION, HeaderValue::from_static("attachment")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    Ok((safe, bytes).into_response())
}

/// Puts an attachment's bytes into the blob store.
pub(super) async fn keep(
    api: &Api,
    name: String,
    content_type: Option<String>,
    bytes: Bytes,
) -> Result<Attachment, Refusal> {
    let length = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    let content_type = content_type.filter(|text| HeaderValue::from_str(text).is_ok());
    let content_type = content_type.unwrap_or_else(|| ANY_TYPE.to_owned());
    let blob = api.parts.blobs.put(bytes).await?;
    Ok(Attachment { name, content_type, bytes: length, blob })
}

/// A name is a file's name, and no path.
pub(super) fn check_name(name: &str) -> Result<(), Refusal> {
    let fits = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && !name.contains(|c: char| c.is_control() || matches!(c, '/' | '\\'))
        && !matches!(name, "." | "..");
    let what = || Refusal::Wrong(format!("{name:?} is no name for an attachment"));
    if fits { Ok(()) } else { Err(what()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_files_name_and_no_path() {
        for name in ["a.txt", "Übersicht 2.pdf", "..."] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", ".", "..", "../a", "a\\b", "a\0", "a\nb", &"x".repeat(256)] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }
}
