//! One job, from its taking to its end.

use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::sleep;

use super::{DATABASE_PAUSE, Worker, backoff, within_grace};
use crate::client::Answer;
use crate::clock;
use crate::customers::Customer;
use crate::database::{DatabaseError, FailedTry, Held, Job, Spent};
use crate::parts::profile;

/// A refusal up to this long is waited for with the job in hand; a longer one
/// sends the job back into the queue, and the slot looks at others.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// How a try ended without a reply.
enum NoReply {
    /// The provider wants to be left alone for so long. That is not the
    /// ticket's fault and counts as no try.
    Later(Duration),
    /// It failed, and why.
    Failed(String),
    /// Somebody else has the job now.
    Lost,
}

/// Calls to the provider that the database has not been told of yet.
#[derive(Default)]
struct Account {
    spent: Mutex<Spent>,
}

impl Account {
    fn add(&self, calls: i64, refusals: i64) {
        let mut spent = self.spent.lock().expect("adding does not panic");
        spent.calls += calls;
        spent.refusals += refusals;
    }

    fn unsaved(&self) -> Spent {
        *self.spent.lock().expect("adding does not panic")
    }

    fn saved(&self, spent: Spent) {
        self.add(-spent.calls, -spent.refusals);
    }
}

impl Worker {
    /// Works on a job until it is done, lost, or must be given back.
    pub(super) async fn work_on(&self, job: Job, mut stop: watch::Receiver<bool>) {
        let account = Account::default();
        let work = async {
            tokio::select! {
                () = self.carry_out(&job, &account) => {}
                () = self.keep_lease(&job.held) => {}
            }
        };
        if within_grace(&mut stop, self.habits.grace, work).await.is_none() {
            // Where it stood in the queue, for the next worker. If this fails,
            // the lease will end.
            let _ = self.parts.database.give_back(&job.held, None, account.unsaved()).await;
        }
    }

    /// Renews the lease; returns once it is lost.
    async fn keep_lease(&self, held: &Held) {
        let lease = self.habits.lease;
        let mut renewed = clock::now();
        while clock::now() < renewed + lease {
            sleep(lease / 3).await;
            let asked = clock::now();
            match self.parts.database.heartbeat(held, lease).await {
                Ok(true) => renewed = asked,
                Ok(false) => return,
                // A database that is away takes nobody's lease either, as long
                // as it may still be ours.
                Err(_) => {}
            }
        }
    }

    async fn carry_out(&self, job: &Job, account: &Account) {
        let outcome = self.answer(job, account).await;
        let (database, held) = (&self.parts.database, &job.held);
        // What was paid for is worth saving: as long as the lease is ours, a
        // database that fails is asked again.
        loop {
            let spent = account.unsaved();
            let saved = match &outcome {
                Ok(reply) => database.finish(held, reply, spent).await.map(drop),
                Err(NoReply::Later(pause)) => database.give_back(held, Some(*pause), spent).await.map(drop),
                Err(NoReply::Failed(error)) => {
                    let pause =
                        backoff::after_failure(job.tries, self.habits.first_pause, self.chance.uniform());
                    let most_tries = self.habits.most_tries;
                    let failed = FailedTry { error: error.clone(), pause, most_tries };
                    database.fail(held, &failed, spent).await.map(drop)
                }
                Err(NoReply::Lost) => Ok(()),
            };
            match saved {
                Err(DatabaseError::Unavailable { .. }) => sleep(DATABASE_PAUSE).await,
                // Refused for good: nothing that this worker can say will do,
                // and the lease ends by itself.
                Ok(()) | Err(DatabaseError::Refused { .. }) => return,
            }
        }
    }

    /// The two calls. The first one's result is kept in the database, so that a
    /// job that comes back pays for the second alone.
    async fn answer(&self, job: &Job, account: &Account) -> Result<String, NoReply> {
        let text = format!("{}\n\n{}", job.subject, job.body);
        let category = match &job.category {
            Some(category) => category.clone(),
            None => {
                let answer = self.ask("/classify", &json!({ "text": text }), account).await?;
                let category = text_at(&answer, "category")?;
                self.keep_category(job, &category, account).await?;
                category
            }
        };
        let name = self.name_of(&job.customer).await?;
        let body = json!({ "text": text, "category": category, "name": name });
        let answer = self.ask("/reply", &body, account).await?;
        text_at(&answer, "reply")
    }

    async fn keep_category(&self, job: &Job, category: &str, account: &Account) -> Result<(), NoReply> {
        let spent = account.unsaved();
        match self.parts.database.keep_category(&job.held, category, spent).await {
            Ok(true) => {
                account.saved(spent);
                Ok(())
            }
            Ok(false) => Err(NoReply::Lost),
            // Kept or not: the reply can be drafted all the same.
            Err(_) => Ok(()),
        }
    }

    async fn name_of(&self, customer: &str) -> Result<String, NoReply> {
        match profile(&self.parts, customer).await {
            Ok(Some(Customer { name, .. })) => Ok(name),
            Ok(None) => Ok("customer".to_owned()),
            Err(error) => Err(NoReply::Failed(error.to_string())),
        }
    }

    async fn ask(&self, path: &str, body: &Value, account: &Account) -> Result<Value, NoReply> {
        loop {
            let answer = self.provider.post(path, body).await;
            match answer {
                Answer::Later(named) => {
                    account.add(0, 1);
                    let pause = backoff::after_refusal(named, self.chance.uniform());
                    if pause > LONGEST_WAIT {
                        return Err(NoReply::Later(pause));
                    }
                    sleep(pause).await;
                }
                Answer::Done(value) => {
                    account.add(1, 0);
                    return Ok(value);
                }
                Answer::Failed(why) => {
                    account.add(1, 0);
                    return Err(NoReply::Failed(format!("{path}: {why}")));
                }
            }
        }
    }
}

fn text_at(answer: &Value, name: &str) -> Result<String, NoReply> {
    let text = answer.get(name).and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| NoReply::Failed(format!("the provider's answer has no {name}")))
}
