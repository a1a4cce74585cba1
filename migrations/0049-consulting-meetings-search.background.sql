-- Searches for meetings by part of the title.
create index concurrently if not exists consulting_meetings_search
  on consulting_meetings using gin (
    lower(left(title, 20000)) gin_trgm_ops,
    regexp_replace(lower(left(title, 20000)), '(\w)', '\1\1\1', 'g') gin_trgm_ops);
