-- Audit: what happened, append-only.

create table audit_entries (
  id uuid primary key,
  school_id uuid references schools,
  at timestamptz(3) not null default now(),
  action text not null check (action ~ '^[a-z_]+(\.[a-z_]+)+$'),
  outcome text not null check (length(outcome) between 1 and 100),
  actor_user_id uuid,
  client_id text,
  authorization_id uuid,
  subject text check (length(subject) <= 2000),
  detail jsonb not null default '{}',
  request_id text check (length(request_id) <= 100)
);
create index audit_entries_by_school on audit_entries (school_id, id);
create index audit_entries_by_client on audit_entries (school_id, client_id, id);
create index audit_entries_by_actor on audit_entries (school_id, actor_user_id, id);
create index audit_entries_by_action on audit_entries (school_id, action, id);
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
