-- Audit: what happened, append-only. Every refresh writes an entry, so each index and each check here adds
-- to the cost of a refresh. Therefore lengths are types: PostgreSQL reads check constraints from its
-- catalogue at every insert. Allowed actions are a list in the code.

create table audit_entries (
  id uuid primary key,
  school_id uuid,
  at timestamptz(3) not null default now(),
  action varchar(100) not null,
  outcome varchar(100) not null,
  actor_user_id uuid,
  client_id text,
  authorization_id uuid,
  subject varchar(2000),
  detail jsonb not null default '{}',
  request_id varchar(100)
);
create index audit_entries_by_school on audit_entries (school_id, id);
create index audit_entries_by_client on audit_entries (school_id, client_id, id);
create index audit_entries_by_actor on audit_entries (school_id, actor_user_id, id);
-- Most entries are issued and refreshed tokens. Leaving them out keeps this index out of every refresh.
create index audit_entries_by_action on audit_entries (school_id, action, id)
  where action not in ('token.issued', 'token.refreshed');
comment on table audit_entries is 'audit: append-only; no foreign key to what it names, so that it outlives it';

create function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('schoolgate.purging', true) = 'on' then
    return old;
  end if;
  raise exception 'audit entries are append-only' using errcode = 'restrict_violation';
end $$;
comment on function refuse_change is 'Only the purge job, which says so in its transaction, may remove old entries.';

create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function refuse_change();
