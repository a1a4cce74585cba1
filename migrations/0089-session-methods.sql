-- Sessions that an older process starts were begun with a password.
alter table browser_sessions add column methods text[] not null default '{password}';
comment on column browser_sessions.methods is 'what the person proved at authenticated_at: password, passkey, code, recovery_code, mail_link';
