-- The purge removes the sessions that expired first.
create index concurrently if not exists browser_sessions_by_expiry on browser_sessions (expires_at);
