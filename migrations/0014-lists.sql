-- The admin area lists payments and notifications of the whole school, newest first.

create index payments_by_time on payments (school_id, created_at, id);
create index notifications_of_school on notifications (school_id, created_at, id);
