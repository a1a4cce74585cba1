-- Searches for people by the name that the school typed.
create index concurrently if not exists school_members_search
  on school_members using gin (
    lower(left(typed_name, 20000)) gin_trgm_ops,
    regexp_replace(lower(left(typed_name, 20000)), '(\w)', '\1\1\1', 'g') gin_trgm_ops)
  where signed_in_at is null;
