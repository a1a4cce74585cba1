-- Searches inside posts, of the school and of visitors.
create index concurrently if not exists posts_search
  on posts using gin (
    lower(left(title, 20000) || ' ' || left(body, 20000)) gin_trgm_ops,
    regexp_replace(lower(left(title, 20000) || ' ' || left(body, 20000)), '(\w)', '\1\1\1', 'g') gin_trgm_ops,
    lower(left(slug, 20000)) gin_trgm_ops);
