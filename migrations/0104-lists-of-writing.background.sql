-- Posts in the orders that their list offers, and posts and courses of one state.

create index concurrently if not exists posts_by_update on posts (school_id, updated_at, id);

create index concurrently if not exists posts_by_title on posts (school_id, title collate "C", id);

create index concurrently if not exists posts_by_state on posts (school_id, state, created_at, id);

create index concurrently if not exists courses_by_state on courses (school_id, state, created_at, id);

-- People who are not only students, in the order of their list.

create index concurrently if not exists school_members_staff_by_time on school_members (school_id, joined_at, user_id)
  where roles && array['owner', 'admin', 'lecturer'];
