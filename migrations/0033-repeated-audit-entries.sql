-- An entry that stands for many like it counts them. Nothing else of an entry can change, and the count only grows.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('schoolgate.purging', true) = 'on' then
    return old;
  end if;
  if tg_op = 'UPDATE'
    and jsonb_typeof(new.detail -> 'repeated') = 'number'
    and new.detail -> 'repeated' > coalesce(old.detail -> 'repeated', '0')
    and new.detail - 'repeated' = old.detail - 'repeated'
    and to_jsonb(new) - 'detail' = to_jsonb(old) - 'detail'
  then
    return new;
  end if;
  raise exception 'audit entries are append-only' using errcode = 'restrict_violation';
end $$;
comment on function refuse_change is
  'Only the purge job, which says so in its transaction, may remove old entries. Of an entry only the count of its repetitions can change: it grows.';
