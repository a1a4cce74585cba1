-- The address before a change, which makes no other account while the change can be undone.
create index concurrently if not exists email_changes_by_old_email on email_changes (lower(old_email));
