-- Meetings that are over or not.
create index concurrently if not exists consulting_meetings_by_end
  on consulting_meetings (school_id, ends_at);
