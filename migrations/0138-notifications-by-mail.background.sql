-- Few rows wait for their mail.
create index concurrently if not exists notifications_to_mail
  on notifications (school_id, mail_due_at) where mail_due_at is not null;
-- Rows that are only mailed are removed once they were.
create index concurrently if not exists notifications_not_in_inbox
  on notifications (created_at) where not in_inbox;
