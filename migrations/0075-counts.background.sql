-- What lists count for each of their rows: registrations of events, subscriptions of plans, owners of products. With these indexes
-- PostgreSQL counts without looking at the rows themselves.

create index concurrently if not exists event_registrations_standing on event_registrations (school_id, event_id)
  where state <> 'canceled';

create index concurrently if not exists subscriptions_standing on subscriptions (school_id, plan_id)
  where state <> 'canceled';

create index concurrently if not exists digital_product_accesses_standing on digital_product_accesses (school_id, product_id)
  where revoked_at is null;
