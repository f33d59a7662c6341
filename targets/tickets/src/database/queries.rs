//! The statements, once for both databases: they differ in how they tell the
//! time, draw a token, number rows and step past locked ones, and in how they
//! mark parameters.

/// What one database calls what both have.
pub(crate) struct Dialect {
    /// Now, in milliseconds since 1970.
    pub(crate) now_ms: &'static str,
    /// A text that nobody can have drawn before.
    pub(crate) token: &'static str,
    /// The type of a column that numbers its rows.
    pub(crate) numbered: &'static str,
    /// Lets a reader pass by rows that others are about to change.
    pub(crate) skip_locked: &'static str,
    /// The sign before a parameter's number.
    pub(crate) parameter: &'static str,
}

impl Dialect {
    fn say(&self, statement: &str) -> String {
        statement
            .replace("{now}", self.now_ms)
            .replace("{token}", self.token)
            .replace("{numbered}", self.numbered)
            .replace("{skip_locked}", self.skip_locked)
            .replace('$', self.parameter)
    }
}

/// Every statement, in one database's words.
pub(crate) struct Queries {
    pub(crate) schema: String,
    pub(crate) empty: String,
    pub(crate) customer: String,
    pub(crate) customers: String,
    pub(crate) add_key: String,
    pub(crate) key: String,
    pub(crate) bind_key: String,
    pub(crate) add_ticket: String,
    pub(crate) add_job: String,
    pub(crate) ticket: String,
    pub(crate) attachments: String,
    pub(crate) attach: String,
    pub(crate) counts: String,
    pub(crate) take: String,
    pub(crate) heartbeat: String,
    pub(crate) keep_category: String,
    pub(crate) finish: String,
    pub(crate) add_reply: String,
    pub(crate) fail: String,
    pub(crate) give_back: String,
    pub(crate) reap: String,
}

