-- Searches for people. src/foundation/db/contains-words.ts has the same expression.
create index concurrently if not exists users_search
  on users using gin (
    lower(left(name, 20000)) gin_trgm_ops,
    regexp_replace(lower(left(name, 20000)), '(\w)', '\1\1\1', 'g') gin_trgm_ops,
    lower(left(email, 20000)) gin_trgm_ops);
