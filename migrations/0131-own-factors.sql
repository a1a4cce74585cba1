-- A person who has a passkey or an authenticator proves it before the account changes; one who has lost it waits.
comment on column browser_sessions.methods is 'what the person proved in this session, the last of it at authenticated_at: password, passkey, code, recovery_code, mail_link; earlier_passkey if another proof came later; trusted_device if no code was asked for in a trusted browser; other_school if a passkey or code was proved at the school where it works';
alter table browser_sessions add column factor_since timestamptz(3);
comment on column browser_sessions.factor_since is 'when the passkey or authenticator of the last proof was added; null after a proof without one';
alter table email_changes add column asked_school_id uuid references schools;
alter table email_changes add column session_id uuid;
alter table email_changes add column factor_since timestamptz(3);
comment on column email_changes.asked_school_id is 'where the person asked';
comment on column email_changes.session_id is 'the browser that asked, which stays signed in';
comment on column email_changes.factor_since is 'as in the session that asked: an older factor proved the change, so it is undone only with one';
create table lost_factors (
  user_id uuid primary key references users,
  asked_school_id uuid not null references schools,
  asked_at timestamptz(3) not null default now(),
  told_at timestamptz(3) not null default now()
);
comment on table lost_factors is 'people: who can no longer use their passkeys or authenticator, which are removed after a wait';
comment on column lost_factors.asked_school_id is 'where the person asked';
comment on column lost_factors.told_at is 'the last of the daily notices';
create index lost_factors_by_told_at on lost_factors (told_at);