impl Queries {
    pub(crate) fn new(dialect: &Dialect) -> Queries {
        let say = |statement| dialect.say(statement);
        Queries {
            schema: say(SCHEMA),
            empty: say("SELECT count(*) FROM customers"),
            customer: say("SELECT id, name, plan FROM customers WHERE id = $1"),
            customers: say("SELECT id, name, plan FROM customers ORDER BY id"),
            add_key: say("INSERT INTO idempotency_keys (key, digest, created_ms) VALUES ($1, $2, {now})
                          ON CONFLICT (key) DO NOTHING"),
            key: say("SELECT digest, ticket FROM idempotency_keys WHERE key = $1"),
            bind_key: say("UPDATE idempotency_keys SET ticket = $2 WHERE key = $1"),
            add_ticket: say("INSERT INTO tickets (customer, subject, body, created_ms)
                             VALUES ($1, $2, $3, {now}) RETURNING id"),
            add_job: say("INSERT INTO jobs (ticket, created_ms, ready_ms) VALUES ($1, {now}, {now})"),
            ticket: say(TICKET),
            attachments: say("SELECT name, content_type, bytes, blob FROM attachments
                              WHERE ticket = $1 ORDER BY name"),
            attach: say(ATTACH),
            counts: say(COUNTS),
            take: say(TAKE),
            heartbeat: say("UPDATE jobs SET lease_until_ms = {now} + $3
                            WHERE ticket = $1 AND token = $2"),
            keep_category: say("UPDATE jobs SET category = $3, calls = calls + $4, refusals = refusals + $5
                                WHERE ticket = $1 AND token = $2"),
            finish: say("UPDATE jobs SET state = 'succeeded', finished_ms = {now}, token = NULL,
                         lease_until_ms = NULL, error = NULL, calls = calls + $3, refusals = refusals + $4
                         WHERE ticket = $1 AND token = $2"),
            add_reply: say("INSERT INTO replies (ticket, reply, created_ms) VALUES ($1, $2, {now})"),
            fail: say(FAIL),
            give_back: say("UPDATE jobs SET state = 'queued', token = NULL, lease_until_ms = NULL,
                            tries = tries - 1, ready_ms = CASE WHEN CAST($3 AS BIGINT) >= 0
                            THEN {now} + CAST($3 AS BIGINT) ELSE ready_ms END,
                            calls = calls + $4, refusals = refusals + $5
                            WHERE ticket = $1 AND token = $2"),
            reap: say(REAP),
        }
    }
}

/// The queue is a narrow table of its own, and its indexes hold only the jobs
/// that somebody may still look for, so that they stay small whatever is done.
const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS customers (id TEXT PRIMARY KEY, name TEXT NOT NULL, plan TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tickets (
    id {numbered},
    customer TEXT NOT NULL REFERENCES customers (id),
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    created_ms BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS jobs (
    ticket BIGINT PRIMARY KEY REFERENCES tickets (id),
    state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'succeeded', 'dead')),
    tries BIGINT NOT NULL DEFAULT 0,
    created_ms BIGINT NOT NULL,
    ready_ms BIGINT NOT NULL,
    started_ms BIGINT,
    finished_ms BIGINT,
    token TEXT,
    lease_until_ms BIGINT,
    category TEXT,
    error TEXT,
    calls BIGINT NOT NULL DEFAULT 0,
    refusals BIGINT NOT NULL DEFAULT 0,
    CHECK ((state = 'running') = (token IS NOT NULL)),
    CHECK ((state = 'running') = (lease_until_ms IS NOT NULL)));
CREATE INDEX IF NOT EXISTS jobs_queued ON jobs (ready_ms, ticket) WHERE state = 'queued';
CREATE INDEX IF NOT EXISTS jobs_running ON jobs (lease_until_ms) WHERE state = 'running';
CREATE TABLE IF NOT EXISTS replies (
    ticket BIGINT PRIMARY KEY REFERENCES tickets (id),
    reply TEXT NOT NULL,
    created_ms BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS attachments (
    ticket BIGINT NOT NULL REFERENCES tickets (id),
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    blob TEXT NOT NULL,
    PRIMARY KEY (ticket, name));
CREATE TABLE IF NOT EXISTS idempotency_keys (
    key TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    ticket BIGINT REFERENCES tickets (id),
    created_ms BIGINT NOT NULL);
";

const TICKET: &str = "
SELECT tickets.id, customer, subject, state, category, reply, error, tries, tickets.created_ms,
       started_ms, finished_ms
FROM tickets JOIN jobs ON jobs.ticket = tickets.id LEFT JOIN replies ON replies.ticket = tickets.id
WHERE tickets.id = $1";

const ATTACH: &str = "
INSERT INTO attachments (ticket, name, content_type, bytes, blob)
SELECT id, $2, $3, CAST($4 AS BIGINT), $5 FROM tickets WHERE id = $1
ON CONFLICT (ticket, name) DO UPDATE
SET content_type = excluded.content_type, bytes = excluded.bytes, blob = excluded.blob";

/// All at one moment, so that a job is never counted twice or not at all.
const COUNTS: &str = "
SELECT count(*) FILTER (WHERE state = 'queued'),
       count(*) FILTER (WHERE state = 'queued' AND ready_ms <= {now}),
       count(*) FILTER (WHERE state = 'running'),
       count(*) FILTER (WHERE state = 'succeeded'),
       count(*) FILTER (WHERE state = 'dead'),
       count(*) FILTER (WHERE state = 'succeeded' AND finished_ms > {now} - 60000),
       {now} - min(created_ms) FILTER (WHERE state = 'queued'),
       CAST(coalesce(sum(calls), 0) AS BIGINT),
       CAST(coalesce(sum(refusals), 0) AS BIGINT)
FROM jobs";

const TAKE: &str = "
UPDATE jobs SET state = 'running', tries = tries + 1, token = {token}, lease_until_ms = {now} + $1,
                started_ms = coalesce(started_ms, {now})
WHERE ticket = (SELECT ticket FROM jobs WHERE state = 'queued' AND ready_ms <= {now}
                ORDER BY ready_ms, ticket LIMIT 1 {skip_locked})
RETURNING ticket, token, tries, category,
          (SELECT customer FROM tickets WHERE id = jobs.ticket),
          (SELECT subject FROM tickets WHERE id = jobs.ticket),
          (SELECT body FROM tickets WHERE id = jobs.ticket)";

const FAIL: &str = "
UPDATE jobs SET state = CASE WHEN tries >= $4 THEN 'dead' ELSE 'queued' END,
                finished_ms = CASE WHEN tries >= $4 THEN {now} END,
                ready_ms = {now} + $3, error = $5, token = NULL, lease_until_ms = NULL,
                calls = calls + $6, refusals = refusals + $7
WHERE ticket = $1 AND token = $2
RETURNING state";

/// A worker that is gone took a try with it: a ticket that ends every worker
/// must not end them for ever.
const REAP: &str = "
UPDATE jobs SET state = CASE WHEN tries >= $1 THEN 'dead' ELSE 'queued' END,
                finished_ms = CASE WHEN tries >= $1 THEN {now} END,
                error = 'its worker was gone before the lease ended', token = NULL, lease_until_ms = NULL
WHERE state = 'running' AND lease_until_ms < {now}";
