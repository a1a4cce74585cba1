-- Comments that are hidden.
create index concurrently if not exists comments_hidden
  on comments (school_id, created_at, id) where hidden_at is not null;
