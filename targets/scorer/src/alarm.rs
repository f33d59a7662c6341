//! An alarm that wakes the event loop at a moment, to within some 0.1 ms.
//!
//! The runtime's own timer counts in milliseconds and rounds up; a timer
//! descriptor counts in nanoseconds and wakes the same `epoll_wait` as a socket.

use std::io;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::net::unix::pipe;

use crate::clock::timespec;

/// A timer of the event loop that it was made on.
pub(crate) struct Alarm {
    // A timer descriptor is waited for and read just as a pipe is, and tokio
    // has no safe door for any other descriptor: `AsyncFd::register` is unsafe.
    timer: pipe::Receiver,
}

impl Alarm {
    pub(crate) fn new() -> io::Result<Alarm> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        Ok(Alarm { timer: pipe::Receiver::from_owned_fd_unchecked(timer)? })
    }

    /// Waits until `at_ns`; not at all if that has passed.
    pub(crate) async fn wait_until(&self, at_ns: u64) -> io::Result<()> {
        // Zero would switch the timer off.
        let at = Itimerspec { it_interval: Timespec::default(), it_value: timespec(at_ns.max(1)) };
        timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &at)?;
        let mut expirations = [0_u8; 8];
        loop {
            self.timer.readable().await?;
            match self.timer.try_read(&mut expirations) {
                // Woken for nothing, which the runtime may do.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                rung => return rung.map(drop),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::now_ns;

    fn on_a_loop(work: impl Future<Output = io::Result<()>>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
        runtime.block_on(work).expect("a working timer");
    }

    #[test]
    fn an_alarm_never_rings_early_and_rings_again_when_set_again() {
        on_a_loop(async {
            let alarm = Alarm::new()?;
            for _ in 0..3 {
                let at_ns = now_ns() + 2_000_000;
                alarm.wait_until(at_ns).await?;
                assert!(now_ns() >= at_ns);
            }
            Ok(())
        });
    }

    #[test]
    fn an_alarm_set_to_the_past_rings_at_once() {
        on_a_loop(async {
            let alarm = Alarm::new()?;
            alarm.wait_until(0).await?;
            alarm.wait_until(now_ns() - 1).await
        });
    }
}
