-- Searches inside comments.
create index concurrently if not exists comments_search
  on comments using gin (
    lower(left(body, 20000)) gin_trgm_ops,
    regexp_replace(lower(left(body, 20000)), '(\w)', '\1\1\1', 'g') gin_trgm_ops);
