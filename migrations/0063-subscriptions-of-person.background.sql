-- Subscriptions of a person, canceled ones included.
create index concurrently if not exists subscriptions_of_person
  on subscriptions (school_id, user_id, created_at, id);
