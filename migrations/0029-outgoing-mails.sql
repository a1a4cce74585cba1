-- Mails that an answer does not wait for. A request is stored in the same way for every address, and who gets which
-- mail is decided afterwards, so that neither time nor statements show whether an account exists.

create table outgoing_mails (
  id uuid primary key,
  school_id uuid not null references schools,
  kind text not null constraint outgoing_mails_kind_check
    check (kind in ('forgotten_password', 'password_changed')),
  email text not null constraint outgoing_mails_email_check check (length(email) <= 320),
  attempts integer not null default 0,
  next_try_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now()
);
create index outgoing_mails_due on outgoing_mails (next_try_at);
comment on table outgoing_mails is 'people: requests for mail, as typed, until they are sent or dropped';
