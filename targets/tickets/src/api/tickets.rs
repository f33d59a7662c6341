//! Taking a ticket in, and telling how it stands.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;

use super::attachments::{self, keep};
use super::{Api, Shared};
use crate::blobs::digest;
use crate::database::{Accepted, Key, NewTicket, Ticket};
use crate::parts::profile;
use crate::refusal::{Refusal, parse};

/// The header that makes a repeated request the same request.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// As the draft of that header advises: long enough for any random id.
const LONGEST_KEY: usize = 255;

/// A subject is one line.
const LONGEST_SUBJECT: usize = 1_000;

/// A ticket as it is sent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    customer: String,
    subject: String,
    body: String,
    attachment: Option<SentAttachment>,
}

/// An attachment inside the ticket's JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SentAttachment {
    name: String,
    content_type: Option<String>,
    base64: String,
}

pub(super) async fn create(
    State(api): Shared,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let sent: Sent = parse(body)?;
    check(&sent)?;
    let key = key(&headers, &sent)?;
    if profile(&api.parts, &sent.customer).await?.is_none() {
        return Err(Refusal::Wrong(format!("there is no customer {:?}", sent.customer)));
    }
    let admitted = api.parts.cache.admit(&sent.customer, api.allowance).await;
    admitted.map_err(|wait| Refusal::TooMany { what: "this customer has sent too many tickets", wait })?;
    accept(&api, sent, key).await
}

async fn accept(api: &Arc<Api>, sent: Sent, key: Option<Key>) -> Result<Response, Refusal> {
    let Sent { customer, subject, body, attachment } = sent;
    let attachment = match attachment {
        Some(attachment) => {
            let bytes = STANDARD
                .decode(&attachment.base64)
                .map_err(|error| Refusal::Wrong(format!("the attachment is no base64: {error}")))?;
            Some(keep(api, attachment.name, attachment.content_type, bytes.into()).await?)
        }
        None => None,
    };
    let ticket = NewTicket { customer, subject, body, attachment };
    let id = match api.parts.database.accept(ticket, key).await? {
        Accepted::New(id) => id,
        Accepted::Again(id) => {
            api.counters.repeated.fetch_add(1, Ordering::Relaxed);
            id
        }
        Accepted::KeyTaken => return Err(Refusal::KeyTaken),
    };
    // Nothing that changes with time: the same request gets the same answer.
    let location = format!("/tickets/{id}");
    let answer = Json(json!({ "id": id, "ticket": location }));
    Ok((StatusCode::ACCEPTED, [(LOCATION, location)], answer).into_response())
}

pub(super) async fn read(
    State(api): Shared,
    id: Result<Path<i64>, PathRejection>,
) -> Result<Json<Ticket>, Refusal> {
    // A ticket's id is a number: anything else names none.
    let Path(id) = id.map_err(|_| Refusal::Missing("such ticket".to_owned()))?;
    let found = api.parts.database.ticket(id).await?;
    Ok(Json(found.ok_or_else(|| Refusal::Missing(format!("ticket {id}")))?))
}

fn check(sent: &Sent) -> Result<(), Refusal> {
    let wrong = |what: &str| Err(Refusal::Wrong(what.to_owned()));
    let texts = [&sent.customer, &sent.subject, &sent.body];
    if texts.iter().any(|text| text.contains('\0')) {
        // PostgreSQL keeps any text but this.
        return wrong("no text may hold a zero byte");
    }
    match sent {
        Sent { subject, .. } if subject.trim().is_empty() => wrong("the subject is empty"),
        Sent { subject, .. } if subject.len() > LONGEST_SUBJECT => wrong("the subject is too long"),
        Sent { body, .. } if body.trim().is_empty() => wrong("the body is empty"),
        Sent { attachment: Some(attachment), .. } => attachments::check_name(&attachment.name),
        _ => Ok(()),
    }
}

/// The key with a digest of what the ticket says, whatever its JSON looks like.
fn key(headers: &HeaderMap, sent: &Sent) -> Result<Option<Key>, Refusal> {
    let Some(key) = headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
    let key = key.to_str().ok().map(str::trim).filter(|key| !key.is_empty() && key.len() <= LONGEST_KEY);
    let Some(key) = key else {
        let what = format!("the Idempotency-Key must be 1 to {LONGEST_KEY} visible ASCII characters");
        return Err(Refusal::Wrong(what));
    };
    let attachment = sent.attachment.as_ref().map(|one| json!([one.name, one.content_type, one.base64]));
    let meaning = json!([sent.customer, sent.subject, sent.body, attachment]);
    Ok(Some(Key { key: key.to_owned(), digest: digest(meaning.to_string().as_bytes()) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest_of(json: &str) -> String {
        let headers = [("idempotency-key", "k")]
            .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")));
        let sent = serde_json::from_str(json).expect("a ticket");
        key(&headers.into_iter().collect(), &sent).expect("a key").expect("one was sent").digest
    }

    #[test]
    fn the_digest_goes_by_what_a_ticket_says_and_not_by_how_it_is_written() {
        let ticket = r#"{"customer":"c-001","subject":"a","body":"b"}"#;
        let spaced = "{ \"body\": \"\\u0062\", \"subject\": \"a\",\n \"customer\": \"c-001\" }";
        assert_eq!(digest_of(ticket), digest_of(spaced));
        for other in [
            r#"{"customer":"c-002","subject":"a","body":"b"}"#,
            r#"{"customer":"c-001","subject":"ab","body":""}"#,
            r#"{"customer":"c-001","subject":"a","body":"b","attachment":{"name":"n","base64":""}}"#,
        ] {
            assert_ne!(digest_of(ticket), digest_of(other), "{other}");
        }
    }
}
