-- A search reads everything that waits in the pending list of its index: by default up to four megabytes, since the last vacuum.
-- At this size, the least that is allowed, a write that fills the list sorts it into the index, and a search reads eight pages more at most.
alter index if exists comments_search set (gin_pending_list_limit = 64);
alter index if exists consulting_meetings_search set (gin_pending_list_limit = 64);
alter index if exists coupons_search set (gin_pending_list_limit = 64);
alter index if exists courses_search set (gin_pending_list_limit = 64);
alter index if exists orders_search set (gin_pending_list_limit = 64);
alter index if exists pages_search set (gin_pending_list_limit = 64);
alter index if exists payments_search set (gin_pending_list_limit = 64);
alter index if exists posts_search set (gin_pending_list_limit = 64);
alter index if exists school_members_search set (gin_pending_list_limit = 64);
alter index if exists users_search set (gin_pending_list_limit = 64);
