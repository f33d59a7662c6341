//! Why a request is not answered as asked: a status and `{"error":"…"}`.

use std::io;

use axum::Json;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::stall_plan::OrderError;

/// Why a request is not answered as asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the body is not the JSON expected here: {0}")]
    Json(#[from] serde_json::Error),
    #[error("cannot read the body: {0}")]
    Body(#[from] BytesRejection),
    #[error("the query must be ?customer=ID: {0}")]
    Query(#[from] QueryRejection),
    #[error("unknown customer {0:?}")]
    UnknownCustomer(String),
    #[error(transparent)]
    Order(#[from] OrderError),
    #[error("nothing at {0}")]
    UnknownPath(String),
    #[error("{0} is not for {1}")]
    WrongMethod(Method, String),
    #[error("cannot read the feature table: {0}")]
    Table(#[from] rusqlite::Error),
    #[error("cannot set an alarm for the stalls: {0}")]
    Alarm(#[from] io::Error),
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Refusal::Json(_) | Refusal::Query(_) | Refusal::Order(_) => StatusCode::BAD_REQUEST,
            // Too large, or cut off: the framework knows which.
            Refusal::Body(rejection) => rejection.status(),
            Refusal::UnknownCustomer(_) | Refusal::UnknownPath(_) => StatusCode::NOT_FOUND,
            Refusal::WrongMethod(..) => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::Table(_) | Refusal::Alarm(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status(), Json(json!({ "error": self.to_string() }))).into_response()
    }
}

/// A body as what it should be. Its content type is not asked for: `curl -d`
/// should just work.
pub(crate) fn parse<T: DeserializeOwned>(
    body: Result<axum::body::Bytes, BytesRejection>,
) -> Result<T, Refusal> {
    Ok(serde_json::from_slice(&body?)?)
}

pub(crate) async fn unknown_path(uri: Uri) -> Refusal {
    Refusal::UnknownPath(uri.path().to_owned())
}

pub(crate) async fn wrong_method(method: Method, uri: Uri) -> Refusal {
    Refusal::WrongMethod(method, uri.path().to_owned())
}
