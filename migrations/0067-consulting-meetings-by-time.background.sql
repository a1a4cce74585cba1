-- Meetings by the time they were made.
create index concurrently if not exists consulting_meetings_by_time
  on consulting_meetings (school_id, created_at, id);
