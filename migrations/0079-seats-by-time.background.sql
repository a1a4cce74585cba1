-- The meetings of a member in their order, and the seats whose time is not filled in yet.

create index concurrently if not exists meeting_seats_by_time on meeting_seats (school_id, user_id, starts_at, meeting_id);

create index concurrently if not exists meeting_seats_without_time on meeting_seats (school_id, user_id) where starts_at is null;
