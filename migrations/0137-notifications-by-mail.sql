-- Notifications are kept as a kind and its values, and go by email, too.

alter table notifications
  add column facts jsonb,
  add column topic text,
  add column in_inbox boolean not null default true,
  add column mail_due_at timestamptz(3);
comment on column notifications.facts is
  'the values of its kind, which are said when it is read; null if title and body have the words';
comment on column notifications.topic is
  'what the member chose by; null from before it was kept';
comment on column notifications.in_inbox is
  'false if the member gets it by email only; it is read from the beginning';
comment on column notifications.mail_due_at is
  'when it is mailed; null once it waits in outgoing_mails, and for what is never mailed';

alter table schools add column quiet_causes text[] not null default '{}';
comment on column schools.quiet_causes is 'kinds of notifications that the school switched off';
