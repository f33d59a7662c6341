//! Why a request is not answered as asked: a status and `{"error":"…"}`.

use std::io;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::cache::CacheError;
use crate::client::RETRY_AFTER_MS;
use crate::database::DatabaseError;

/// Why a request is not answered as asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the body is not the JSON expected here: {0}")]
    Json(#[from] serde_json::Error),
    #[error("cannot read the body: {0}")]
    Body(#[from] BytesRejection),
    #[error("{0}")]
    Wrong(String),
    #[error("the Idempotency-Key was used before, for another ticket")]
    KeyTaken,
    #[error("there is no {0}")]
    Missing(String),
    #[error("nothing at {0}")]
    UnknownPath(String),
    #[error("{0} is not for {1}")]
    WrongMethod(Method, String),
    #[error("{what}; come back in {} ms", wait.as_millis())]
    TooMany { what: &'static str, wait: Duration },
    #[error("{0}")]
    Failing(&'static str),
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error("the blob store failed: {0}")]
    Blobs(#[from] io::Error),
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Refusal::Json(_) | Refusal::Wrong(_) => StatusCode::BAD_REQUEST,
            // Too large, or cut off: the framework knows which.
            Refusal::Body(rejection) => rejection.status(),
            Refusal::KeyTaken => StatusCode::UNPROCESSABLE_ENTITY,
            Refusal::Missing(_) | Refusal::UnknownPath(_) => StatusCode::NOT_FOUND,
            Refusal::WrongMethod(..) => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Refusal::Database(DatabaseError::Unavailable { .. }) | Refusal::Cache(_) | Refusal::Blobs(_) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Refusal::Database(DatabaseError::Refused { .. }) | Refusal::Failing(_) => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }

    /// How long whoever asked should stay away.
    fn wait(&self) -> Option<Duration> {
        match self {
            Refusal::TooMany { wait, .. } => Some(*wait),
            _ if self.status() == StatusCode::SERVICE_UNAVAILABLE => Some(Duration::from_secs(1)),
            _ => None,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let wait = self.wait();
        let mut answer = (self.status(), Json(json!({ "error": self.to_string() }))).into_response();
        if let Some(wait) = wait {
            // Rounded up: who comes back exactly then must be let in.
            let ms = u64::try_from(wait.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX);
            answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(ms.div_ceil(1_000).max(1)));
            answer.headers_mut().insert(RETRY_AFTER_MS, HeaderValue::from(ms));
        }
        answer
    }
}

/// A body as what it should be. Its content type is not asked for: `curl -d`
/// should just work.
pub(crate) fn parse<T: DeserializeOwned>(body: Result<Bytes, BytesRejection>) -> Result<T, Refusal> {
    Ok(serde_json::from_slice(&body?)?)
}

pub(crate) async fn unknown_path(uri: Uri) -> Refusal {
    Refusal::UnknownPath(uri.path().to_owned())
}

pub(crate) async fn wrong_method(method: Method, uri: Uri) -> Refusal {
    Refusal::WrongMethod(method, uri.path().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_in_whole_seconds_and_in_milliseconds_and_never_too_short() {
        let refusal = Refusal::TooMany { what: "no", wait: Duration::from_micros(1_200_001) };
        let answer = refusal.into_response();
        assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(answer.headers()[RETRY_AFTER], "2");
        assert_eq!(answer.headers()[RETRY_AFTER_MS], "1201");
    }
}
