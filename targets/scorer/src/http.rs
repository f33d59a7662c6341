//! The endpoints. `/score` is the hot one: a lookup, a prediction and nothing
//! else; it is not logged, and counted by one number.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::middleware::map_response_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock;
use crate::metrics::{self, Metrics};
use crate::refusal::{Refusal, parse, unknown_path, wrong_method};
use crate::scoring::Scoring;
use crate::stall_plan::Order;
use crate::stalls::{StallReport, Stalls};

/// All that the endpoints share. One thread serves them, so that no lock here
/// is ever waited for; the framework asks for them all the same.
pub(crate) struct Service {
    scoring: Mutex<Scoring>,
    reference: Bytes,
    service_time: Duration,
    metrics: Metrics,
    pub(crate) stalls: Arc<Stalls>,
}

impl Service {
    pub(crate) fn new(scoring: Scoring, service_time: Duration) -> Service {
        Service {
            reference: Bytes::copy_from_slice(scoring.reference().as_bytes()),
            scoring: Mutex::new(scoring),
            service_time,
            metrics: Metrics::default(),
            stalls: Arc::default(),
        }
    }

    /// The answer to one `/score`, found or not, at its full stated cost.
    fn score(&self, customer: String) -> Result<Response, Refusal> {
        self.stalls.stand_still_if_due();
        let began_ns = clock::now_ns();
        let answer = self.scoring.lock().expect("scoring does not panic").answer(&customer)?;
        // The rest of the cost burns the thread: an asynchronous sleep would
        // let requests overlap, and this would no longer be one worker.
        self.work_until(began_ns.saturating_add(clock::length_ns(self.service_time)));
        match answer {
            Some(json) => Ok(([(CONTENT_TYPE, "application/json")], json).into_response()),
            None => Err(Refusal::UnknownCustomer(customer)),
        }
    }

    /// Works until `end_ns`. A stall that falls due meanwhile stops the work
    /// where it is, as a pause of the whole process would, and the work goes on
    /// after it.
    fn work_until(&self, mut end_ns: u64) {
        while let Some(due_ns) = self.stalls.next_due_ns().filter(|due_ns| *due_ns < end_ns) {
            clock::burn_until(due_ns);
            end_ns = end_ns.saturating_add(self.stalls.stand_still_if_due());
        }
        clock::burn_until(end_ns);
    }
}

type Shared = State<Arc<Service>>;
type Body = Result<Bytes, BytesRejection>;

/// The service's endpoints.
pub(crate) fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/score", post(score_posted).get(score_asked))
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics_page))
        .route("/reference", get(reference))
        .route("/arm", post(arm))
        .route("/disarm", post(disarm))
        .route("/stalls", get(stalls))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(map_response_with_state(Arc::clone(&service), count))
        .with_state(service)
}

#[derive(Deserialize)]
struct ScoreRequest {
    customer: String,
}

async fn score_posted(State(service): Shared, body: Body) -> Result<Response, Refusal> {
    let asked: ScoreRequest = parse(body)?;
    service.score(asked.customer)
}

async fn score_asked(
    State(service): Shared,
    query: Result<Query<ScoreRequest>, QueryRejection>,
) -> Result<Response, Refusal> {
    service.score(query?.0.customer)
}

async fn healthz() -> &'static str {
    "ok\n"
}

async fn metrics_page(State(service): Shared) -> Response {
    let page = service.metrics.page(&service.stalls.report());
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], page).into_response()
}

async fn reference(State(service): Shared) -> Response {
    ([(CONTENT_TYPE, "text/csv; charset=utf-8")], service.reference.clone()).into_response()
}

async fn arm(State(service): Shared, body: Body) -> Result<Json<Value>, Refusal> {
    let plan = parse::<Order>(body)?.resolve(clock::now_ns())?;
    let planned: Vec<Value> = plan.moments_ns.iter().map(|at_ns| json!({ "at_ns": at_ns })).collect();
    service.stalls.arm(plan)?;
    Ok(Json(json!({ "planned": planned })))
}

async fn disarm(State(service): Shared) -> Json<StallReport> {
    service.stalls.disarm();
    Json(service.stalls.report())
}

async fn stalls(State(service): Shared) -> Json<StallReport> {
    Json(service.stalls.report())
}

async fn count(State(service): Shared, answer: Response) -> Response {
    service.metrics.count(answer.status());
    answer
}
