-- Pages of a lecture show the comments that answer no other, oldest first.
create index concurrently if not exists comments_of_lecture
  on comments (school_id, lecture_id, created_at, id) where parent_id is null;
