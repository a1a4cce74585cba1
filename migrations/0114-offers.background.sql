-- Published courses in the order of their list.
create index concurrently if not exists courses_published on courses (school_id, published_at, id)
  where state = 'published';

-- The subscriptions of a plan in the order of their list.
create index concurrently if not exists subscriptions_of_plan on subscriptions (school_id, plan_id, created_at, id);
