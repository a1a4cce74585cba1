-- The history that a person reads about themselves: what they did, and what others did to them. Of the entries that a refresh or an
-- operation writes none is in it. The expressions are those of src/domain/audit/read-history.ts.
create index concurrently if not exists audit_entries_of_person on audit_entries (
  school_id,
  (case when split_part(action, '.', 1) in ('authorization', 'member', 'person')
    then coalesce(subject, actor_user_id::text) else coalesce(actor_user_id::text, subject) end),
  id)
  where split_part(action, '.', 1) in ('authorization', 'member', 'person', 'session', 'passkey', 'factor');
