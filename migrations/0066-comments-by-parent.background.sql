-- Answers to a comment.
create index concurrently if not exists comments_by_parent
  on comments (school_id, parent_id, created_at, id) where parent_id is not null;
