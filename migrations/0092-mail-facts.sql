-- Which kinds of mail exist, and what each one says, is stated once, in the program: a process takes only the kinds that it knows.
alter table outgoing_mails add column facts jsonb not null default '{}';
alter table outgoing_mails drop constraint outgoing_mails_kind_check;
comment on column outgoing_mails.facts is 'what the mail says besides what the tables say when it is sent; never a secret';
