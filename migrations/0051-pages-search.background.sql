-- Searches inside pages, of the school and of visitors.
create index concurrently if not exists pages_search
  on pages using gin (
    lower(left(title, 20000) || ' ' || left(body, 20000)) gin_trgm_ops,
    regexp_replace(lower(left(title, 20000) || ' ' || left(body, 20000)), '(\w)', '\1\1\1', 'g') gin_trgm_ops,
    lower(left(slug, 20000)) gin_trgm_ops);
