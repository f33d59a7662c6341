r"""Locust as an arm of a doorclock experiment.

What it is for: to put Locust beside doorclock's own testers, with the same
target, rate and seed, and with the time of every single request, so that each
figure of both is computed by the same code.

In a plan:

    [arm.locust-546]
    paced   = { rate = "546/s", connections = 8 }   # what the command is told to do
    import  = "locust"
    command = '''
    locust -f locustfile.py --headless --only-summary -H $DOORCLOCK_URL \
      -u $DOORCLOCK_CONNECTIONS -r $DOORCLOCK_CONNECTIONS \
      -t ${DOORCLOCK_RUN_SECONDS}s --csv $DOORCLOCK_OUT/locust
    '''

doorclock runs the command by `sh -c` in the plan's folder and tells it all it
needs in the environment:

    DOORCLOCK_URL          scheme://host:port, for -H
    DOORCLOCK_PATH         path and query of the request
    DOORCLOCK_METHOD       its method
    DOORCLOCK_CONNECTIONS  users, each with one request at a time
    DOORCLOCK_RATE         requests a second that all users aim at together;
                           not set in a closed loop: then nobody waits
    DOORCLOCK_RUN_SECONDS  how long to send, in whole seconds: warm-up and
                           counted part and up to a second more, so that what is
                           still under way when Locust stops, and is dropped by
                           it, was not to be counted
    DOORCLOCK_TIMEOUT      time limit of a request, in seconds
    DOORCLOCK_SEED         seeds the choice of customers and the users' first waits
    DOORCLOCK_OUT          a folder for this run's files, kept with the results

Two things of it can be lifted into any locustfile: `record_request`, whose
lines give doorclock every response time, and `wait_time`. Without those lines
doorclock has only the summary that Locust writes by `--csv`, whose percentiles
are rounded to whole milliseconds (two digits above 100 ms).

To install Locust in an environment of its own:

    python3 -m venv locust-env && locust-env/bin/pip install locust==2.47.0
"""

import csv
import io
import json
import os
import random
import socket
import time
import urllib.request

import gevent
from locust import FastHttpUser, constant, constant_pacing, events, task

URL = os.environ["DOORCLOCK_URL"]
METHOD = os.environ["DOORCLOCK_METHOD"]
PATH = os.environ["DOORCLOCK_PATH"]
OUT = os.environ["DOORCLOCK_OUT"]
TIMEOUT_S = float(os.environ["DOORCLOCK_TIMEOUT"])
USERS = int(os.environ["DOORCLOCK_CONNECTIONS"])
RATE_PER_S = os.environ.get("DOORCLOCK_RATE")
CHANCE = random.Random(int(os.environ["DOORCLOCK_SEED"]))

# From the start of one request of a user to that of the next.
PERIOD_S = USERS / float(RATE_PER_S) if RATE_PER_S else 0.0

# The sample service `scorer` says itself which score every customer has, so
# that each answer can be checked; any other service is checked by status.
IS_SCORER = PATH.split("?")[0] == "/score"


class WrongScore(Exception):
    """The service answered, and the score is another than the reference's."""


def reference_scores():
    """(customer, score) of every customer, asked before anything is timed."""
    with urllib.request.urlopen(URL + "/reference", timeout=10) as answer:
        rows = csv.DictReader(io.TextIOWrapper(answer, encoding="utf-8"))
        return [(row["customer"], row["score"]) for row in rows]


SCORES = reference_scores() if IS_SCORER else []


class DoorclockUser(FastHttpUser):
    """One connection, one request at a time.

    FastHttpUser rather than HttpUser: it is the cheaper of Locust's two
    clients, so a comparison of CPU per request does it no wrong.
    """

    wait_time = constant_pacing(PERIOD_S) if RATE_PER_S else constant(0)
    connection_timeout = TIMEOUT_S
    network_timeout = TIMEOUT_S

    def on_start(self):
        # All users start in the same instant. Without this they would send
        # side by side in every period and queue behind each other.
        gevent.sleep(CHANCE.random() * PERIOD_S)

    if IS_SCORER:

        @task
        def score(self):
            customer, expected = CHANCE.choice(SCORES)
            if METHOD == "POST":
                path, body = "/score", {"customer": customer}
            else:
                path, body = "/score?customer=" + customer, None
            with self.client.request(
                METHOD, path, json=body, name="/score", catch_response=True
            ) as answer:
                if answer.status_code == 200 and not has_score(answer.text, expected):
                    answer.failure(WrongScore(f"{customer}: {answer.text}, expected {expected}"))

    else:

        @task
        def ask(self):
            self.client.request(METHOD, PATH, name=PATH)


def has_score(text, expected):
    """Whether an answer of the scorer holds this score, to its six digits."""
    try:
        return f"{json.loads(text)['score']:.6f}" == expected
    except (ValueError, KeyError, TypeError):
        return False


@events.init.add_listener
def record_requests(**_):
    """Writes a line for every request, on the clock that doorclock reads too.

    The file is written in blocks: a system call for every line would be work
    that Locust does not do by itself.
    """
    lines = open(os.path.join(OUT, "requests.csv"), "w", encoding="ascii")
    lines.write("start_ns,response_ns,status,outcome,bytes\n")

    @events.request.add_listener
    def record_request(response_time, response_length, exception, response=None, **_):
        ended_ns = time.monotonic_ns()
        took_ns = int(response_time * 1_000_000)
        status = getattr(response, "status_code", None) or 0
        outcome = outcome_of(exception, status)
        lines.write(f"{ended_ns - took_ns},{took_ns},{status},{outcome},{response_length}\n")

    @events.quit.add_listener
    def close(**_):
        lines.close()


def outcome_of(exception, status):
    """How a request ended, in doorclock's words."""
    if exception is None:
        return "ok"
    if isinstance(exception, WrongScore):
        return "failed_check"
    if status != 0:
        return "wrong_status"
    if isinstance(exception, (TimeoutError, socket.timeout)):
        return "timed_out"
    if isinstance(exception, (ConnectionRefusedError, socket.gaierror)):
        return "refused"
    if isinstance(exception, ConnectionError):
        return "reset"
    return "protocol_error"
