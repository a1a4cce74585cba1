-- How many mails of a school left, and how many the mail server refused.

create table mail_days (
  school_id uuid not null references schools,
  day date not null,
  queued integer not null default 0,
  sent integer not null default 0,
  refused integer not null default 0,
  primary key (school_id, day)
);
comment on table mail_days is
  'notifications: mails with notifications that were queued in a day (UTC), handed over, and refused by the mail server for their address';
