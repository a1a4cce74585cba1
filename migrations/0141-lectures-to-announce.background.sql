-- Finds the lectures that opened since members were last told.
create index concurrently if not exists lectures_to_announce
  on lectures (school_id, announce_at) where announce_at is not null;
