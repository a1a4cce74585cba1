-- Searches for courses, of the school and of visitors.
create index concurrently if not exists courses_search
  on courses using gin (
    lower(left(title, 20000) || ' ' || left(summary, 20000) || ' ' || left(description, 20000)) gin_trgm_ops,
    regexp_replace(lower(left(title, 20000) || ' ' || left(summary, 20000) || ' ' || left(description, 20000)), '(\w)', '\1\1\1', 'g') gin_trgm_ops,
    lower(left(title, 20000)) gin_trgm_ops,
    regexp_replace(lower(left(title, 20000)), '(\w)', '\1\1\1', 'g') gin_trgm_ops,
    lower(left(slug, 20000)) gin_trgm_ops);
