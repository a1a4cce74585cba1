-- Registrations of an event in one state, which may be few of many.
create index concurrently if not exists event_registrations_in_state
  on event_registrations (school_id, event_id, state, registered_at, id);
-- Subscriptions of a plan in the order of their periods.
create index concurrently if not exists subscriptions_of_plan_by_period
  on subscriptions (school_id, plan_id, current_period_ends_at, id);
