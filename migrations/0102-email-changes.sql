-- A new email address counts when both mailboxes have agreed. The old one can undo the change for three days.
create table email_changes (
  id uuid primary key,
  school_id uuid not null references schools,
  user_id uuid not null references users,
  old_email text not null constraint email_changes_old_email_check check (length(old_email) <= 320),
  new_email text not null constraint email_changes_new_email_check check (length(new_email) <= 320),
  created_at timestamptz(3) not null default now(),
  old_confirmed_at timestamptz(3),
  new_confirmed_at timestamptz(3),
  changed_at timestamptz(3),
  ended_at timestamptz(3)
);
create index email_changes_by_user on email_changes (user_id);
comment on table email_changes is 'people: new email addresses that people asked for, until the change can no longer be undone';
comment on column email_changes.school_id is 'whose mails have the links: where the person has signed in for longest';
comment on column email_changes.ended_at is 'stopped, replaced by a newer request, or undone: its links do nothing any more';
