-- Imports mark the people whom they add; a job invites them.
alter table school_members add column invitation_due boolean not null default false;
comment on column school_members.invitation_due is 'whether the job that invites imported people has this one before it';
comment on column browser_sessions.methods is 'what the person proved in this session, the last of it at authenticated_at: password, passkey, code, recovery_code, mail_link; earlier_passkey if another proof came later; trusted_device if no code was asked for in a trusted browser';
